"""What is hard, and why?  Relation types, bins, distributions, challenge sets."""
