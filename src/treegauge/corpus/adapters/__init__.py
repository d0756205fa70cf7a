"""Trees from and to the objects of other packages: spaCy, Stanza, conllu, pyconll, Udapi."""
