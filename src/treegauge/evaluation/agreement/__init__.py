"""How far several annotators of one text agree."""
