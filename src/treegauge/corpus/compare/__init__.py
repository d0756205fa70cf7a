"""Two texts of one content side by side: which words are the same, and which arcs are right."""
