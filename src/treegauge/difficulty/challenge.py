"""Makes challenge sets: chosen sentences as CoNLL-U, and a manifest from which the same bytes can be made again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, islice
from typing import Any

import numpy as np

from treegauge.corpus.conllu import CorpusSource
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import write_whole
from treegauge.corpus.writing import with_misc
from treegauge.difficulty.challenge_choice import ChallengeOptions, SentenceChoice, choose
from treegauge.errors import CorpusError, OptionError
from treegauge.json_fields import Fields, parse_json
from treegauge.models.model import Model
from treegauge.ranking.scored import Scored, score
from treegauge.ranking.units import Unit
from treegauge.scorers.registry import as_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.tables import Table, Tabular, column_kinds, finite
from treegauge.version import __version__
from treegauge.wording import counted

FORMAT = "treegauge challenge set 1"
_AT_A_TIME = 1 << 12  # arcs that are explained together


def sha256(content: bytes | memoryview) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, repr=False)
class ChallengeSet(Tabular):
    """Chosen sentences as CoNLL-U, and the manifest: settings, hashes, and for each sentence why it was chosen."""

    content: bytes = field(repr=False)
    summary: dict[str, Any] = field(repr=False)  # the manifest without its sentences
    records: Callable[[], Iterator[dict[str, Any]]] = field(repr=False)  # makes the sentences of the manifest

    def __repr__(self) -> str:
        sizes = self.summary["set"]
        return f"ChallengeSet({sizes['sentences']} sentences, {sizes['words']} words, {self.summary['signature']})"

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest, complete; `save_manifest` writes that of a large set in less memory."""
        return self.summary | {"sentences": list(self.records())}

    def save(self, path: str | os.PathLike[str], manifest: str | None = None) -> None:
        """Write the set and, under a name of its own or beside it, the manifest."""
        with write_whole(path) as stream:
            stream.write(self.content)
        self.save_manifest(manifest or f"{path}.manifest.json")

    def save_manifest(self, path: str | os.PathLike[str]) -> None:
        """Write the manifest as JSON."""
        with write_whole(path) as stream:
            stream.writelines(self._manifest_parts())

    def _manifest_parts(self) -> Iterator[bytes]:
        """The manifest as JSON, a sentence at a time."""
        yield (
            _json(self.summary).removesuffix("\n}").encode(errors="backslashreplace")
        )  # a file's name need not be UTF-8
        mark = ',\n "sentences": [\n  '
        for record in self.records():
            yield (mark + _json(record).replace("\n", "\n  ")).encode(errors="backslashreplace")
            mark = ",\n  "
        yield b"\n ]\n}\n"  # a set has at least one sentence

    def manifest_bytes(self) -> bytes:
        """The manifest as JSON."""
        return b"".join(self._manifest_parts())

    def table(self) -> Table:
        """The sentences: where they are in the source, and how many of their arcs were chosen."""
        rows = tuple((r["sentence"], r["sent_id"], len(r["arcs"])) for r in self.manifest["sentences"])
        columns = column_kinds("sentence count, sent_id text, chosen_arcs count")
        return Table("Chosen sentences", columns, rows, self.manifest["signature"], "sentences")


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1)


def challenge(
    source: CorpusSource,
    by: Scorer | Model | str | os.PathLike[str],
    options: ChallengeOptions | None = None,
    *,
    mark: str = "Challenge",
) -> ChallengeSet:
    """Sentences of a corpus, gold or parsed, that hold hard arcs, are hard, or are easy, by a scorer or LISCA.

    The set is the chosen sentences in corpus order, byte for byte, but for `mark`=BIN in MISC of the chosen arcs. The
    manifest holds no time and no path but the source's name: the same input gives the same bytes.
    """
    _check_mark(mark)
    options = options or ChallengeOptions()
    scored = score(source, as_scorer(by))
    corpus, reference = scored.corpus, scored.scorer.reference
    chosen = choose(scored, options)
    bins: list[str | None] = [None] * corpus.n_words
    for row in chosen.rows.tolist():
        bins[row] = str(chosen.bin[row])
    content = _marked(corpus, chosen.sentences, bins, mark)
    summary = {
        "format": FORMAT,
        "treegauge": __version__,
        "signature": scored.signature,
        "settings": options.to_dict(),
        "mark": mark,
        "model": reference and {"signature": reference.signature, "hash": reference.hash, "words": reference.words},
        "source": {
            "name": os.path.basename(corpus.path),
            "sha256": sha256(corpus.text.data),
            "sentences": corpus.n_sentences,
            "words": corpus.n_words,
        },
        "set": {
            "sha256": sha256(content),
            "sentences": len(chosen.sentences),
            "words": int(np.diff(corpus.start)[chosen.sentences].sum()),
            "chosen_arcs": len(chosen.rows),
            "available_sentences": chosen.available,
        },
    }
    return ChallengeSet(content, summary, lambda: _records(scored, options, chosen))


def _records(scored: Scored, options: ChallengeOptions, chosen: SentenceChoice) -> Iterator[dict[str, Any]]:
    """A record for each chosen sentence: its place, its chosen arcs, and the reasons for them."""
    corpus = scored.corpus
    explains = scored.scorer.explains and not options.easy
    arcs = zip(chosen.rows.tolist(), _reasons(scored, chosen.rows, explains), strict=True)
    sizes = np.diff(np.searchsorted(corpus.sentence[chosen.rows], [*chosen.sentences, corpus.n_sentences]))
    for s, size in zip(chosen.sentences.tolist(), sizes.tolist(), strict=True):
        record: dict[str, Any] = {"sentence": int(corpus.number[s]), "sent_id": corpus.sent_id(s)}
        record |= _place(chosen, s) if options.unit == Unit.SENTENCE else {}
        yield record | {"arcs": [_arc(corpus, chosen, *arc) for arc in islice(arcs, size)]}


def _arc(corpus: Corpus, chosen: SentenceChoice, row: int, reasons: list[str]) -> dict[str, Any]:
    """A chosen arc and the reasons for it, as a manifest has them."""
    place = {"id": int(corpus.position[row]), "head": int(corpus.head[row]), "deprel": corpus.value("deprel", row)}
    return {**place, **_place(chosen, row), "reasons": reasons}


def _reasons(scored: Scored, rows: np.ndarray, explains: bool) -> Iterator[list[str]]:
    """The lines of the explanation of each arc, or none; only the lines stay in memory."""
    for low in range(0, len(rows), _AT_A_TIME):
        some = rows[low : low + _AT_A_TIME]
        yield from (one.lines() for one in scored.explain(some)) if explains else ([] for _ in some)


def _place(chosen: SentenceChoice, k: int) -> dict[str, Any]:
    """The score, rank and bin of an arc, or of a sentence."""
    return {
        "log_score": finite(float(chosen.score[k])),
        "rank": int(chosen.rank[k]),
        "of": chosen.ranked,
        "bin": int(chosen.bin[k]),
    }


def _bytes(corpus: Corpus, records: Sequence[dict[str, Any]], mark: str) -> bytes:
    """The sentences of some records as CoNLL-U, with marks on their arcs."""
    place = {int(number): s for s, number in enumerate(corpus.number.tolist())}
    sentences = [place[record["sentence"]] for record in records]
    bins: list[str | None] = [None] * corpus.n_words
    for s, record in zip(sentences, records, strict=True):
        for arc in record["arcs"]:
            bins[int(corpus.start[s]) + arc["id"] - 1] = str(arc["bin"])
    return _marked(corpus, sentences, bins, mark)


def _marked(corpus: Corpus, sentences: Sequence[int] | np.ndarray, bins: list[str | None], mark: str) -> bytes:
    """Some sentences as CoNLL-U; words that have a bin are marked with it."""
    chosen = np.isin(np.arange(corpus.n_sentences), sentences)
    marks = list(compress(bins, chosen[corpus.sentence].tolist()))
    return with_misc(corpus.select(chosen).own_text(), {mark: marks})


def read_manifest(path: str) -> dict[str, Any]:
    """The manifest in a file that `challenge` wrote, checked."""
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror}") from error
    manifest = parse_json(content, path, OptionError, "a manifest")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise OptionError(f"{path}: no manifest of a challenge set; expected format {FORMAT!r}")
    return _checked(Fields(manifest, path, OptionError))


def _checked(manifest: Fields) -> dict[str, Any]:
    """The parts of a manifest that a set is made from, checked for their kinds."""
    source, challenge_set = manifest.object("source"), manifest.object("set")
    mark = manifest.text("mark")
    _check_mark(mark)
    sentences = []
    for record in manifest.objects("sentences"):
        arcs = [{"id": arc.whole("id", 1), "bin": arc.whole("bin")} for arc in record.objects("arcs")]
        sentences.append({"sentence": record.whole("sentence", 1), "arcs": arcs})
    origin = {"name": source.text("name"), "sha256": source.text("sha256"), "sentences": source.whole("sentences")}
    return {"source": origin, "set": {"sha256": challenge_set.text("sha256")}, "mark": mark, "sentences": sentences}


def _check_mark(mark: str) -> None:
    if not mark or any(c in mark for c in "|=\t \n"):
        raise OptionError(f"mark {mark!r}; expected a name for MISC")


def rebuild(corpus: Corpus, manifest: dict[str, Any]) -> bytes:
    """The set of a manifest, made again from the same source, without a model; an error if the bytes differ."""
    digest = sha256(corpus.text.data)
    source = manifest["source"]
    if digest != source["sha256"]:
        raise CorpusError(
            f"{corpus.path}: SHA-256 {digest[:12]}…; the manifest's source, {source['name']}, "
            f"has {source['sha256'][:12]}…"
        )
    try:
        content = _bytes(corpus, manifest["sentences"], manifest["mark"])
    except (KeyError, IndexError) as error:
        raise OptionError(f"the manifest was changed: there is no sentence or word {error}") from error
    if sha256(content) != manifest["set"]["sha256"]:
        raise CorpusError("the set is not that of the manifest: was the manifest changed?")
    return content


def same_sentences(corpus: Corpus, manifest: dict[str, Any]) -> bytes:
    """The sentences of a manifest from another annotation of its source, a parser's output say; no arc is marked."""
    source = manifest["source"]
    if corpus.n_sentences != source["sentences"]:
        raise CorpusError(
            f"{corpus.path}: {counted(corpus.n_sentences, 'sentence')}; the manifest's source has {source['sentences']}"
        )
    try:
        return _bytes(corpus, [{**record, "arcs": []} for record in manifest["sentences"]], manifest["mark"])
    except KeyError as error:
        raise OptionError(f"the manifest was changed: there is no sentence {error}") from error
