"""One shard of text into one file of trees; passages that fail are left out and listed with place and reason."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from treegauge.corpus.conllu import Reader
from treegauge.parsing.parser import PARAGRAPH, WRAPPED, Parser, ParserSpec
from treegauge.parsing.raw_text import Passage, Shard

_BATCH = 256  # passages given to the parser at a time


@dataclass(frozen=True, slots=True)
class Failure:
    """A passage that was left out, and why."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class ParsedShard:
    """The trees of a shard."""

    shard: str
    conllu: bytes
    sentences: int
    words: int
    failures: tuple[Failure, ...]


_one_at_a_time = Lock()  # parsers do not support several threads, which a worker of a cluster may have


@lru_cache(maxsize=1)
def _loaded(spec: ParserSpec) -> Parser:
    return spec.load()


def parse_shard(spec: ParserSpec, shard: Shard) -> ParsedShard:
    """The trees of a shard's passages; each process loads the parser once."""
    with _one_at_a_time:
        return parse_passages(_loaded(spec), spec.passage, shard)


def parse_passages(parser: Parser, kind: str, shard: Shard) -> ParsedShard:
    """The trees of a shard's passages; `# sent_id` has the shard's stem, the passage's line, the sentence's number."""
    stem = shard.name.removesuffix(".conllu").rpartition("-")[0]
    reader = Reader(("deprel",), "skip")
    pieces: list[bytes] = []
    failures: list[Failure] = []
    sentences = words = 0
    for passage, result in _parsed_passages(parser, shard.passages):
        if isinstance(result, str):
            piece = _numbered(result, f"{stem}-{passage.line}", kind in (PARAGRAPH, WRAPPED)).encode()
            corpus = reader.parse(piece)
            if corpus.defects:
                result = ValueError(f"the parser's output has a defect: {corpus.defects[0].message}")
            elif not corpus.n_words:
                result = ValueError("the parser found no words")
            else:
                pieces.append(piece)
                sentences += corpus.n_sentences
                words += corpus.n_words
        if isinstance(result, Exception):
            message = " ".join(str(result).split()) or type(result).__name__
            failures.append(Failure(shard.path, passage.line, message))
    return ParsedShard(shard.name, b"".join(pieces), sentences, words, tuple(failures))


def _parsed_passages(parser: Parser, passages: tuple[Passage, ...]) -> Iterator[tuple[Passage, str | Exception]]:
    """CoNLL-U of each passage, or why there is none."""
    for low in range(0, len(passages), _BATCH):
        batch = passages[low : low + _BATCH]
        try:
            results = parser.parse([_decoded(passage) for passage in batch])
        except Exception:  # the fault is in one passage: find out in which
            for passage in batch:
                try:
                    yield passage, parser.parse([_decoded(passage)])[0]
                except Exception as error:
                    yield passage, error
            continue
        yield from zip(batch, results, strict=True)


def _decoded(passage: Passage) -> str:
    """The passage as text, with a space for each run of white space."""
    return " ".join(passage.text.decode().split())


def _numbered(conllu: str, name: str, paragraph: bool) -> str:
    """The sentences with `# sent_id = name-1` … and no other comments than `# text`."""
    lines: list[str] = ["# newpar"] if paragraph else []
    number, inside = 0, False
    for line in conllu.split("\n"):
        if line and not inside:
            number += 1
            lines.append(f"# sent_id = {name}-{number}")
        inside = bool(line)
        if not line.startswith("#") or line.startswith("# text ="):
            lines.append(line)
    return "\n".join(lines).rstrip("\n") + "\n\n" if number else ""
