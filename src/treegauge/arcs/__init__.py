"""How plausible is each arc? Features, counts, reference model, score, ranking, reasons."""
