"""A corpus scored once: its order, bins, sentences, verdicts; in memory or sorted on disk."""
