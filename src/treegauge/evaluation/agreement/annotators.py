"""Several annotations of one text, word by word: heads, relations and tags of the words that all of them have."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from treegauge.corpus.compare.comparison import ELSEWHERE, Comparison, side_by_side
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import file_names
from treegauge.corpus.relations import universal
from treegauge.errors import CorpusError, OptionError

_USER = re.compile(r"#\s*user_id\s*=")


@dataclass(frozen=True)
class Annotators:
    """The annotation of the words that all annotators have; in the arrays, rows are annotators, columns are words."""

    names: tuple[str, ...]
    corpora: tuple[Corpus, ...]
    row: np.ndarray  # where each word is in each annotator's corpus
    head: np.ndarray  # position in the sentence of the first annotator, 0 = root, -1 = in another sentence
    relation: np.ndarray  # codes into relations
    tag: np.ndarray  # codes into tags
    relations: tuple[str, ...]
    tags: tuple[str, ...]
    left_out: int  # how many words of the first annotator another one does not have
    subtypes: bool

    @property
    def n_words(self) -> int:
        """How many words are compared."""
        return self.row.shape[1]

    @cached_property
    def sentence(self) -> np.ndarray:
        """The sentence of each word, in the first annotator's corpus."""
        return np.asarray(self.corpora[0].sentence[self.row[0]])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each pair of annotators."""
        return list(combinations(range(len(self.names)), 2))

    @property
    def whole(self) -> np.ndarray:
        """The sentences that have the same words for all annotators."""
        corpus = self.corpora[0]
        words = np.bincount(self.sentence, minlength=corpus.n_sentences)
        inside = np.bincount(self.sentence, (self.head == ELSEWHERE).any(axis=0), minlength=corpus.n_sentences) == 0
        same = words == np.diff(corpus.start)
        for row, other in zip(self.row[1:], self.corpora[1:], strict=True):  # the other's sentence has no further words
            size = np.zeros(corpus.n_sentences, np.int64)
            size[self.sentence] = np.diff(other.start)[other.sentence[row]]
            same &= size == words
        return np.flatnonzero(same & inside)

    def arc(self, annotator: int, k: int) -> str:
        """The head and the relation that an annotator gives a word, as `3:nsubj`."""
        return f"{self.head[annotator, k]}:{self.relations[self.relation[annotator, k]]}"


def read_annotators(
    sources: Sequence[CorpusSource], names: Sequence[str] | None = None, *, subtypes: bool = False
) -> Annotators:
    """Several annotations of one text; words are aligned as in `evaluate` if they are not the same.

    names: the names of the annotators, by default those of their files. subtypes: whether relations have their
    subtypes. Raises CorpusError if the texts are not the same.
    """
    if len(sources) < 2:
        raise OptionError(f"{len(sources)} annotations; expected two or more of the same text")
    corpora = tuple(as_corpus(source) for source in sources)
    names = tuple(names or file_names([corpus.path for corpus in corpora]))
    if len(names) != len(corpora) or len(set(names)) < len(names):
        raise OptionError(f"names {', '.join(names)}; expected {len(corpora)} different ones")
    first = corpora[0]
    comparisons = [Comparison(first, first), *(side_by_side(first, other) for other in corpora[1:])]
    own = np.arange(first.n_words)
    rows = np.stack([own if comparison.row is None else comparison.row for comparison in comparisons])
    overlays = [comparison.overlay for comparison in comparisons]
    common = (rows >= 0).all(axis=0)
    if not common.any():
        raise CorpusError(f"{', '.join(corpus.path for corpus in corpora)}: no word is in all of them")
    relation, relations = _joined_column(overlays, "deprel", str if subtypes else universal)
    tag, tags = _joined_column(overlays, "upos", str)
    head = np.stack([overlay.head for overlay in overlays])
    rows, head, relation, tag = (array[:, common] for array in (rows, head, relation, tag))
    left_out = int((~common).sum())
    return Annotators(names, corpora, rows, head, relation, tag, relations, tags, left_out, subtypes)


def by_user(corpus: Corpus) -> list[Corpus]:
    """The annotation of each user of a file in which `# user_id` says who annotated a sentence, as Arborator writes it.

    Each corpus has the sentences that all users have, in the order of the first one, and its user as path; sentences
    belong together by their sent_id. A file without users is one corpus: itself.
    """
    of_user: dict[str, dict[str, int]] = {}
    for s in range(corpus.n_sentences):
        lines = corpus.sentence_text(s).decode().splitlines()
        user = next((line.partition("=")[2].strip() for line in lines if _USER.match(line)), None)
        if user is None:
            if of_user:
                raise CorpusError(f"{corpus.where(s)}: {corpus.place(s)} has no # user_id; expected one as others have")
            return [corpus]
        if corpus.sent_id(s) in of_user.setdefault(user, {}):
            raise CorpusError(f"{corpus.where(s)}: {corpus.place(s)} is there twice for user {user}; expected once")
        of_user[user][corpus.sent_id(s)] = s
    first, *others = of_user.values()
    shared = [sent_id for sent_id in first if all(sent_id in other for other in others)]
    if not shared:
        raise CorpusError(f"{corpus.path}: users {', '.join(of_user)}; expected a sentence that all of them annotated")
    return [
        replace(corpus.select([sentences[sent_id] for sent_id in shared]), path=user)
        for user, sentences in of_user.items()
    ]


def _joined_column(
    overlays: Sequence[Corpus], column: str, change: Callable[[str], str]
) -> tuple[np.ndarray, tuple[str, ...]]:
    """A column of all annotators, as codes into one table of labels."""
    table: dict[str, int] = {}
    columns = []
    for overlay in overlays:
        codes = [table.setdefault(change(label), len(table)) for label in overlay.labels[column]]
        columns.append(np.array(codes, np.int64)[overlay.codes[column]])
    return np.stack(columns), tuple(table)
