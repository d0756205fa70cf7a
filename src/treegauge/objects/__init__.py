"""Trees from the objects of other packages, and what was found of them back onto these objects."""
