"""Which language words are in, and models that do not fit."""

import os
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

import treegauge as tg
from tests.trees import tool
from treegauge.cli import cli
from treegauge.models.bundled_models import (
    bundled_models,
    bundled_profiles,
    guess_language,
    load_model,
    piece_counts,
)
from treegauge.models.fit import misfit

DEMO = Path(__file__).parents[2] / "src" / "treegauge" / "demo" / "demo.conllu"
SENTENCES = {
    "de": "Der Hund schläft unter dem alten Baum , weil es heute sehr heiß ist und niemand mit ihm spazieren geht .",
    "fr": "Le chat de la voisine dort sur le toit de la maison parce que le soleil y brille toute la journée .",
    "it": "La ragazza che abita vicino alla stazione prende ogni mattina il treno delle sette per andare a scuola .",
    "pl": "Dziewczyna , która mieszka obok dworca , codziennie rano jedzie pociągiem o siódmej do szkoły .",
    "ru": "Девочка , которая живёт рядом с вокзалом , каждое утро едет в школу на поезде в семь часов .",
    "tr": "İstasyonun yanında oturan kız her sabah saat yedi treniyle okula gidiyor ve akşam geri dönüyor .",
    "ko": "역 근처에 사는 소녀는 매일 아침 일곱 시 기차를 타고 학교에 간다 .",
}


def words(text: str) -> dict[str, int]:
    return dict.fromkeys(text.split(), 1)


@pytest.mark.parametrize(("code", "text"), SENTENCES.items())
def test_a_sentence_is_enough_to_tell_its_language(code: str, text: str) -> None:
    guess = guess_language(words(text))
    assert guess is not None
    assert guess.code == code


def test_what_is_no_language_is_not_taken_for_one() -> None:
    assert guess_language({"1999": 3, ",": 5}) is None
    noise = guess_language(words("xqzvk wjjqx zzxkq vvqwx kkzxj qwqzx jxvkz xzqwk vkqjz zxwqv"))
    assert noise is not None
    assert not noise.known


def test_a_profile_is_written_and_is_its_own_best() -> None:
    counts = {code: words(text) for code, text in SENTENCES.items()}
    build_models = tool("build_models")
    profiles = {code: build_models.profile(found) for code, found in counts.items()}
    assert build_models.write_profiles(profiles).startswith(b"de,fr,it,ko,pl,ru,tr\n")
    assert piece_counts({"ab": 4})[piece_counts({"ab": 1}) > 0].sum() == 2 * piece_counts({"ab": 1}).sum()
    assert set(bundled_profiles()) >= {entry.code for entry in bundled_models()}


def test_a_model_of_another_language_does_not_fit_and_says_what_does() -> None:
    demo = tg.read_conllu(DEMO)
    assert misfit(demo, load_model("en"), "en") is None
    why = misfit(demo, load_model("ja"), "ja")
    assert why == "the words look like English (en), the model is of Japanese (ja): try --model en"


def test_relations_and_tags_that_the_model_never_saw_do_not_fit() -> None:
    text = DEMO.read_text().replace("\tdet\t", "\tdeterminer\t").replace("\tpunct\t", "\tP\t")
    why = misfit(tg.parse_conllu(text), load_model("en"))
    assert why is not None
    assert "of the words have a relation that the model has never seen (determiner, P)" in why
    why = misfit(tg.parse_conllu(DEMO.read_text().replace("\tNOUN\t", "\tNN\t")), load_model("en"))
    assert why is not None
    assert "have a upos tag that the model has never seen (NN)" in why
    own = tg.build_model(tg.parse_conllu(text))
    assert misfit(tg.parse_conllu(text), own) is None


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.conllu"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(DEMO.read_bytes(),))
    writer.start()
    found = CliRunner().invoke(cli, ["rank", str(pipe), "-m", "en", "-f", "tsv"])
    writer.join()
    assert found.stdout == CliRunner().invoke(cli, ["rank", str(DEMO), "-m", "en", "-f", "tsv"]).stdout


def test_the_model_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def load(name: str) -> tg.Model:
        loaded.append(name)
        return load_model(name)

    monkeypatch.setattr("treegauge.models.bundled_models.load_model", load)
    for given in ("en", "auto"):
        assert CliRunner().invoke(cli, ["rank", str(DEMO), "-m", given, "--top", "1"]).exit_code == 0
    assert loaded == ["en", "en"]


def test_rank_says_refuses_or_chooses() -> None:
    said = CliRunner().invoke(cli, ["rank", str(DEMO), "-m", "ja", "--top", "1"])
    assert said.exit_code == 0
    assert "this model does not fit: the words look like English (en)" in said.stderr
    refused = CliRunner().invoke(cli, ["rank", str(DEMO), "-m", "ja", "--strict"])
    assert "this model does not fit" in str(refused.exception)
    chosen = CliRunner().invoke(cli, ["rank", str(DEMO), "-m", "auto", "--top", "1"])
    assert "--model en: the words look like English" in chosen.stderr
    assert chosen.stdout == CliRunner().invoke(cli, ["rank", str(DEMO), "-m", "en", "--top", "1"]).stdout
    nothing = CliRunner().invoke(cli, ["rank", "-", "-m", "auto"], input=DEMO.read_text())
    assert "no --model, and the language of a pipe is not looked at" in str(nothing.exception)
