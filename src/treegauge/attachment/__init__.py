"""How right is a parser? Align two treebanks by their characters, count per sentence, score."""
