"""Rule files: sections are joined by key with those of the base, and whatever is wrong is named with its line."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from treegauge.cli import cli
from treegauge.constituency.chaos.rule_file import _joined, read_rule_file
from treegauge.constituency.chaos.rules import find_rules
from treegauge.errors import OptionError

PAGE = Path(__file__).parents[2] / "docs" / "chaos-rules.md"


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def write(text: str) -> str:
        (tmp_path / "mine.toml").write_text(f'base = "it"\n\n{text}\n')
        return str(tmp_path / "mine.toml")

    return write


def test_a_section_has_the_keys_of_the_base_and_its_own(write) -> None:  # type: ignore[no-untyped-def]
    mine = read_rule_file(write('[words]\nremove = ["continued"]\nneg = "ADV lemma=no"\nextra = "INTJ"')).sections
    base = read_rule_file("it").sections
    assert list(mine["words"]) == [key for key in base["words"] if key != "continued"] + ["extra"]
    assert mine["words"]["neg"] == "ADV lemma=no"
    assert {section: mine[section] for section in mine if section != "words"} == {
        section: base[section] for section in base if section != "words"
    }


keys = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(keys, keys)
def test_joined_keys_keep_both_orders_as_far_as_they_can(base: list[str], own: list[str]) -> None:
    joined = list(_joined(dict.fromkeys(base, 0), dict.fromkeys(own, 1)))
    assert set(joined) == {*base, *own}
    assert [key for key in joined if key in own] == [k for k in own if k in base] + [k for k in own if k not in base]
    assert [key in own for key in joined[: len(base)]] == [key in own for key in base]
    assert [key for key in joined if key not in own] == [key for key in base if key not in own]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[wrods]\na = "X"', "mine.toml:3: wrods: 'wrods'; expected one of base, words, units, chunks, inside, links"),
        ('[wrods]\na = "X"', "did you mean words?"),
        ("[words]\nrel = 3", "mine.toml:4: [words] rel: 3; expected a text or a list of texts"),
        ("[units]\nprep = [3]", "mine.toml:4: [units] prep: [3]; expected a list of texts"),
        ('[links]\nfrmes = "only"', "mine.toml:4: [links] frmes: 'frmes'; expected one of frames"),
        ('[links]\nsearch = [{what = "Nom", too = "own"}]', "[links] search 1: 'too'; expected one of what, to"),
        ('[links]\nsearch = [{what = "Nom"}]', "expected what and to, at least"),
        ('[links]\nsearch = [{what = "Nom", to = "own", most = "2"}]', "expected a whole number of 0 or more"),
        ('[words]\nremove = ["nuon"]', "'nuon'; expected a key of the base's section; did you mean noun?"),
        ('[inside]\ndegree = "adjj"', "mine.toml:4: [inside] degree: class 'adjj'; expected one of"),
        ('[chunks]\nNom = "<nuon>"', "mine.toml:4: [chunks] Nom: class 'nuon'"),
        ('[words]\nx = "NOUN like=("', "mine.toml:4: [words] x: 'like=(': missing )"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(write, text: str, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError, match=re.escape(message)):
        find_rules(write(text))


def test_bases_may_not_run_in_a_circle(tmp_path: Path) -> None:
    for name, base in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.toml").write_text(f'base = "{tmp_path / base}.toml"\n')
    with pytest.raises(OptionError, match="leads back to the file itself"):
        read_rule_file(str(tmp_path / "a.toml"))


def test_the_files_of_the_tutorial_are_rules(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert blocks
    for k, block in enumerate(blocks):
        (tmp_path / f"{k}.toml").write_text(block)
        done = CliRunner().invoke(cli, ["chaos", "rules", "check", str(tmp_path / f"{k}.toml")])
        assert done.exit_code == 0, done.output
        assert "no error" in done.stdout


@pytest.mark.data
def test_french_made_by_the_tutorial_is_good_enough(evaluation_data: Path) -> None:
    from treegauge.constituency.chaos.parser import Chaos

    for name in ("fr_gsd", "fr_sequoia"):
        last = Chaos("fr").evaluate(evaluation_data / "ud" / name / "test.conllu.xz").table().records()[-1]
        assert last["recall"] >= 0.80
        assert last["precision"] >= 0.78
