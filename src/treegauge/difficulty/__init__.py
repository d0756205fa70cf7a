"""What is hard, and why?  Rankings judged, relation types, bins, distributions, challenge sets."""
