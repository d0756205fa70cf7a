"""From parsed text to a model: counts in one pass, weights in another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from treegauge.corpus.conllu import stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import STDIN
from treegauge.corpus.relations import universal
from treegauge.corpus.treebanks import corpus_files
from treegauge.errors import CorpusError, OptionError, check_type
from treegauge.models.lisca.counts import build_reference, count_arcs
from treegauge.models.lisca.reference import CountSettings, Reference, merge_references
from treegauge.models.model import Model
from treegauge.progress import Stages, silent

if TYPE_CHECKING:
    from treegauge.models.choice.weights import ChoiceWeights

Source = str | os.PathLike[str] | Corpus
_ONE = (str, os.PathLike, Corpus)


def build_model(
    *sources: Source | Sequence[Source],
    gold: Source | Sequence[Source] = (),
    choice: bool = True,
    settings: CountSettings | None = None,
    on_error: str = "stop",
    stages: Stages = silent,
    count: Callable[..., Reference] | None = None,
    learn: Callable[..., ChoiceWeights] | None = None,
) -> Model:
    """The model of parsed corpora: paths of CoNLL-U files, folders, globs, or corpora that were read.

    gold: a treebank beside them; weights are learned from it in its own way (choice/two_references.py), and it is
    counted like the rest; the other columns (lemmas, features …) are learned from gold alone where there is some, and
    from the first million words of what there is. choice=False leaves out all that is learned: learning takes much
    longer than counting, and reads files once more. count: the function that counts files, by default on as many
    threads as there are cores, at most 8; learn: the function that learns weights from files, by default in this
    process (many_files.py has both for processes and clusters).
    """
    settings = settings or CountSettings()
    parsed, golden = _Sources.of(sources), _Sources.of([gold])
    corpora, paths = [*parsed.corpora, *golden.corpora], [*parsed.paths, *golden.paths]
    if not (corpora or paths):
        raise OptionError("no reference; expected parsed files or corpora")
    if choice and STDIN in paths:
        raise OptionError("learning weights reads the reference a second time: give files, not standard input")
    if choice and learn is not None and golden:
        raise OptionError("gold is learned from by one machine, not by a cluster; without weights it can be counted")
    count = count or partial(build_reference, threads=min(os.cpu_count() or 1, 8))
    parts = [count_arcs(corpus, settings) for corpus in corpora]
    if paths:
        with stages("counting", None) as told:
            parts.append(count(paths, settings, on_error=on_error, progress=told))
    reference = parts[0] if len(parts) == 1 else merge_references(parts)
    if not reference.words:
        raise CorpusError(f"{', '.join(paths) or 'the reference'}: no sentences")
    if not choice:
        return Model(reference)

    from treegauge.models.choice.learning import learn_choice
    from treegauge.models.choice.two_references import learn_with_gold
    from treegauge.models.columns.learning import learn_columns

    with stages("learning", None) as told:
        if golden:
            weights = learn_with_gold(parsed.pieces(on_error), golden.pieces(on_error), told)
        elif learn is not None and not corpora:
            weights = learn(paths, sorted({universal(name) for name in reference.relations}), progress=told)
        else:
            weights = learn_choice(parsed.pieces(on_error), progress=told)
    with stages("learning the other columns", None) as told:
        return Model(reference, weights, learn_columns((golden or parsed).pieces(on_error), progress=told))


@dataclass(frozen=True, slots=True)
class _Sources:
    """What a model is built from: corpora that were read, and files."""

    corpora: list[Corpus]
    paths: list[str]

    @staticmethod
    def of(sources: Sequence[Source | Sequence[Source]]) -> _Sources:
        """The corpora and the files among some sources."""
        expected = "paths or corpora"
        for source in sources:
            check_type("source", source, (Iterable, *_ONE), expected)
        flat = [each for source in sources for each in ([source] if isinstance(source, _ONE) else source)]
        for each in flat:
            check_type("source", each, _ONE, expected)
        paths = corpus_files(each for each in flat if not isinstance(each, Corpus))
        return _Sources([each for each in flat if isinstance(each, Corpus)], paths)

    def __bool__(self) -> bool:
        return bool(self.corpora or self.paths)

    def pieces(self, on_error: str) -> Iterator[Corpus]:
        """All corpora and files, piece by piece, with the columns that learning needs."""
        from treegauge.models.choice.words import COLUMNS

        yield from self.corpora
        yield from stream_conllu(*self.paths, columns=COLUMNS, on_error=on_error)
