"""Real corrections replayed: those that fit are made, and those that are refused are refused for a true reason."""

from collections import Counter
from pathlib import Path

import pytest

from tests.upkeep.replay import FEW, commits, correction, words
from treegauge.corpus.conllu import parse_conllu
from treegauge.upkeep.corrections import Correction, Refusal, apply_corrections, read_whole

pytestmark = pytest.mark.data
KINDS = {
    "no such sentence": "sentence",
    "the sentence has": "word",
    "the word is": "word",
    "it is so already": "already",
    "it has head": "annotation",
    "would have head": "head",
    "would be its own ancestor": "circle",
    "root words": "roots",
}
REST = {"annotation": 30, "already": 7, "word": 19, "sentence": 1, "head": 14, "circle": 23, "roots": 25}
TOGETHER = ("head", "circle", "roots")


def kind(reason: str) -> str:
    return next(name for text, name in KINDS.items() if text in reason)


def is_tree(head: list[int], roots: int) -> bool:
    """Whether each word climbs to a root, and there are at most so many."""
    for word in range(1, len(head) + 1):
        for _ in range(len(head)):
            word = head[word - 1] if word else 0
        if word:
            return False
    return head.count(0) <= roots


def true(refused: Refusal, together: list[Correction], sentence: bytes | None) -> bool:
    """Whether the reason holds, by the columns of the sentence as it stands; together: what else fitted there."""
    one, why = refused.correction, kind(refused.reason)
    if sentence is None:
        return why == "sentence"
    found = words(sentence)
    if why == "word":
        return one.id > len(found) or found[one.id - 1][1] != one.form
    has = [found[one.id - 1][k] for k in (6, 7, 3)]
    if why == "annotation":
        return has != [str(one.head), one.deprel, one.upos]
    if why == "already":
        return has == [str(one.arc[0]), one.arc[1], one.new_upos or one.upos]
    if why == "head":
        return any(other.arc[0] > len(found) or other.arc[0] == other.id for other in together)
    head = [int(columns[6]) for columns in found]
    roots = head.count(0)
    for other in together:
        head[other.id - 1] = other.arc[0]
    return why in ("circle", "roots") and not is_tree(head, max(1, roots))


@pytest.mark.parametrize(
    ("most", "made", "refused_for", "deps_kept"),
    [
        (FEW, 4489, {"annotation": 493, "already": 42, "word": 3, "head": 9, "circle": 38, "roots": 25}, 346),
        (10**9, 27292, REST, 1533),
    ],
    ids=["small commits", "all commits"],
)
def test_corrections_of_maintainers_are_made_or_refused_with_reason(
    most: int, made: int, refused_for: dict[str, int], deps_kept: int, evaluation_data: Path
) -> None:
    folder = evaluation_data / "corrections" / "en_ewt_r22"
    corpus = read_whole(str(folder / "treebank.conllu.xz"))
    before = {corpus.sent_id(s): corpus.sentence_text(s) for s in range(corpus.n_sentences)}
    now, done, refused, deps = dict(before), 0, Counter[str](), 0
    for changes in commits(folder, most):
        names = sorted({row["sent_id"] for row in changes} & set(now))
        wanted = [one for row in changes if (one := correction(row, now.get(row["sent_id"])))]
        found = apply_corrections(wanted, parse_conllu(b"".join(now[name] + b"\n\n" for name in names)))
        for one in found.refused:
            name = one.correction.sent_id
            alone = [k.correction for k in found.refused if kind(k.reason) in TOGETHER]
            together = [k for k in (*found.done, *alone) if k.sent_id == name]
            assert true(one, together, now.get(name)), one
            refused[kind(one.reason)] += 1
        now |= dict(zip(names, found.content.split(b"\n\n")[:-1], strict=True))
        done, deps = done + len(found.done), deps + len(found.deps_kept)
        for one in found.done:
            columns = words(now[one.sent_id])[one.id - 1]
            assert (int(columns[6]), columns[7], columns[3]) == (*one.arc, one.new_upos or one.upos)
    for name, text in now.items():
        for old, new in zip(before[name].split(b"\n"), text.split(b"\n"), strict=True):
            if old != new:
                a, b = old.split(b"\t"), new.split(b"\t")
                assert [a[k] for k in (0, 1, 2, 4, 5, 9)] == [b[k] for k in (0, 1, 2, 4, 5, 9)]
    assert (done, dict(refused), deps) == (made, refused_for, deps_kept)
