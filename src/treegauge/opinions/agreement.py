"""Other parses of a text laid over one of them: who has which arc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treegauge.corpus.conllu import Corpus, CorpusSource, as_corpus
from treegauge.corpus.relations import relation_codes
from treegauge.corpus.trees import check_trees
from treegauge.errors import CorpusError, OptionError
from treegauge.judging.laid_over import ELSEWHERE, LeftOut, lay_over

COLUMNS = ("form", "deprel")  # what other parses must have been read with
# What another parse says of an arc: it has not the word; another head; the head, but another relation; the arc.
ABSENT, NEITHER, HEAD, BOTH = range(4)


@dataclass(frozen=True)
class Opinions:
    """What each of several other parses (the rows) says of every arc of a parse (the columns).

    Relations are universal ones, without their subtypes.
    """

    parse: Corpus
    names: tuple[str, ...]  # of the other parses
    says: np.ndarray  # ABSENT, NEITHER, HEAD or BOTH
    head: np.ndarray  # the position of the other head in this parse's sentence, 0 = root, ELSEWHERE if it is not there
    relation: np.ndarray  # code into relations
    relations: tuple[str, ...]
    own_relation: np.ndarray  # that of this parse
    left_out: tuple[LeftOut, ...]  # of each other parse: words that only it (gold) or only this parse (system) has

    @property
    def elsewhere(self) -> np.ndarray:
        """Of each other parse: how many words have a head there that is no word of the same sentence here."""
        return np.asarray(((self.head == ELSEWHERE) & (self.says != ABSENT)).sum(axis=1))

    @property
    def groups(self) -> np.ndarray:
        """Who agrees with whom: of every word, for this parse (row 0) and each other, the first that has the same arc.

        -1 where a parse has not the word. A head elsewhere is the same as no other.
        """
        answers = np.vstack([self.parse.head, self.head]).astype(np.int64) * len(self.relations)
        answers += np.vstack([self.own_relation, self.relation])
        found = np.empty(answers.shape, np.int64)
        known = np.vstack([np.ones((1, self.parse.n_words), bool), (self.says != ABSENT) & (self.head != ELSEWHERE)])
        for k in range(len(answers)):
            found[k] = k
            for earlier in range(k - 1, -1, -1):
                same = known[k] & known[earlier] & (answers[k] == answers[earlier])
                found[k, same] = earlier
        found[1:][self.says == ABSENT] = -1
        return found


def opinions_on(parse: Corpus, others: Sequence[CorpusSource], names: Sequence[str] | None = None) -> Opinions:
    """What other parses of its text say of the arcs of a parse.

    names: of the others, by default their paths. Words are aligned as in `evaluate`, so tokens and sentences may
    differ. Raises CorpusError as `align` does where the texts are not the same, and where a sentence is no tree.
    """
    read = [as_corpus(other, columns=COLUMNS) for other in others]
    names = tuple(one.path for one in read) if names is None else tuple(names)
    if not read or len(names) != len(read):
        raise OptionError(f"{len(names)} names of {len(read)} other parses; expected one or more, each with a name")
    codes: dict[str, int] = {}
    own, own_head = _relations(parse, codes), parse.tree_head
    shape = len(read), parse.n_words
    head, relation = np.full(shape, ELSEWHERE, np.int32), np.zeros(shape, np.int32)
    says, left_out = np.full(shape, ABSENT, np.int8), []
    for k, other in enumerate(read):
        check_trees(other)
        over = lay_over(other, parse)
        there = np.ones(parse.n_words, bool) if over.kept is None else over.kept
        if not there.any():
            raise CorpusError(f"{other.path} and {parse.path} have no word in common")
        head[k], relation[k] = over.gold.head, _relations(over.gold, codes)
        same = over.gold.head == own_head
        says[k, there] = np.where(same, np.where(relation[k] == own, BOTH, HEAD), NEITHER)[there]
        left_out.append(over.left_out)
    return Opinions(parse, names, says, head, relation, tuple(codes), own, tuple(left_out))


def _relations(corpus: Corpus, codes: dict[str, int]) -> np.ndarray:
    """The universal relation of each word, as a code; new relations are added to `codes`."""
    return relation_codes(corpus.labels["deprel"], False, codes)[corpus.codes["deprel"]]
