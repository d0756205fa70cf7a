"""Search trees: a request names words, arcs and their order; the matches are rows of a corpus."""
