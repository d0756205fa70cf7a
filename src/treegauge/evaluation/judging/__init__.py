"""How well a ranking finds the errors of a parse, and how reliable its probabilities are."""
