"""Rankings of a scored corpus: columns, order, bins, verdicts, output formats; in memory or sorted on disk."""
