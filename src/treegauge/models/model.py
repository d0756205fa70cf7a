"""A model: what was counted in a reference corpus and learned from it, and its file."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from treegauge.corpus.files import open_bytes, read_at_most, write_whole, zstd
from treegauge.errors import CorpusError, ModelError, check_type
from treegauge.json_fields import LARGEST, Fields, parse_json
from treegauge.models.array_coding import (
    CODINGS,
    LABELS,
    TYPES,
    ArrayCode,
    decode,
    encode,
    largest_bases,
    most_labels,
    pack,
    unpack,
)
from treegauge.models.lisca.features import PRESETS
from treegauge.models.lisca.reference import (
    CHAINS,
    TRIPLETS,
    Counts,
    CountSettings,
    Reference,
    Source,
    merge_references,
    trait_tables,
)
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.models.choice.weights import ChoiceWeights
    from treegauge.models.columns.weights import ColumnWeights
    from treegauge.models.net.weights import NetWeights


@dataclass(frozen=True)
class Model:
    """Counts, which LISCA and its rivals look up, and weights, by which choice decides; `hash` is of the counts."""

    reference: Reference = field(repr=False)
    weights: ChoiceWeights | None = field(default=None, repr=False)
    columns: tuple[ColumnWeights, ...] = field(default=(), repr=False)  # lemma, XPOS, features, subtype: those it knows
    net: NetWeights | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        weights = "counts and weights" if self.weights else "counts"
        weights += " and a net" * (self.net is not None)
        return f"Model({self.signature}, {counted(self.words, 'word')}, preset {self.settings.preset}, {weights})"

    @property
    def settings(self) -> CountSettings:
        """How the reference was counted."""
        return self.reference.settings

    @property
    def words(self) -> int:
        """Words of the reference."""
        return self.reference.words

    @property
    def sentences(self) -> int:
        """Sentences of the reference."""
        return self.reference.sentences

    @property
    def hash(self) -> str:
        """SHA-256 of settings, labels and counts."""
        return self.reference.hash

    @property
    def signature(self) -> str:
        """The model in a signature: what it was built from, and the start of its hash."""
        return self.reference.signature

    @property
    def name(self) -> str:
        """What the model was built from, as in its signature."""
        return self.signature.partition("@")[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all; `-` is standard output."""

        save_model(self, path)


def merge_models(models: Iterable[Model]) -> Model:
    """The model of all corpora together, whatever the order.

    Counts add up. Weights do not: where all models have them, the mean is taken, each counting as its words. What
    models learned about other columns is left out.
    """
    check_type("models", models, Iterable, "several models")
    models = list(models)
    for model in models:
        check_type("model", model, Model, "a model, as `load_model` returns it")
    learned = [model.weights for model in models if model.weights is not None]
    merged = merge_references(model.reference for model in models)
    if len(learned) < len(models):
        return Model(merged)
    from treegauge.models.choice.weights import merge_weights

    return Model(merged, merge_weights(learned))


FORMAT = 2
_MAGIC = b"treegauge model "
_LONGEST_HEADER = 1 << 26
_LARGEST_STREAM = 1 << 32  # bytes of a model that comes from a pipe or a URL
_LEVEL = 6
# A compressed stream may hold at most _INFLATES times its own bytes and _AND more; else it is stored as it is.
_INFLATES, _AND = 16, 1 << 20
_CODED_AS = {"head": "sparse", "relation": "sparse", "candidate": "bits"}
_TAG = "tag"


def model_bytes(model: Model, level: int = _LEVEL) -> bytes:
    """A model as the content of a file; equal models give equal bytes. level: the level of Zstandard."""
    reference, weights = model.reference, model.weights
    labels = {kind: "\n".join(getattr(reference, kind)).encode() for kind in LABELS}
    codes, data = [], []
    bases = {}
    for name, table in sorted(reference.tables.items()):
        bases[name], gaps = pack(name, table.keys)
        for what, array in (("keys", gaps), ("counts", table.counts)):
            code, content = encode(f"{name} {what}", array, "small")
            codes.append(asdict(code))
            data.append(content)
    counts = _deflated(b"".join([*labels.values(), *data]), level)
    header: dict[str, Any] = {
        "settings": asdict(reference.settings),
        "sources": [asdict(source) for source in reference.sources],
        "hash": reference.hash,
        "labels": {kind: [len(getattr(reference, kind)), len(labels[kind])] for kind in LABELS},
        "bases": bases,
        "arrays": codes,
        "size": len(counts),
    }
    learned = b""
    if weights is not None:
        coded = [encode(name, getattr(weights, name), coding) for name, coding in sorted(_CODED_AS.items())]
        if weights.tags is not None:
            coded.append(encode(_TAG, weights.tags.tag, "sparse"))
        learned = _deflated(b"".join(content for _, content in coded), level)
        about = {"groups": weights.groups, "relations": weights.relations, "words": weights.words, "hash": weights.hash}
        if weights.gold_words:
            about["gold"] = [weights.gold_words, weights.gold_differing]
        if weights.tags is not None:
            about["tags"] = weights.tags.tags
        header["choice"] = about | {"arrays": [asdict(code) for code, _ in coded], "size": len(learned)}
    columns = b""
    if model.columns:
        header["columns"], columns = columns_section(model.columns, level)
    of_net = b""
    if model.net is not None:
        about_net, content_of_net = net_content(model.net)
        of_net = _deflated(content_of_net, level)
        header["net"] = about_net | {"size": len(of_net)}
    line = json.dumps(header, sort_keys=True, ensure_ascii=False).encode()
    if len(line) >= _LONGEST_HEADER:
        raise ModelError(f"{len(reference.sources)} sources; their names do not fit into the header of a model file")
    content = _MAGIC + b"%d\n" % FORMAT + line + b"\n" + counts + learned + columns + of_net
    return content + _checksum(content)


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all; `-` is standard output."""
    content = model_bytes(model)
    with write_whole(path) as stream:
        stream.write(content)


def read_model(path: str) -> Model:
    """The model in a file."""
    local = os.path.isfile(path)
    try:
        content = read_at_most(path, _INFLATES * os.path.getsize(path) + 4 * _AND if local else _LARGEST_STREAM)
    except CorpusError as error:
        raise ModelError(str(error)) from error
    return parse_model(content, path)


def is_model_file(path: str) -> bool:
    """Whether a file that is there begins as model files do."""
    with open_bytes(path) as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def read_header(content: bytes, path: str) -> tuple[Fields, int]:
    """The header of a model file and where its body starts."""
    end = content.find(b"\n", 0, 80)
    first = content[: max(end, 0)]
    if not content.startswith(_MAGIC) or end < 0:
        raise ModelError(f"{path}: not a treegauge model (it does not start with {_MAGIC.decode()!r} and a number)")
    version = first[len(_MAGIC) :].decode(errors="replace")
    if version != str(FORMAT):
        older = version.isascii() and version.isdigit() and int(version) < FORMAT
        mend = "build it again: `treegauge model build`" if older else "get a newer treegauge"
        raise ModelError(f"{path}: model format {version!r}; this treegauge reads format {FORMAT}; {mend}")
    if _checksum(memoryview(content)[:-4]) != content[-4:]:
        raise ModelError(f"{path}: truncated or altered: its checksum does not fit")
    start, end = end + 1, content.find(b"\n", end + 1, end + 1 + _LONGEST_HEADER)
    if end < 0:
        raise ModelError(f"{path}: its header does not end")
    return Fields(parse_json(content[start:end], path, ModelError, "a header in JSON"), path, ModelError), end + 1


def parse_model(content: bytes, path: str) -> Model:
    """The model that is the content of a file; `path` is for messages."""
    header, start = read_header(content, path)
    parts = [header.object(name) if name in header else None for name in ("choice", "columns", "net")]
    sizes = [part.whole("size") if part else 0 for part in (header, *parts)]
    if start + sum(sizes) + 4 != len(content):
        raise ModelError(f"{path}: {len(content)} bytes; its header says {start + sum(sizes) + 4}")
    body = memoryview(content)[start:-4]
    ends = list(accumulate(sizes))
    streams = [body[end - size : end] for size, end in zip(sizes, ends, strict=True)]
    try:
        reference = _reference(header, streams[0])
        weights = _weights(parts[0], streams[1]) if parts[0] else None
        columns = _columns(parts[1], streams[2]) if parts[1] else ()
        net = _net(parts[2], streams[3]) if parts[2] else None
    except ModelError as error:
        message = str(error)
        raise ModelError(message if message.startswith(path) else f"{path}: {message}") from error
    header.end()
    return Model(reference, weights, columns, net)


def _reference(header: Fields, packed: memoryview) -> Reference:
    settings, sources = _settings(header.object("settings")), tuple(sorted(map(_source, header.objects("sources"))))
    digest = _digest(header)
    kinds = header.object("labels")
    sizes = {kind: _label_sizes(kinds, kind) for kind in LABELS}
    kinds.end()
    two, traits = trait_tables(PRESETS[settings.preset]), len(PRESETS[settings.preset].traits)
    names = sorted([*two, CHAINS, *([TRIPLETS] if settings.forms else [])])
    numbers = {kind: n for kind, (n, _) in sizes.items()}
    most = {name: largest_bases(name, traits, numbers) for name in names}
    bases = _bases(header.object("bases"), most)
    codes = _codes(header, [f"{name} {what}" for name in names for what in ("keys", "counts")])
    for code in codes:
        if (code.dtype, len(code.shape), code.coding) != ("int64", 1, "small"):
            raise ModelError(f"{code.name}: {code.dtype} as {code.coding}; expected a row of int64 as small")
    pieces = _pieces(packed, [size for _, size in sizes.values()] + [code.size for code in codes])
    labels = {kind: _labels(kind, n, next(pieces)) for kind, (n, _) in sizes.items()}
    arrays = [decode(code, next(pieces)) for code in codes]
    words = sum(source.words for source in sources)
    tables = {}
    for name, gaps, counts in zip(names, arrays[::2], arrays[1::2], strict=True):
        expected = words * traits if name in two else words
        right = len(gaps) == len(counts) and counts.min(initial=1) > 0 and counts.sum(dtype=float) == expected
        if not right or expected > LARGEST or (words and 0 in most[name]):
            raise ModelError(f"the counts of the table {name} are not those of {words} words")
        tables[name] = Counts(unpack(name, bases[name], gaps), counts)
    reference = Reference(settings, **labels, tables=tables, sources=sources)
    reference.__dict__["hash"] = digest  # a cached property
    return reference


def _settings(given: Fields) -> CountSettings:
    preset, pos = given.one_of("preset", tuple(PRESETS)), given.one_of("pos", ("upos", "xpos"))
    settings = CountSettings(preset, pos, given.flag("subtypes"), given.flag("forms"))
    given.end()
    return settings


def _bases(given: Fields, most: dict[str, list[int]]) -> dict[str, tuple[int, ...]]:
    """The bases of the keys of each table, none larger than its labels allow."""
    bases_of = {name: given.wholes(name, 5) for name in most}
    given.end()
    for name, bases in bases_of.items():
        fits = len(bases) == len(most[name])
        if not fits or not all(1 <= base <= max(largest, 1) for base, largest in zip(bases, most[name], strict=True)):
            raise ModelError(f"bases {list(bases)} of the table {name}; expected 1 to {most[name]}")
    return bases_of


def _source(given: Fields) -> Source:
    # a part that was subtracted has numbers below 0
    source = Source(given.text("name"), *(given.whole(name, -LARGEST) for name in ("sentences", "words")))
    given.end()
    return source


def _digest(given: Fields) -> str:
    digest = given.text("hash")
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise ModelError(f"hash {digest[:80]!r}; expected 64 hexadecimal digits")
    return digest


def _label_sizes(given: Fields, kind: str) -> tuple[int, int]:
    """How many labels of a kind there are, and their bytes."""
    sizes = given.wholes(kind, 2)
    if len(sizes) != 2 or sizes[0] > most_labels(kind) or (sizes[0] == 0 and sizes[1]):
        raise ModelError(f"{kind} {list(sizes)}; expected their number, at most {most_labels(kind)}, and their bytes")
    return sizes[0], sizes[1]


def _labels(kind: str, n: int, data: memoryview) -> tuple[str, ...]:
    if n == 0:
        return ()
    content = bytes(data)
    n_lines = content.count(b"\n") + 1
    if n_lines != n:
        raise ModelError(f"{n_lines} {kind}; its header says {n}")
    try:
        labels = tuple(content.decode().split("\n"))
    except UnicodeDecodeError as error:
        raise ModelError(f"{kind}: {error}") from error
    if not all(label < following for label, following in pairwise(labels)):
        raise ModelError(f"the {kind} are not sorted")
    return labels


def _weights(given: Fields, packed: memoryview) -> ChoiceWeights:
    from treegauge.models.choice.tags import TagWeights, check_tags, tag_shape
    from treegauge.models.choice.weights import ChoiceWeights, check_relations, weight_shapes
    from treegauge.models.choice.words import ALL

    digest, groups, words = _digest(given), given.whole("groups", 0, ALL), given.whole("words")
    relations, tags = given.texts("relations"), given.texts("tags") if "tags" in given else None
    gold = _gold(given, words) if "gold" in given else (0, 0)
    check_relations(relations)
    shapes = weight_shapes(len(relations))
    if tags is not None:
        check_tags(tags)
        shapes[_TAG] = tag_shape(len(tags))  # the last of the names, sorted
    codes = _codes(given, sorted(shapes))
    given.end()
    for code in codes:
        if (code.dtype, code.shape) != shapes[code.name]:
            raise ModelError(f"{code.name}: {code.dtype} of {code.shape}; expected {shapes[code.name]}")
    pieces = _pieces(packed, [code.size for code in codes])
    arrays = {code.name: decode(code, next(pieces)) for code in codes}
    of_tags = TagWeights(tags, arrays.pop(_TAG)) if tags is not None else None
    weights = ChoiceWeights(
        groups, relations, words, **arrays, tags=of_tags, gold_words=gold[0], gold_differing=gold[1]
    )
    weights.__dict__["hash"] = digest  # a cached property
    return weights


def columns_section(columns: Sequence[ColumnWeights], level: int) -> tuple[dict[str, Any], bytes]:
    """What the header says of the other columns, and their stream: classes, weights and lemmas of each."""
    from treegauge.models.columns.weights import classes_text

    about, contents = [], []
    for weights in columns:
        classes = classes_text(weights.classes).encode()
        weight, packed = encode("weight", weights.weight, "sparse")
        lemmas, bits = encode("lemmas", weights.lemmas, "bits")
        contents += [classes, packed, bits]
        sizes = {"classes": len(classes), "weight": weight.size, "lemmas": lemmas.size}
        about.append({"name": weights.column, "words": weights.words, "hash": weights.hash, **sizes})
    stream = _deflated(b"".join(contents), level)
    return {"parts": about, "size": len(stream)}, stream


def _columns(given: Fields, packed: memoryview) -> tuple[ColumnWeights, ...]:
    from treegauge.models.columns.weights import BITS, ColumnWeights, check_columns, lemma_shape, parse_classes

    heads = []
    for part in given.objects("parts"):
        name, words, digest = part.text("name"), part.whole("words"), _digest(part)
        heads.append((name, words, digest, [part.whole(size) for size in ("classes", "weight", "lemmas")]))
        part.end()
    given.end()
    check_columns([name for name, *_ in heads])
    pieces = _pieces(packed, [size for *_, sizes in heads for size in sizes])
    found = []
    for name, words, digest, sizes in heads:
        try:
            classes = parse_classes(bytes(next(pieces)).decode())
        except UnicodeDecodeError as error:
            raise ModelError(f"{name}: {error}") from error
        weight = decode(ArrayCode(f"{name} weight", "int8", (1 << BITS,), "sparse", sizes[1]), next(pieces))
        lemmas = decode(ArrayCode(f"{name} lemmas", "bool", lemma_shape(name), "bits", sizes[2]), next(pieces))
        weights = ColumnWeights(name, words, classes, weight, lemmas)
        weights.__dict__["hash"] = digest  # a cached property
        found.append(weights)
    return tuple(found)


def net_content(net: NetWeights) -> tuple[dict[str, Any], bytes]:
    """What the header says of a net, and the content of its stream."""
    arrays = {**net.whole, **{f"scale of {name}": scale for name, scale in net.scale.items()}}
    coded = [encode(name, array, "plain") for name, array in sorted(arrays.items())]
    about: dict[str, Any] = {"sizes": asdict(net.sizes), "relations": net.relations, "tags": net.tags}
    about |= {"words": net.words, "hash": net.hash, "arrays": [asdict(code) for code, _ in coded]}
    about |= {"encoder": net.encoder} if net.encoder[0] else {}
    about["first_choice"] = net.first_choice
    return about, b"".join(content for _, content in coded)


_NET_MAGIC = b"treegauge net "


def net_bytes(net: NetWeights) -> bytes:
    """A net as the content of a file of its own."""
    about, content = net_content(net)
    packed = _deflated(content, 1)
    whole = _NET_MAGIC + json.dumps(about, ensure_ascii=False).encode() + b"\n" + packed
    return whole + _checksum(whole)


def parse_net(content: bytes, path: str) -> NetWeights:
    """The net that is the content of a file; `path` is for messages."""
    end = content.find(b"\n", 0, _LONGEST_HEADER)
    if not content.startswith(_NET_MAGIC) or end < 0 or _checksum(memoryview(content)[:-4]) != content[-4:]:
        raise ModelError(f"{path}: not a net, or truncated or altered")
    about = parse_json(content[len(_NET_MAGIC) : end], path, ModelError, "a header in JSON")
    return _net(Fields(about, path, ModelError), memoryview(content)[end + 1 : -4])


def _net(given: Fields, packed: memoryview) -> NetWeights:
    from treegauge.models.net.weights import NetSizes, NetWeights, check_net, check_numbers, net_shapes

    digest, words = _digest(given), given.whole("words")
    relations, tags = given.texts("relations"), given.texts("tags")
    of_encoder = given.texts("encoder") if "encoder" in given else ("", "")
    first_choice = given.number("first_choice", 0.0, 1.0) if "first_choice" in given else 0.0
    sizes_given = given.object("sizes")
    sizes = NetSizes(**{part.name: sizes_given.whole(part.name) for part in fields(NetSizes)})
    sizes_given.end()
    check_net(sizes, relations, tags)
    if len(of_encoder) != 2 or bool(of_encoder[0]) != bool(sizes.encoder):
        raise ModelError(f"encoder {list(of_encoder)}; expected its name and revision, and vectors of it")
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, shape in net_shapes(sizes, len(relations), len(tags)).items():
        shapes[name] = ("int8" if len(shape) == 2 else "int16", shape)
        shapes |= {f"scale of {name}": ("int16", shape[:1])} if len(shape) == 2 else {}
    codes = _codes(given, sorted(shapes))
    given.end()
    for code in codes:
        if (code.dtype, code.shape, code.coding) != (*shapes[code.name], "plain"):
            raise ModelError(f"net: {code.name}: {code.dtype} of {code.shape}; expected {shapes[code.name]}")
    pieces = _pieces(packed, [code.size for code in codes])
    arrays = {code.name: decode(code, next(pieces)) for code in codes}
    scale = {name: arrays.pop(f"scale of {name}") for name in list(arrays) if f"scale of {name}" in arrays}
    net = NetWeights(sizes, relations, tags, words, arrays, scale, (of_encoder[0], of_encoder[1]), first_choice)
    check_numbers(net)
    net.__dict__["hash"] = digest  # a cached property
    return net


def _gold(given: Fields, words: int) -> tuple[int, int]:
    """How many of the words are gold, and how many of their tags and relations differ from the parsed text."""
    numbers = given.wholes("gold", 2)
    if len(numbers) != 2 or not 0 < numbers[0] <= words or numbers[1] > 2 * numbers[0]:
        raise ModelError(f"gold {list(numbers)}; expected 1 to {words} words, and how many tags and relations differ")
    return numbers[0], numbers[1]


def _codes(given: Fields, names: Sequence[str]) -> list[ArrayCode]:
    """How the arrays are coded; they must have these names, in this order."""
    codes = []
    for array in given.objects("arrays", len(names)):
        parts = array.one_of("name", names), array.one_of("dtype", TYPES), array.wholes("shape", 2)
        codes.append(ArrayCode(*parts, array.one_of("coding", tuple(CODINGS)), array.whole("size")))
        array.end()
    if [code.name for code in codes] != list(names):
        raise ModelError(f"arrays {', '.join(code.name for code in codes)[:80]}; expected {', '.join(names)}")
    return codes


def _deflated(content: bytes, level: int) -> bytes:
    packed: bytes = zstd().compress(content, level)
    return packed if len(content) <= _INFLATES * len(packed) + _AND else b"\0" + content


def _pieces(packed: memoryview, sizes: Sequence[int]) -> Iterator[memoryview]:
    """The content of a stream in pieces of these sizes; together they must be all of it."""
    wanted = sum(sizes)
    if bytes(packed[:1]) == b"\0":  # stored as it is
        content = packed[1:]
    else:
        if wanted > _INFLATES * len(packed) + _AND:
            raise ModelError(f"{len(packed)} bytes; {wanted} cannot be in them")
        content = memoryview(_inflated(packed, wanted))
    if len(content) != wanted:
        raise ModelError(f"{len(content)} bytes of content; its header says {wanted}")
    at = 0
    for size in sizes:
        yield content[at : at + size]
        at += size


def _inflated(packed: memoryview, wanted: int) -> bytes:
    """The content of a stream: never more than a byte beyond what is wanted."""
    stream = zstd().ZstdDecompressor()
    try:
        content: bytes = stream.decompress(packed, max_length=wanted + 1)
    except zstd().ZstdError as error:
        raise ModelError(f"damaged: {error}") from error
    if not stream.eof or stream.unused_data:
        raise ModelError("its content does not end where its header says")
    return content


def _checksum(content: bytes | memoryview) -> bytes:
    return zlib.crc32(content).to_bytes(4, "little")
