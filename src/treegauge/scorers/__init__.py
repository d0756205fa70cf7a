"""Ways to score arcs, behind one protocol and one registry."""
