"""What other parses of the same text say of the arcs of one, and how much that is worth."""
