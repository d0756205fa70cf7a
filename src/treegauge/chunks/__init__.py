"""CHAOS: tagged words to chunks, clauses, verb arguments and links; word graphs and scores."""
