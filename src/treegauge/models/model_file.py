"""Model files: described in docs/models.md, versioned, no pickle, checked to the last byte.

treegauge model 1\\n             what it is, and the version of the format
{…}\\n                          a JSON header: settings, sources, hash, what the body holds
body                           zlib: labels, then keys and counts of each table
weights                        zlib, only if the model has them: of the scorer choice
4 bytes                        CRC-32 of everything before, lowest byte first
"""

import json
import os
import zlib
from dataclasses import asdict
from typing import Any

import numpy as np

from treegauge.arcs.reference import Counts, CountSettings, Reference, Source
from treegauge.corpus.files import open_bytes, write_whole
from treegauge.errors import CorpusError, ModelError
from treegauge.models.model import Model

FORMAT = 1
_MAGIC = b"treegauge model "
_LABELS = ("tags", "relations", "lemmas", "forms")


def model_bytes(model: Model) -> bytes:
    """A model as the content of a file; equal models give equal bytes."""
    reference = model.reference
    labels = {kind: "\n".join(getattr(reference, kind)).encode() for kind in _LABELS}
    header: dict[str, Any] = {
        "settings": asdict(reference.settings),
        "sources": [asdict(source) for source in reference.sources],
        "hash": reference.hash,
        "labels": [[kind, len(getattr(reference, kind)), len(labels[kind])] for kind in _LABELS],
        "tables": [[name, len(table.keys)] for name, table in sorted(reference.tables.items())],
    }
    weights = b""
    if model.weights is not None:
        from treegauge.choice.weights import weights_bytes

        weights = zlib.compress(weights_bytes(model.weights), 6)  # at 9 it takes twenty times as long and saves 2 %
        choice = {"groups": model.weights.groups, "relations": model.weights.relations, "words": model.weights.words}
        header["choice"] = choice | {"size": len(weights), "hash": model.weights.hash}
    body = [labels[kind] for kind in _LABELS]
    for _, table in sorted(reference.tables.items()):
        body += [_planes(np.diff(table.keys, prepend=0)), _planes(table.counts)]
    lines = _MAGIC + b"%d\n" % FORMAT + json.dumps(header, sort_keys=True, ensure_ascii=False).encode() + b"\n"
    content = lines + zlib.compress(b"".join(body), 9) + weights
    return content + _checksum(content)


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all; `-` is standard output."""
    content = model_bytes(model)
    with write_whole(path) as stream:
        stream.write(content)


def read_model(path: str) -> Model:
    """The model in a file."""
    try:
        with open_bytes(path) as stream:
            content = stream.read()
    except CorpusError as error:
        raise ModelError(str(error)) from error
    return parse_model(content, path)


def is_model_file(path: str) -> bool:
    """Whether a file that is there begins as model files do."""
    with open_bytes(path) as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def read_header(content: bytes, path: str) -> tuple[dict[str, Any], int]:
    """The header of a model file and where its body starts."""
    first, _, rest = content.partition(b"\n")
    if not first.startswith(_MAGIC):
        raise ModelError(f"{path}: not a treegauge model (it does not start with {_MAGIC.decode()!r})")
    version = first[len(_MAGIC) :].decode(errors="replace")
    if version != str(FORMAT):
        raise ModelError(f"{path}: model format {version}; this treegauge reads format {FORMAT}")
    if _checksum(content[:-4]) != content[-4:]:
        raise ModelError(f"{path}: truncated or altered: its checksum does not fit")
    line, _, _ = rest.partition(b"\n")
    header: dict[str, Any] = json.loads(line)
    return header, len(first) + len(line) + 2


def parse_model(content: bytes, path: str) -> Model:
    """The model that is the content of a file; `path` is for messages."""
    header, start = read_header(content, path)
    end = len(content) - 4
    choice = None
    if "choice" in header:
        from treegauge.choice.weights import parse_weights

        about = header["choice"]
        end -= about["size"]
        weights = memoryview(zlib.decompress(content[end:-4]))
        choice = parse_weights(weights, about["groups"], about["relations"], about["words"])
        if "hash" in about:
            choice.__dict__["hash"] = about["hash"]  # a cached property, as that of the counts below
    body = memoryview(zlib.decompress(content[start:end]))
    labels: dict[str, tuple[str, ...]] = {}
    at = 0
    for kind, n, size in header["labels"]:
        labels[kind] = tuple(bytes(body[at : at + size]).decode().split("\n")) if n else ()
        at += size
    tables = {}
    for name, n in header["tables"]:
        keys = np.cumsum(_from_planes(body[at : at + 8 * n], n))
        counts = _from_planes(body[at + 8 * n : at + 16 * n], n)
        tables[name] = Counts(keys, counts)
        at += 16 * n
    reference = Reference(
        CountSettings(**header["settings"]),
        **labels,
        tables=tables,
        sources=tuple(Source(**source) for source in header["sources"]),
    )
    reference.__dict__["hash"] = header["hash"]  # the cached property; the checksum vouches for it
    return Model(reference, choice)


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(4, "little")


def _planes(numbers: np.ndarray) -> bytes:
    """64-bit numbers as eight rows of bytes, the lowest bytes first: most rows are all zeros and cost nothing."""
    return numbers.astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes()


def _from_planes(data: memoryview, n: int) -> np.ndarray:
    planes = np.frombuffer(data, dtype=np.uint8).reshape(8, n)
    return np.ascontiguousarray(planes.T).view("<i8").reshape(n).astype(np.int64)
