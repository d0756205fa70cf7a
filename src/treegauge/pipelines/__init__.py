"""treegauge as a step of the pipelines of spaCy and Stanza."""
