"""Word order across treebanks: which languages are alike, and what is marked in them?"""
