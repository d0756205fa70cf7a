"""How probable is it that an arc is right? Learned from a little gold, for any other arcs."""
