"""The other files that are read: altered by chance, they are refused in our words, or do what they say."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.altered import altered_bytes, altered_json
from treegauge.cli.study_file import read_study
from treegauge.constituency.chaos import rules
from treegauge.constituency.chaos.lexicon import FOLDER as LEXICA
from treegauge.constituency.chaos.lexicon import find_lexicon
from treegauge.constituency.chaos.rule_file import FOLDER as RULES
from treegauge.constituency.cleaning import read_clusters
from treegauge.constituency.flattening import HEADS, find_heads
from treegauge.constituency.samples import measured_samples
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.relations import read_groups
from treegauge.difficulty.challenge import challenge, read_manifest, rebuild, same_sentences
from treegauge.errors import TreegaugeError
from treegauge.evaluation.attachment.treebank_table import read_pairs
from treegauge.parsing.download import _read_sums
from treegauge.parsing.journal import open_journal
from treegauge.reports.figures import ecc_figure
from treegauge.reports.table_text import read_samples

DATA = Path(__file__).parent / "data"
SETTINGS = {"treegauge": "parse 1", "parser": "x", "passage": "tokens", "shard_bytes": 10}
FAILED = {"path": "t.txt", "line": 3, "message": "no"}
RECORD = {"shard": "t-00001.conllu", "source": "t.txt", "lines": [1, 2], "input": "0", "bytes": 3}
RECORD |= {"sentences": 1, "words": 2, "failed": [FAILED]}
SAMPLE = {"treebank": "t", "sample": "train", "ecc": 3.5, "ecc_ci": 0.1, "emr": 0.5, "emr_ci": None}
STUDY = f"""title = "t"
[languages.xx]
gold = "{DATA / "difficulty_gold.conllu"}"
system = "{DATA / "difficulty_gold.conllu"}"
model = "en"
[[analysis]]
command = "difficulty bins"
name = "bins"
languages = ["xx"]
bins = 5
figure = "png"
"""


def lines(path: Path | str) -> bytes:
    return b"\n".join(Path(path).read_bytes().split(b"\n")[:60])


def use_journal(path: Path) -> None:
    folder = path.parent / "journal"
    folder.mkdir(exist_ok=True)
    (folder / "parse.jsonl").write_bytes(path.read_bytes())
    with open_journal(str(folder), SETTINGS) as journal:
        journal.has("t-00001.conllu", "0")
        journal.finish()


def refused(path: Path, content: bytes, use: Callable[[Path], object]) -> bool:
    path.write_bytes(content)
    try:
        use(path)
    except TreegaugeError:
        return True
    return False


@pytest.mark.parametrize(
    ("content", "use"),
    [
        (STUDY.encode(), lambda path: read_study(str(path), "out")),
        (lines(f"{LEXICA}/it.txt"), lambda path: find_lexicon(str(path))),
        (lines(f"{HEADS}/penn.txt"), lambda path: find_heads(str(path))),
        (b"POS N: NN NNS\nNT S: SQ SBARQ\n", lambda path: read_clusters(str(path))),
        (b"core: nsubj obj\nother: punct # no\n", lambda path: read_groups(str(path))),
        (b"name\tgold\tsystem\na\ta.conllu\tb.conllu\n", lambda path: read_pairs(str(path))),
        ((b"0" * 64 + b"  en_ewt-ud-dev.conllu\n") * 2, lambda path: _read_sums(str(path))),
        (b"\n".join(json.dumps(one).encode() for one in (SETTINGS, RECORD)) + b"\n", use_journal),
        (Path(f"{RULES}/it.toml").read_bytes(), lambda path: rules.find_rules.__wrapped__(str(path))),
    ],
    ids=["study", "lexicon", "heads", "clusters", "groups", "pairs", "checksums", "journal", "rules"],
)
def test_an_altered_text_is_refused_or_read(content: bytes, use: Callable[[Path], object], tmp_path: Path) -> None:
    random, path = Random(18), tmp_path / "x"
    assert not refused(path, content, use)
    assert sum(refused(path, altered_bytes(content, random), use) for _ in range(300)) > 10


def test_an_altered_journal_is_refused_or_read(tmp_path: Path) -> None:
    random, path = Random(19), tmp_path / "x"
    found = 0
    for _ in range(500):
        altered = altered_json({"lines": [SETTINGS, RECORD]}, random)
        content = b"\n".join(json.dumps(one).encode() for one in [*altered.values()]) + b"\n"
        if isinstance(altered.get("lines"), list):
            content = b"".join(json.dumps(one).encode() + b"\n" for one in altered["lines"])
        found += refused(path, content, use_journal)
    assert found > 200


def test_an_altered_result_is_refused_or_drawn(tmp_path: Path) -> None:
    table = {"name": "samples", "title": "t", "signature": "ecc|v0", "rows": [SAMPLE, {**SAMPLE, "sample": "test"}]}
    random, path = Random(20), tmp_path / "x"
    found = 0
    for k in range(500):
        content = json.dumps(altered_json(table, random)).encode()
        path.write_bytes(content)
        try:
            read = read_samples(str(path))
            if k % 20 == 0:
                ecc_figure(measured_samples([read]), [read["signature"]])
        except TreegaugeError:
            found += 1
    assert found > 200


def test_an_altered_manifest_is_refused_or_the_same_set(tmp_path: Path) -> None:
    corpus = read_conllu(DATA / "difficulty_gold.conllu")
    made = challenge(corpus, "en")
    manifest: dict[str, Any] = json.loads(made.manifest_bytes())
    for record in manifest["sentences"]:
        del record["arcs"][2:]  # fewer places, so that more of them are met
    random, path = Random(21), tmp_path / "x"

    def use(make: Callable[[Corpus, dict[str, Any]], bytes]) -> Callable[[Path], object]:
        return lambda path: make(corpus, read_manifest(str(path)))

    assert not refused(path, made.manifest_bytes(), use(rebuild))
    for _ in range(500):
        content = json.dumps(altered_json(manifest, random)).encode()
        refused(path, content, use(rebuild))
        refused(path, content, use(same_sentences))
    assert refused(path, b"[" * 100_000, use(rebuild))


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("[links]", "[links]\nsearch = [{what = 'N', to = 'V', most = 'x'}]\nold = 1"),
        ("[links]", "[links]\nsearch = [{what = 'N', to = 'V', most = inf}]\nold = 1"),
        ("[words]", "[units]\nnoun = ['']\n[words]"),
        ("[words]", "[words]\nodd = 1"),
        ("", "base = 'x.toml'\n"),
    ],
)
def test_rules_with_a_value_of_another_kind_are_refused(
    part: str, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rule_file = Path(f"{RULES}/it.toml").read_text().replace("[[links.search]]", "[[links.others]]")
    (tmp_path / "y.toml").write_text("base = 'x.toml'")
    (tmp_path / "x.toml").write_text(("base = 'y.toml'\n" if not part else "") + rule_file.replace(part, changed, 1))
    with pytest.raises(TreegaugeError):
        rules.find_rules.__wrapped__("y.toml" if not part else "x.toml")
