"""The other columns: how plausible the lemma, the language-specific tag, the features and the subtype of a word are."""
