"""Split raw text into shards, and parse each into one file of trees; passages that fail are left out and listed."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from treegauge.corpus.conllu import Reader
from treegauge.corpus.files import COMPRESSED, STDIN, open_bytes
from treegauge.parsing.parser import PARAGRAPH, WRAPPED, Parser, ParserSpec


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or a sentence, as bytes, and the number of its first line."""

    line: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Shard:
    """Passages of one file that are parsed together and become one file of trees."""

    name: str  # the name of the file of trees
    path: str
    passages: tuple[Passage, ...]

    @property
    def size(self) -> int:
        """How many bytes of text it has."""
        return sum(len(passage.text) for passage in self.passages)

    @property
    def digest(self) -> str:
        """The SHA-256 of the passages and their lines: it shows whether a file of trees belongs to this text."""
        sha = hashlib.sha256()
        for passage in self.passages:
            sha.update(b"%d\t%s\n" % (passage.line, passage.text))
        return sha.hexdigest()


def read_passages(path: str, kind: str) -> Iterator[Passage]:
    """The passages of a file: the lines that are not blank or, in wrapped text, the blocks between blank lines."""
    first, block = 0, b""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            text = line.strip()
            if number == 1:
                text = text.removeprefix(b"\xef\xbb\xbf")
            if kind != WRAPPED:
                if text:
                    yield Passage(number, text)
            elif text:
                first, block = (first, block + b" " + text) if block else (number, text)
            elif block:
                yield Passage(first, block)
                block = b""
    if block:
        yield Passage(first, block)


def read_shards(paths: Sequence[str], kind: str, size: int) -> Iterator[Shard]:
    """The files in pieces of about `size` bytes of whole passages: `wiki.txt.xz` becomes `wiki-00001.conllu` …"""
    for path, stem in zip(paths, stems(paths), strict=True):
        passages: list[Passage] = []
        n_bytes = number = 0
        for passage in read_passages(path, kind):
            passages.append(passage)
            n_bytes += len(passage.text)
            if n_bytes >= size:
                number += 1
                yield Shard(f"{stem}-{number:05d}.conllu", path, tuple(passages))
                passages, n_bytes = [], 0
        if passages:
            yield Shard(f"{stem}-{number + 1:05d}.conllu", path, tuple(passages))


def stems(paths: Iterable[str]) -> list[str]:
    """A name for each path: the name of the file without endings, and with a number if two are the same."""
    names: list[str] = []
    for path in paths:
        name = "stdin" if path == STDIN else os.path.basename(path)
        for ending in (*COMPRESSED, ".txt"):
            name = name.removesuffix(ending)
        name = re.sub(r"\s", "_", name)
        stem, k = name, 1
        while stem in names:
            k += 1
            stem = f"{name}.{k}"
        names.append(stem)
    return names


_BATCH = 256  # how many passages the parser gets at a time


@dataclass(frozen=True, slots=True)
class Failure:
    """A passage that was left out, and the reason."""

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


_one_at_a_time = Lock()  # a worker of a cluster may have several threads, but parsers do not support them


@lru_cache(maxsize=1)
def _loaded(spec: ParserSpec) -> Parser:
    return spec.load()


def parse_shard(spec: ParserSpec, shard: Shard) -> ParsedShard:
    """The trees of a shard's passages; each process loads the parser once."""
    with _one_at_a_time:
        return parse_passages(_loaded(spec), spec.passage, shard)


def parse_passages(parser: Parser, kind: str, shard: Shard, trees: bool = True) -> ParsedShard:
    """The trees of a shard's passages; `# sent_id` is the shard's stem, the passage's line, the sentence's number.

    trees: whether every word must have a head; a tagger gives none.
    """
    stem = shard.name.removesuffix(".conllu").rpartition("-")[0]
    reader = Reader(("deprel",), "skip", trees=trees)
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
    """The CoNLL-U of each passage, or the exception of the parser."""
    for low in range(0, len(passages), _BATCH):
        batch = passages[low : low + _BATCH]
        try:
            results = parser.parse([_decoded(passage) for passage in batch])
        except Exception:  # some passage is faulty: find out which
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
    """The sentences with `# sent_id = name-1` and so on; of their own comments, only `# text` remains."""
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
