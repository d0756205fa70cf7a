"""What should change in a treebank, and is it still there? corrections → applying."""
