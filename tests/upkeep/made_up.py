"""A treebank of a small language with one annotation error, one wrong tag, and one convention kept half of the time."""

import numpy as np

WRONG = "s7"  # has a determiner that hangs from the verb
MISTAGGED = "s11"  # has a verb that is called a noun


def treebank(n: int = 160, seed: int = 3) -> str:
    """Sentences `the n eat the n of n .`; in every other one `of` is fixed instead of case."""
    rng = np.random.default_rng(seed)
    sentences = []
    for k in range(1, n + 1):
        nouns = [f"n{rng.integers(6)}" for _ in range(3)]
        name = f"s{k}"
        rows = [
            ("the", "DET", 3 if name == WRONG else 2, "det"),
            (nouns[0], "NOUN", 3, "nsubj"),
            ("eat", "NOUN" if name == MISTAGGED else "VERB", 0, "root"),
            ("the", "DET", 5, "det"),
            (nouns[1], "NOUN", 3, "obj"),
            ("of", "ADP", 7, "case" if rng.random() < 0.6 else "mark"),
            (nouns[2], "NOUN", 5, "nmod"),
            (".", "PUNCT", 3, "punct"),
        ]
        lines = [f"{i}\t{w}\t{w}\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for i, (w, t, h, r) in enumerate(rows, 1)]
        sentences.append(f"# sent_id = {name}\n" + "".join(lines) + "\n")
    return "".join(sentences)
