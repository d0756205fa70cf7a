"""What should somebody look at in a treebank: single annotations, and patterns of them."""
