"""A whole shared task: all systems on all treebanks."""
