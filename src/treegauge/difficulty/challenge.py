"""Makes challenge sets: chosen sentences as CoNLL-U, and a manifest from which the same bytes can be made again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
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


def sha256(content: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, repr=False)
class ChallengeSet(Tabular):
    """Chosen sentences as CoNLL-U, and the manifest: settings, hashes, and for each sentence why it was chosen."""

    content: bytes = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)

    def __repr__(self) -> str:
        sizes = self.manifest["set"]
        return f"ChallengeSet({sizes['sentences']} sentences, {sizes['words']} words, {self.manifest['signature']})"

    def save(self, path: str | os.PathLike[str], manifest: str | None = None) -> None:
        """Write the set and, under a name of its own or beside it, the manifest."""
        for name, content in ((path, self.content), (manifest or f"{path}.manifest.json", self.manifest_bytes())):
            with write_whole(name) as stream:
                stream.write(content)

    def table(self) -> Table:
        """The sentences: where they are in the source, and how many of their arcs were chosen."""
        rows = tuple((r["sentence"], r["sent_id"], len(r["arcs"])) for r in self.manifest["sentences"])
        columns = column_kinds("sentence count, sent_id text, chosen_arcs count")
        return Table("Chosen sentences", columns, rows, self.manifest["signature"], "sentences")

    def manifest_bytes(self) -> bytes:
        """The manifest as JSON."""
        return (json.dumps(self.manifest, ensure_ascii=False, indent=1) + "\n").encode()


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
    records = _records(scored, options, chosen)
    content = _bytes(corpus, records, mark)
    manifest = {
        "format": FORMAT,
        "treegauge": __version__,
        "signature": scored.signature,
        "settings": options.to_dict(),
        "mark": mark,
        "model": reference and {"signature": reference.signature, "hash": reference.hash, "words": reference.words},
        "source": {
            "name": os.path.basename(corpus.path),
            "sha256": sha256(corpus.text.tobytes()),
            "sentences": corpus.n_sentences,
            "words": corpus.n_words,
        },
        "set": {
            "sha256": sha256(content),
            "sentences": len(records),
            "words": int(np.diff(corpus.start)[chosen.sentences].sum()),
            "chosen_arcs": len(chosen.rows),
            "available_sentences": chosen.available,
        },
        "sentences": records,
    }
    return ChallengeSet(content, manifest)


def _records(scored: Scored, options: ChallengeOptions, chosen: SentenceChoice) -> list[dict[str, Any]]:
    """A record for each chosen sentence: its place, its chosen arcs, and the reasons for them."""
    corpus = scored.corpus
    explains = scored.scorer.explains and not options.easy
    explanations = scored.explain(chosen.rows) if explains else [None] * len(chosen.rows)
    arcs: dict[int, list[dict[str, Any]]] = {int(s): [] for s in chosen.sentences}
    for row, explanation in zip(chosen.rows.tolist(), explanations, strict=True):
        arcs[int(corpus.sentence[row])].append(
            {
                "id": int(corpus.position[row]),
                "head": int(corpus.head[row]),
                "deprel": corpus.value("deprel", row),
                **_place(chosen, row),
                "reasons": explanation.lines() if explanation else [],
            }
        )
    records = []
    for s in chosen.sentences.tolist():
        record: dict[str, Any] = {"sentence": int(corpus.number[s]), "sent_id": corpus.sent_id(s)}
        records.append(record | (_place(chosen, s) if options.unit == Unit.SENTENCE else {}) | {"arcs": arcs[s]})
    return records


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
    part = corpus.select([place[record["sentence"]] for record in records]).own_text()
    marks: list[str | None] = [None] * part.n_words
    for s, record in enumerate(records):
        for arc in record["arcs"]:
            marks[int(part.start[s]) + arc["id"] - 1] = str(arc["bin"])
    return with_misc(part, {mark: marks})


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
    digest = sha256(corpus.text.tobytes())
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
