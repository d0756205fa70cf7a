"""Models and calibrations whose checksum is right and whose content is not: refused in our words, or harmless."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.altered import altered_bytes, altered_json
from tests.trees import interpreted
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import zstd
from treegauge.errors import ModelError, TreegaugeError
from treegauge.models.array_coding import ArrayCode, decode, encode
from treegauge.models.bundled_models import load_model
from treegauge.models.choice.learning import learn_choice
from treegauge.models.lisca.counts import count_arcs
from treegauge.models.lisca.reference import CountSettings
from treegauge.models.model import Model, merge_models, model_bytes, parse_model
from treegauge.models.sparse_kernel import fill
from treegauge.scorers.calibration import Calibration, calibration_bytes, parse_calibration
from treegauge.scorers.registry import ScorerFactory, scorers, usable

TEXT = """1\tthe\tthe\tDET\tD\t_\t2\tdet\t_\t_
2\tcats\tcat\tNOUN\tN\tNumber=Plur\t3\tnsubj\t_\t_
3\tsleep\tsleep\tVERB\tV\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\tP\t_\t3\tpunct\t_\t_

1\tgo\tgo\tVERB\tV\t_\t0\troot\t_\t_
2\tup\tup\tADV\tR\t_\t1\tadvmod:dir\t_\t_

"""
OTHER = (
    TEXT
    + "1\tdogs\tdog\tX\tX\t_\t3\tnew\t_\t_\n2\tgo\tgo\tVERB\tV\t_\t3\tdet\t_\t_\n3\t.\t.\tX\tX\t_\t0\troot\t_\t_\n\n"
)


def split(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and body of a model file."""
    _, header, body = content[:-4].split(b"\n", 2)
    return json.loads(header), body


def joined(header: Any, body: bytes) -> bytes:
    """A model file whose checksum is right."""
    return signed(b"treegauge model 2\n" + json.dumps(header).encode() + b"\n" + body)


def signed(content: bytes) -> bytes:
    """The content with its checksum."""
    return content + zlib.crc32(content).to_bytes(4, "little")


def use(model: Model, corpus: Corpus, weights: bool) -> None:
    """All that is done with a model."""
    names = usable(("lisca", "ptr", "ltr", "lptr", *(["choice"] if weights else [])), model)
    for by in scorers(names, model):
        assert len(by.scores(corpus)) == corpus.n_words
        if by.explains:
            by.explain(corpus, np.arange(corpus.n_words))
        by.fit(corpus)
    if not weights:
        assert merge_models([model, model]).words == 2 * model.words


def refused_or_used(content: bytes, corpus: Corpus, weights: bool) -> bool:
    """Whether a file is refused; if it is not, it is used for everything."""
    try:
        model = parse_model(content, "x.tgm")
        use(model, corpus, weights)
    except TreegaugeError as error:
        return is_one_line(error, "")
    return False


def is_one_line(error: Exception, start: str) -> bool:
    assert str(error).startswith(start)
    assert "\n" not in str(error)
    assert len(str(error)) < 400
    return True


def altered(content: bytes, random: Random) -> bytes:
    header, body = split(content)
    how = random.randrange(4)
    if how < 2:
        return joined(altered_json(header, random), body)
    size = header["size"]
    if how == 2:
        body = altered_bytes(body, random)
        header["size"] = len(body) - (len(body) and header.get("choice", {}).get("size", 0))
        return joined(header, body)
    inside = altered_bytes(zstd().decompress(body[:size]), random)
    packed = zstd().compress(inside)
    header["size"] = len(packed)
    return joined(header, packed + body[size:])


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return parse_conllu(OTHER)


@pytest.mark.parametrize("chosen", [CountSettings(), CountSettings("2013", "xpos", True, True)], ids=str)
def test_an_altered_model_is_refused_or_harmless(chosen: CountSettings, corpus: Corpus) -> None:
    content = model_bytes(Model(count_arcs(parse_conllu(TEXT), chosen, "t")))
    assert not refused_or_used(content, corpus, False)
    random = Random(14)
    refused = sum(refused_or_used(altered(content, random), corpus, False) for _ in range(1500))
    assert 1000 < refused < 1500  # some alterations change nothing that matters: a name, a count and its source


def test_altered_weights_are_refused_or_harmless(corpus: Corpus) -> None:
    known = parse_conllu(TEXT)
    content = model_bytes(Model(count_arcs(known, name="t"), learn_choice([known])))
    assert not refused_or_used(content, corpus, True)
    random = Random(15)
    header, body = split(content)
    size = header["size"]
    inside = zstd().decompress(body[size:])
    refused = 0
    for k in range(300):
        changed = {**header, "choice": altered_json(header["choice"], random)}
        weights = body[size:]
        if k % 5 == 0:  # weights of any value
            raw = bytearray(inside)
            start = random.randrange(len(raw))
            raw[start : start + 64] = random.randbytes(len(raw[start : start + 64]))
            weights = zstd().compress(bytes(raw))
            changed = {**header, "choice": {**header["choice"], "size": len(weights)}}
        refused += refused_or_used(joined(changed, body[:size] + weights), corpus, True)
    assert refused > 200


Change = Callable[[dict[str, Any]], None]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h["choice"].update(gold=[0, 0]), r"gold \[0, 0\]; expected 1 to 6 words"),
        (lambda h: h["choice"].update(gold=[14, 0]), r"gold \[14, 0\]; expected 1 to 6 words"),
        (lambda h: h["choice"].update(gold=[1]), r"gold \[1\]; expected 1 to 6 words"),
        (lambda h: h["choice"].update(relations=[]), "0 relations to choose from; expected 1 to 512"),
        (lambda h: h["choice"].update(relations=[f"r{k}" for k in range(100_000)]), "100000 relations to choose from"),
        (lambda h: h["arrays"][0].update(size=1 << 33), "8589934.* cannot be in them"),
        (lambda h: h["labels"].update(tags=[5000, 10]), r"tags \[5000, 10\]; expected their number, at most 4092"),
        (lambda h: h.update(sources=[{"name": "t", "sentences": 2, "words": 7}]), "are not those of 7 words"),
        (lambda h: h["bases"].update(chains=[9, 9, 9, 9, 9]), "bases .* of the table chains; expected 1 to"),
        (lambda h: h.update(size=0), "its header says"),
        (lambda h: h.update(hash="x"), "hash 'x'; expected 64 hexadecimal digits"),
        (lambda h: h["settings"].update(preset="2011"), "preset '2011'; expected one of 2020, 2013"),
        (lambda h: h.pop("bases"), "bases is missing"),
    ],
)
def test_what_is_wrong_in_a_header_is_named(change: Change, message: str) -> None:
    known = parse_conllu(TEXT)
    header, body = split(model_bytes(Model(count_arcs(known, name="t"), learn_choice([known]))))
    change(header)
    with pytest.raises(ModelError, match=rf"^x\.tgm: .*{message}"):
        parse_model(joined(header, body), "x.tgm")


def test_a_stream_is_not_inflated_beyond_what_its_header_says() -> None:
    header, _ = split(model_bytes(Model(count_arcs(parse_conllu(TEXT), name="t"))))
    bomb = zstd().compress(bytes(1 << 28))
    header["size"] = len(bomb)
    with pytest.raises(ModelError, match="does not end where its header says"):
        parse_model(joined(header, bomb), "x.tgm")


def test_deep_headers_are_refused() -> None:
    with pytest.raises(ModelError, match="nested too deeply"):
        parse_model(
            (lambda c: c + zlib.crc32(c).to_bytes(4, "little"))(b"treegauge model 2\n" + b"[" * 200_000 + b"\n"),
            "x.tgm",
        )


def test_what_compresses_too_well_is_stored_as_it_is() -> None:
    corpus = parse_conllu("".join(f"1\tw\tw\tX\t_\t_\t0\tr{k:07}\t_\t_\n\n" for k in range(8000)))
    model = Model(count_arcs(corpus))
    content = model_bytes(model)
    assert parse_model(content, "x.tgm").hash == model.hash


@pytest.mark.parametrize(
    ("array", "coding"),
    [
        (np.array([0, 254, 255, 256, 1 << 40, (1 << 62) - 1]), "small"),
        (np.array([], dtype=np.int64), "small"),
        (np.arange(-3, 4, dtype=np.int8).reshape(7, 1), "sparse"),
        (np.array([[0, -128], [127, 0]], dtype=np.int8), "sparse"),
        (np.zeros(9, dtype=np.int8), "sparse"),
        (np.array([True, False, True] * 5), "bits"),
    ],
    ids=str,
)
def test_arrays_survive_their_coding(array: np.ndarray, coding: str) -> None:
    code, data = encode("a", array, coding)
    back = decode(code, memoryview(data))
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)
    for changed in (data[:-1], data + b"\0"):
        wrong = ArrayCode("a", code.dtype, code.shape, coding, len(changed))
        with pytest.raises(ModelError, match="do not hold"):
            decode(wrong, memoryview(changed))


@pytest.mark.parametrize("values", [3, 1, 9])
def test_compiled_and_interpreted_kernels_fill_alike(values: int) -> None:
    rng = np.random.default_rng(values)
    bits, given = rng.integers(0, 256, 3, dtype=np.uint8), rng.integers(1, 256, values, dtype=np.uint8)
    compiled, plain = np.zeros((2, 21), dtype=np.uint8)
    n = fill(bits, given, compiled)
    assert n == interpreted("models.sparse_kernel").fill(bits, given, plain) == np.unpackbits(bits, count=21).sum()
    assert np.array_equal(compiled, plain)
    assert np.array_equal(compiled[compiled > 0][: len(given)], given[:n])


def test_an_altered_calibration_is_refused_or_gives_probabilities(corpus: Corpus) -> None:
    known = parse_conllu(TEXT)
    model = Model(count_arcs(known, name="t"), learn_choice([known]))
    names = ("choice", "length", "upos=NOUN", "head upos=ROOT", "deprel=det × choice")
    made = Calibration(names, (0.0,) * 5, (1.0,) * 5, (1.0, 0.5, 1.0, 0.0, 2.0), 0.5, "gold+system", "m@0", 10, 0.5)
    content, random, refused = calibration_bytes(made), Random(16), 0
    arcs = ScorerFactory(model).evidence(corpus)
    for k in range(2000):
        if k % 4:
            changed = json.dumps(altered_json(json.loads(content), random)).encode()
        else:
            changed = altered_bytes(content, random)
        try:
            log_probs = parse_calibration(changed, "x.tgc").log_probs(arcs)
        except ModelError as error:
            refused += is_one_line(error, "x.tgc: ")
        else:
            assert (log_probs <= 0).all()
    assert refused > 1500


def test_a_calibration_may_not_be_deep_or_have_nan(tmp_path: Path) -> None:
    for content, message in ((b"[" * 100_000, "nested too deeply"), (b'{"a": NaN}', "NaN is no number")):
        with pytest.raises(ModelError, match=message):
            parse_calibration(content, "x.tgc")


def test_relations_are_not_too_many_to_learn() -> None:
    rows = "".join(f"1\tw\tw\tX\t_\t_\t0\tr{k}\t_\t_\n\n" for k in range(600))
    with pytest.raises(ModelError, match="600 relations to choose from; expected 1 to 512"):
        learn_choice([parse_conllu(rows)])


def test_a_file_may_have_any_name() -> None:
    model = Model(count_arcs(parse_conllu(TEXT), name="bad\udcff.conllu"))
    assert parse_model(model_bytes(model), "x.tgm").reference.sources[0].name == "bad?.conllu"


def test_a_compressed_model_is_read_and_one_that_inflates_without_end_is_not(tmp_path: Path) -> None:
    content = model_bytes(Model(count_arcs(parse_conllu(TEXT), name="t")))
    path = tmp_path / "x.tgm.zst"
    path.write_bytes(zstd().compress(content))
    assert load_model(path).words == 6
    path.write_bytes(zstd().compress(content + bytes(1 << 28)))
    with pytest.raises(ModelError, match=r"x\.tgm\.zst: more than 43\d{5} bytes"):
        load_model(path)
