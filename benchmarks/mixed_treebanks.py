"""What it costs to learn from all treebanks of a language together: choice, judged on the test set of each.

    python benchmarks/mixed_treebanks.py [CODE …]

One row a test set: how often its own arc is the first choice of the model (%), learned from the treebank alone, from
all treebanks that the bundled model is built from, and from all but one of them. Test sets are in none of these models.
"""

import sys
from pathlib import Path

import numpy as np

import treegauge as tg
from treegauge.corpus.corpus import Corpus
from treegauge.models.model import Model

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from build_models import DATA, Treebank, find, in_turn, treebanks

UD = DATA / "ud"
CODES = ("en", "fr", "it", "ko", "orv", "pt", "ro", "ru", "tr")


def model_of(group: list[Treebank]) -> Model:
    """The model of some treebanks together."""
    return tg.build_model(in_turn(UD, group))


def first_choices(model: Model, corpus: Corpus) -> float:
    """How often an arc of the corpus is the first choice of the model, in per cent."""
    scored = tg.score(corpus, tg.scorer("choice", model=model))
    return 100 * float((scored.scores >= scored.alternatives(np.arange(corpus.n_words)).log_prob).mean())


def test_of(treebank: Treebank) -> Corpus | None:
    """The test set beside what is learned from; None where there is none, or it is learned from, too."""
    folder = Path(treebank.files.split()[0]).parent
    if "test" in treebank.parts or not any((UD / folder).glob("test.conllu*")):
        return None
    return tg.read_conllu(find(UD, f"{folder}/test.conllu"), on_error="skip")


def main() -> None:
    """A table for each language."""
    for group in treebanks():
        code = group[0].code
        if code not in (sys.argv[1:] or CODES) or len(group) < 2:
            continue
        names = [one.name.split("-")[-1] for one in group]
        models = [model_of([one]) for one in group]
        whole = model_of(group)
        without = [model_of([other for other in group if other is not one]) for one in group]
        print("\t".join([code, "words", "alone", "all", *(f"without {name}" for name in names)]))
        for one, name, alone in zip(group, names, models, strict=True):
            if (test := test_of(one)) is not None:
                found = [first_choices(model, test) for model in (alone, whole, *without)]
                print("\t".join([name, str(alone.words), *(f"{share:.1f}" for share in found)]), flush=True)


if __name__ == "__main__":
    main()
