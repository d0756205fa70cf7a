"""Two parses of one text: which of their words are the same."""
