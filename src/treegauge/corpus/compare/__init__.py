"""Compare two corpora of the same text: which words are the same, and which arcs are right."""
