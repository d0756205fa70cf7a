"""How well a ranking finds the errors of a parse, and how well probabilities hold."""
