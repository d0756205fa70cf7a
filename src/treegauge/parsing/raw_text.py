"""Raw text into passages, and passages into shards, each of which becomes one file of trees."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from treegauge.corpus.files import COMPRESSED, STDIN, open_bytes
from treegauge.parsing.parser import WRAPPED


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or a sentence, still undecoded, and the line it starts at."""

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
        """Bytes of text."""
        return sum(len(passage.text) for passage in self.passages)

    @property
    def digest(self) -> str:
        """SHA-256 of passages and lines: it tells whether a file of trees belongs to this text."""
        sha = hashlib.sha256()
        for passage in self.passages:
            sha.update(b"%d\t%s\n" % (passage.line, passage.text))
        return sha.hexdigest()


def read_passages(path: str, kind: str) -> Iterator[Passage]:
    """The passages of a file: its lines that are not blank; for wrapped text, its blocks between blank lines."""
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
        held: list[Passage] = []
        held_bytes = number = 0
        for passage in read_passages(path, kind):
            held.append(passage)
            held_bytes += len(passage.text)
            if held_bytes >= size:
                number += 1
                yield Shard(f"{stem}-{number:05d}.conllu", path, tuple(held))
                held, held_bytes = [], 0
        if held:
            yield Shard(f"{stem}-{number + 1:05d}.conllu", path, tuple(held))


def stems(paths: Iterable[str]) -> list[str]:
    """A name for each path, all different: its own without endings, with a number if two are the same."""
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
