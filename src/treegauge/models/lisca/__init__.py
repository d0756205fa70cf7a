"""LISCA: arc features, their counts in a reference corpus, and the score of an arc."""
