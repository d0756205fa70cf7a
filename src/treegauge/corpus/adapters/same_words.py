"""Parts that all adapters share: the suggested arc of a word, MISC word by word, and a check of the words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from treegauge.corpus.corpus import Corpus
from treegauge.errors import CorpusError
from treegauge.wording import counted


class OtherArc(NamedTuple):
    """An arc that is likelier than the one a word has: position of the head (0 = root), relation, probability."""

    head: int
    deprel: str
    probability: float


def misc_of_words(misc: Mapping[str, Sequence[str | None]]) -> Iterator[dict[str, str]]:
    """For each word, name -> value; misc: for each name the values of all words, None for no value."""
    for values in zip(*misc.values(), strict=True):
        yield {name: value for name, value in zip(misc, values, strict=True) if value is not None}


def check_words(corpus: Corpus, forms: Iterable[str], name: str) -> None:
    """Raise CorpusError unless these are the words of the corpus, one by one; name: what messages call them."""
    forms = list(forms)
    labels = corpus.labels["form"]
    scored = [labels[code] for code in corpus.codes["form"].tolist()]
    if forms == scored:
        return
    if len(forms) != len(scored):
        problem = f"{counted(len(forms), 'word')}; expected the {len(scored):,} that were scored"
    else:
        k = next(k for k in range(len(forms)) if forms[k] != scored[k])
        problem = f"word {k + 1} is {forms[k]!r}; expected {scored[k]!r}, which was scored"
    raise CorpusError(f"{name}: {problem}")
