"""From parsed text to a model: counts in one pass, weights in another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    from treegauge.models.net.encoder import Vectors
    from treegauge.models.net.training import NetOptions
    from treegauge.models.net.weights import NetWeights

Source = str | os.PathLike[str] | Corpus
MOST_NET_WORDS = 1_000_000  # a net is learned from about so many words at most; more bring little and take hours
_ONE = (str, os.PathLike, Corpus)


@dataclass(frozen=True, slots=True)
class Workers:
    """Who builds a model from files: a function that counts them, and one that learns weights from them.

    None: as many threads as there are cores, at most 8; many_files.py has functions for processes and clusters.
    """

    count: Callable[..., Reference] | None = None
    learn: Callable[..., ChoiceWeights] | None = None


def build_model(
    *sources: Source | Sequence[Source],
    gold: Source | Sequence[Source] = (),
    choice: bool = True,
    net: bool | NetOptions = False,
    encoder: str | Vectors | None = None,
    settings: CountSettings | None = None,
    on_error: str = "stop",
    stages: Stages = silent,
    workers: Workers | None = None,
) -> Model:
    """The model of parsed corpora: paths of CoNLL-U files, folders, globs, or corpora that were read.

    gold: a treebank beside them; weights are learned from it in its own way (choice/two_references.py), and it is
    counted like the rest; the other columns (lemmas, features …) are learned from gold alone where there is some, and
    from the first million words of what there is. choice=False leaves out all that is learned: learning takes much
    longer than counting, and reads files once more. net: learn a net, too (needs torch; minutes). encoder: vectors of
    words for the net: the name or folder of an encoder of Hugging Face, or a function that gives a row of numbers for
    each word of a corpus. workers: who counts and learns, by default this process.
    """
    settings = settings or CountSettings()
    parsed, golden = _Sources.of(sources), _Sources.of([gold])
    corpora, paths = [*parsed.corpora, *golden.corpora], [*parsed.paths, *golden.paths]
    if not (corpora or paths):
        raise OptionError("no reference; expected parsed files or corpora")
    if choice and STDIN in paths:
        raise OptionError("learning weights reads the reference a second time: give files, not standard input")
    if (net or encoder is not None) and not (choice and net):
        raise OptionError(
            "a net stands beside the weights of choice, and an encoder is for a net: choice=True, net=True"
        )
    count, learn = (workers.count, workers.learn) if workers else (None, None)
    if choice and learn is not None and golden:
        raise OptionError("gold is learned from by one machine, not by a cluster; without weights it can be counted")
    count = partial(count or partial(build_reference, threads=min(os.cpu_count() or 1, 8)), on_error=on_error)
    reference = _counted(corpora, paths, settings, count, stages)
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
        columns = learn_columns((golden or parsed).pieces(on_error), progress=told)
    if not net:
        return Model(reference, weights, columns)
    texts = _net_texts(parsed, golden, weights, on_error)
    return Model(reference, weights, columns, _learned_net(texts, None if net is True else net, encoder, stages))


def _counted(
    corpora: Sequence[Corpus],
    paths: Sequence[str],
    settings: CountSettings,
    count: Callable[..., Reference],
    stages: Stages,
) -> Reference:
    """The counts of corpora and files together."""
    parts = [count_arcs(corpus, settings) for corpus in corpora]
    if paths:
        with stages("counting", None) as told:
            parts.append(count(paths, settings, progress=told))
    reference = parts[0] if len(parts) == 1 else merge_references(parts)
    if not reference.words:
        raise CorpusError(f"{', '.join(paths) or 'the reference'}: no sentences")
    return reference


def _net_texts(parsed: _Sources, golden: _Sources, weights: ChoiceWeights, on_error: str) -> list[Corpus]:
    """What a net is learned from: gold, unless it has another scheme, then parsed text, up to MOST_NET_WORDS."""
    from treegauge.models.choice.two_references import of_same_scheme

    texts, words = list[Corpus](), 0
    for sources in (golden, parsed) if of_same_scheme(weights) else (parsed,):
        for piece in sources.pieces(on_error):
            if words < MOST_NET_WORDS:
                texts.append(piece)
            words += piece.n_words
    return texts


def _learned_net(
    texts: Sequence[Corpus], options: NetOptions | None, encoder: str | Vectors | None, stages: Stages
) -> NetWeights:
    from treegauge.models.net.encoder import PYTHON, encoder_of
    from treegauge.models.net.training import learn_net, word_passes

    name, vectors = encoder_of(encoder) if isinstance(encoder, str) else (PYTHON if encoder else ("", ""), encoder)
    with stages("learning the net", word_passes(sum(text.n_words for text in texts), options)) as told:
        learned = learn_net(texts, options, vectors, name, told)
    return learned if vectors is None or name != PYTHON else replace(learned, vectors=vectors)


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
