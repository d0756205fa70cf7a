"""Models add up, and their files hold what they should or say why not."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.models.test_lisca import corpus_of
from tests.trees import corpora
from treegauge.corpus.reading_log import ReadingLog
from treegauge.errors import CorpusError, ModelError, OptionError
from treegauge.models.bundled_models import FOLDER, bundled_models, bundled_profiles, load_model
from treegauge.models.fit import Fit
from treegauge.models.lisca.counts import build_reference, count_arcs
from treegauge.models.lisca.reference import CountSettings, merge_references, subtract_reference
from treegauge.models.lisca.score import Lisca
from treegauge.models.model import Model, merge_models, model_bytes, parse_model

EVERY = [CountSettings(), CountSettings("2013", forms=True), CountSettings(subtypes=True, pos="xpos")]


@settings(max_examples=30, deadline=None)
@given(a=corpora(most=4), b=corpora(most=4), c=corpora(most=4))
def test_merging_in_any_order_gives_the_model_of_all_corpora(a: str, b: str, c: str) -> None:
    for chosen in EVERY:
        one, two, three = (count_arcs(corpus_of(text), chosen, name) for text, name in ((a, "a"), (b, "b"), (c, "c")))
        together = count_arcs(corpus_of(a + b + c), chosen)
        merged = merge_references([one, two, three])
        assert merged.hash == together.hash
        assert (merged.words, merged.sentences) == (together.words, together.sentences)
        nested = merge_references([merge_references([three, one]), two])
        assert model_bytes(Model(merged)) == model_bytes(Model(nested))
        assert subtract_reference(merged, two).hash == merge_references([one, three]).hash


def test_a_part_that_is_none_cannot_be_subtracted() -> None:
    one = count_arcs(corpus_of("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"))
    other = count_arcs(corpus_of("1\ta\ta\tY\t_\t_\t0\troot\t_\t_\n\n"))
    with pytest.raises(ModelError, match="the part has events that the whole does not have"):
        subtract_reference(one, other)


def test_models_of_different_settings_do_not_merge() -> None:
    corpus = corpus_of("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(ModelError, match="models of different settings"):
        merge_models([Model(count_arcs(corpus)), Model(count_arcs(corpus, CountSettings("2013")))])
    with pytest.raises(ModelError, match="no model to merge"):
        merge_models([])


@pytest.mark.parametrize("chosen", EVERY, ids=str)
def test_a_model_is_the_same_from_one_thread_two_or_a_corpus(chosen: CountSettings, data: Path, tmp_path: Path) -> None:
    paths = [str(data / name) for name in ("plain.conllu", "scripts.conllu", "multiword_and_empty.conllu")]
    large = tmp_path / "large.conllu"
    large.write_bytes((data / "plain.conllu").read_bytes() * 30_000)
    one, two = (build_reference([*paths, str(large)], chosen, threads=threads) for threads in (1, 2))
    assert model_bytes(Model(one)) == model_bytes(Model(two))
    assert (one.sentences, one.words) == (2 + 3 + 2 + 60_000, 10 + 6 + 5 + 300_000)


def test_relation_subtypes_are_cut_unless_asked(data: Path) -> None:
    text = "1\ta\ta\tX\t_\t_\t2\tnsubj:pass\t_\t_\n2\tb\tb\tY\t_\t_\t0\troot\t_\t_\n\n"
    assert count_arcs(corpus_of(text)).relations == ("nsubj", "root")
    assert count_arcs(corpus_of(text), CountSettings(subtypes=True)).relations == ("nsubj:pass", "root")


def test_defects_are_named_with_their_line_whatever_the_block_and_thread(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "late.conllu"
    good = (data / "plain.conllu").read_bytes() * 20_000
    path.write_bytes(good + b"1\tx\n\n" + good)
    line, sentence = good.count(b"\n") + 1, 40_001
    for threads in (1, 2):
        with pytest.raises(CorpusError, match=rf"late.conllu:{line}: sentence {sentence}: 2 columns"):
            build_reference([str(path)], threads=threads)
        with ReadingLog() as log:
            model = build_reference([str(path)], threads=threads, on_error="skip")
        assert model.sentences == 80_000
        assert [(defect.line, defect.sentence) for defect in log.total.notes.defects] == [(line, sentence)]


@pytest.mark.parametrize("chosen", EVERY, ids=str)
def test_a_saved_model_loads_as_it_was(chosen: CountSettings, data: Path, tmp_path: Path) -> None:
    model = Model(build_reference([str(data / "plain.conllu"), str(data / "scripts.conllu")], chosen))
    path = str(tmp_path / "x.tgm")
    model.save(path)
    loaded = load_model(path)
    assert model_bytes(loaded) == model_bytes(model)
    del loaded.reference.__dict__["hash"]  # the one kept in the file; work it out again
    assert loaded.hash == model.hash
    assert (loaded.settings, loaded.reference.sources) == (model.settings, model.reference.sources)


def test_every_altered_or_missing_byte_is_noticed(data: Path) -> None:
    content = model_bytes(Model(build_reference([str(data / "plain.conllu")])))
    for k in range(len(content)):
        with pytest.raises(ModelError):
            parse_model(content[:k], "cut")
        with pytest.raises(ModelError):
            parse_model(content[:k] + bytes([content[k] ^ 1 << k % 8]) + content[k + 1 :], "altered")


def test_other_files_and_versions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.tgm"
    for content, message in (
        (b"", "not a treegauge model"),
        (b"\x80\x04pickle", "not a treegauge model"),
        (
            b"treegauge model 1\n{}\n",
            "model format '1'; this treegauge reads format 2; build it again",
        ),
        (b"treegauge model 3\n{}\n", "model format '3'; this treegauge reads format 2; get a newer treegauge"),
        (b"treegauge model 2\n{}\n", "truncated or altered"),
    ):
        path.write_bytes(content)
        with pytest.raises(ModelError, match=message):
            load_model(str(path))


def test_the_bundled_models_are_what_their_index_says() -> None:
    entries = bundled_models()
    assert len(entries) > 100
    files = sorted(path.stem for path in Path(FOLDER).glob("*.tgm"))
    assert files == sorted(entry.code for entry in entries)
    assert sum(path.stat().st_size for path in Path(FOLDER).iterdir()) <= 80e6
    assert max(path.stat().st_size for path in Path(FOLDER).glob("*.tgm")) <= 2.2e6  # 1.2 MB and a net
    assert sorted(bundled_profiles()) == files  # --model auto
    attribution = (Path(FOLDER) / "ATTRIBUTION.md").read_text()
    for entry in entries:
        model = load_model(entry.code)
        assert (model.words, model.sentences, model.hash) == (entry.words, entry.sentences, entry.hash)
        assert model.settings == CountSettings()
        assert model.reference.lemmas == model.reference.forms == ()
        assert model.weights is not None
        assert model.weights.tags is not None
        assert 0.2 < entry.first_choice < 1
        assert all(treebank in attribution for treebank in entry.treebanks)
        assert "NC" not in entry.licence
    assert json.loads((Path(FOLDER) / "index.json").read_text())[0]["code"] == entries[0].code


def test_a_missing_model_says_which_there_are() -> None:
    with pytest.raises(ModelError, match="no bundled model 'xx'; `treegauge model list` shows"):
        load_model("xx")


def test_settings_outside_their_choices_are_named() -> None:
    with pytest.raises(OptionError, match="preset '2011'; expected one of 2020, 2013"):
        CountSettings("2011")
    with pytest.raises(OptionError, match="pos 'feats'; expected 'upos' or 'xpos'"):
        CountSettings(pos="feats")


def test_xpos_models_judge_by_xpos(data: Path) -> None:
    model = build_reference([str(data / "plain.conllu")], CountSettings(pos="xpos"))
    assert model.tags == ("A", "D", "N", "P", "V")
    assert "pos:xpos" in Lisca(model).signature


def test_how_a_model_fits_is_said_in_the_right_number() -> None:
    one = Fit(1, 1, Counter(), Counter(), Counter({1: 1}))
    assert one.lines() == [
        "100.0 % of 1 arc has a factor never seen",
        "1 sentence of lengths outside the reference: 1 word",
    ]
    two = Fit(1200, 0, Counter(), Counter(), Counter({90: 1, 91: 1}))
    assert two.lines()[0].startswith("0.0 % of 1,200 arcs")
    assert two.lines()[1] == "2 sentences of lengths outside the reference: 90, 91 words"
