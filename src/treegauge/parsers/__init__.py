"""Raw text to CoNLL-U: UDPipe, spaCy and Stanza behind one small interface."""
