"""CHAOS: chunks, clauses, arguments and links (Basili et al. 1998), and scores for each of these layers."""
