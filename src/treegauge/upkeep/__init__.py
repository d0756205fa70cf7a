"""Work on a treebank: find probable errors, correct them, compare versions."""
