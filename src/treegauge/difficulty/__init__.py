"""What is hard to parse, and why: relation types, bins, distributions, challenge sets, bits, word order."""
