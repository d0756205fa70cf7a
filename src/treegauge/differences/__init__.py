"""Two versions of one treebank: which sentences are the same, and which arcs and tags were changed."""
