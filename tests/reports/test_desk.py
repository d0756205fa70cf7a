"""The desk in a real browser: what is done there is in the files at once, and nothing else is."""

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.reports.test_browser import Tab, chromium
from treegauge import read_conllu
from treegauge.ranking.verdicts import read_verdicts
from treegauge.reports.desk_server import DeskServer
from treegauge.upkeep.check import check
from treegauge.upkeep.desk import Desk
from treegauge.upkeep.finding_filter import finding_filter

pytestmark = pytest.mark.browser
__all__ = ["chromium"]
SENTENCE = """# sent_id = {name}
# text = the {noun} near the door sleeps.
1\tthe\tthe\tDET\tDT\tDefinite=Def\t{head}\tdet\t_\t_
2\t{noun}\t{lemma}\tNOUN\tNN\tNumber={number}\t6\tnsubj\t_\tA=1
3\tnear\tnear\tADP\tIN\t_\t5\tcase\t_\t_
4\tthe\tthe\tDET\tDT\tDefinite=Def\t5\tdet\t_\t_
5\tdoor\tdoor\tNOUN\tNN\tNumber=Sing\t2\t{relation}\t_\t_
6\tsleeps\tsleep\t{tag}\tVBZ\tNumber=Sing\t0\troot\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\t.\t_\t6\tpunct\t_\t_

"""


def treebank() -> str:
    nouns = [f"{noun}{kind}" for noun in ("cat", "dog", "hen", "cow", "pig", "emu") for kind in "abcdefghij"]
    plain = {"head": 2, "number": "Sing", "relation": "nmod", "tag": "VERB"}
    made = [plain | {"name": f"s{k}", "noun": noun, "lemma": noun} for k, noun in enumerate(nouns)]
    made[5] |= {"head": 6}
    made[15] |= {"tag": "NOUN"}
    made[25] |= {"relation": "obl"}
    made[35] |= {"lemma": "Nn"}
    made[45] |= {"number": "Plur"}
    return "".join(SENTENCE.format(**one) for one in made)


def git(folder: Path, *args: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=b@c", *args]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    half = treebank().index("# sent_id = s30\n")
    (tmp_path / "xx-ud-train.conllu").write_text(treebank()[:half])
    (tmp_path / "xx-ud-dev.conllu").write_text(treebank()[half:])
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        git(tmp_path, *command)
    return tmp_path


@pytest.fixture
def server(repository: Path) -> Iterator[DeskServer]:
    yield from served(repository)


def served(folder: Path, read_only: bool = False) -> Iterator[DeskServer]:
    paths = sorted(map(str, folder.glob("*.conllu")))
    corpus = read_conllu(*paths)
    wanted = finding_filter(corpus)
    server = DeskServer(Desk(paths, read_only=read_only), check(corpus, below=0.3, wanted=wanted), wanted)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


class DeskTab(Tab):
    """A tab of the desk."""

    def __init__(self, chromium: Any, server: DeskServer, **more: Any) -> None:
        class Address:
            def as_uri(self) -> str:
                return server.address

        super().__init__(chromium, Address(), **more)  # type: ignore[arg-type]
        self.settled()

    def settled(self) -> None:
        self.page.evaluate("waiting_")

    def show(self, sent_id: str, word: int) -> None:
        self.page.evaluate(f"openWord(START[D.sent_id.indexOf('{sent_id}')] + {word} - 1)")
        self.page.evaluate("focusList()")

    def pick(self, key: str, text: str) -> None:
        self.page.keyboard.press(key)
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.settled()


def changed_lines(folder: Path) -> list[tuple[str, str]]:
    """The lines that git shows as changed: the old one, the new one."""
    lines = git(folder, "diff", "-U0", "--", "*.conllu").splitlines()
    old = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
    new = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
    return list(zip(old, new, strict=True))


def test_a_sitting_is_in_the_files_and_nothing_else_is(chromium: Any, server: DeskServer, repository: Path) -> None:
    tab = DeskTab(chromium, server)
    corrections = [
        ("s5", 1, "h", "2", (6, "2")),
        ("s15", 6, "p", "VERB", (3, "VERB")),
        ("s25", 5, "r", "nmod", (7, "nmod")),
        ("s35", 2, "l", "dogf", (2, "dogf")),
        ("s45", 2, "f", "Number=Sing", (5, "Number=Sing")),
        ("s1", 2, "o", "NNP", (4, "NNP")),
        ("s2", 5, "s", "poss", (7, "nmod:poss")),
        ("s3", 4, "l", "a b", (2, "a b")),
        ("s4", 3, "r", "det", (7, "det")),
        ("s6", 2, "p", "PUNCT", (3, "PUNCT")),
    ]
    for k, (sent_id, word, key, text, _) in enumerate(corrections, 1):
        tab.show(sent_id, word)
        tab.pick(key, text)
        assert len(changed_lines(repository)) == k, (sent_id, tab.text("#fix-message"))
    changed = changed_lines(repository)
    by_word = {new.split("\t")[1]: (old.split("\t"), new.split("\t")) for old, new in changed}
    assert len(changed) == len(corrections)
    for old, new in by_word.values():
        assert sum(a != b for a, b in zip(old, new, strict=True)) == 1, "one column of each line"
    values = {(at, value) for *_, (at, value) in corrections}
    assert {(at, new[at]) for old, new in by_word.values() for at in range(10) if old[at] != new[at]} <= values
    path = repository / ".treegauge" / "accepted.tsv"
    assert len(read_verdicts(str(path))) == 10
    for sent_id in ("s7", "s8"):
        tab.show(sent_id, 2)
        tab.press("a")
        tab.settled()
    lines = read_verdicts(str(path))
    assert [(v.sent_id, v.id, v.verdict) for v in lines if not v.code] == [("s7", 2, "accept"), ("s8", 2, "accept")]
    tab.show("s9", 5)
    tab.pick("r", "obl")
    assert len(changed_lines(repository)) == 11
    tab.press("z")
    tab.settled()
    assert changed_lines(repository) == changed
    assert len(read_verdicts(str(path))) == 12
    tab.page.click("#tab-difference")
    tab.page.evaluate("showDifference()")
    shown = tab.text("#difference-text")
    assert all(f"+{new}".split("\t")[-1] in shown for _, new in changed)
    assert shown.count("\n+") >= len(changed)
    assert not [url for url in tab.requests if not url.startswith(server.address)]
    assert tab.complaints == []
    for _ in range(12):
        tab.page.evaluate("deskUndo()")
        tab.settled()
    assert git(repository, "status", "--porcelain") == "", "undo goes back over the whole sitting"


def test_what_was_changed_on_disk_is_never_overwritten(chromium: Any, server: DeskServer, repository: Path) -> None:
    tab = DeskTab(chromium, server)
    path = repository / "xx-ud-train.conllu"
    theirs = path.read_text().replace("door", "gate")
    path.write_text(theirs)
    tab.show("s4", 3)
    tab.pick("r", "det")
    assert "xx-ud-train.conllu was changed on disk by something else" in tab.text("#desk-conflict-text")
    assert path.read_text() == theirs
    assert not (repository / ".treegauge").exists()
    assert tab.page.evaluate("relationNow(shown)") == "case"


def test_a_second_tab_is_noticed(chromium: Any, server: DeskServer, repository: Path) -> None:
    first, second = DeskTab(chromium, server), DeskTab(chromium, server)
    first.show("s4", 3)
    first.pick("r", "det")
    second.show("s5", 3)
    second.pick("r", "det")
    assert "another tab has changed something" in second.text("#desk-conflict-text")
    assert len(changed_lines(repository)) == 1
    with second.page.expect_navigation():
        second.page.click("#desk-reload")
    second.settled()
    second.show("s4", 3)
    assert second.page.evaluate("relation(shown)") == "det", "the page has what the other tab wrote"
    second.show("s5", 3)
    second.pick("r", "det")
    assert len(changed_lines(repository)) == 2


def test_the_sentence_is_judged_again(chromium: Any, server: DeskServer) -> None:
    tab = DeskTab(chromium, server)
    tab.show("s5", 1)
    assert "TG101" in tab.text("#arc-content")
    assert tab.page.evaluate("FOUND.has(shown)")
    tab.press("t")
    tab.settled()
    tab.show("s5", 1)
    assert "no finding" in tab.text("#arc-content .facts")
    tab.show("s4", 3)
    tab.pick("r", "punct")
    assert tab.page.evaluate("FOUND.get(shown).map(one => one.code)") == ["TG102"]


def test_a_head_is_changed_by_dragging(chromium: Any, server: DeskServer, repository: Path) -> None:
    tab = DeskTab(chromium, server)
    tab.show("s10", 3)
    words = tab.page.locator("#arc-content svg text.word")
    words.nth(3).drag_to(words.nth(5))
    tab.settled()
    ((old, new),) = changed_lines(repository)
    assert (old.split("\t")[6], new.split("\t")[6]) == ("5", "6")
    assert new.split("\t")[0] == "4"
    assert tab.page.evaluate("position(shown)") == 3


def test_a_request_finds_sentences_as_they_are_now(chromium: Any, server: DeskServer) -> None:
    tab = DeskTab(chromium, server)
    tab.page.click("#tab-search")
    tab.page.fill("#find-form [name=request]", "pattern { H -[obl]-> D }")
    tab.page.evaluate("search('pattern { H -[obl]-> D }')")
    assert tab.text("#find-told") == "1 match"
    tab.page.click("#find-list button")
    assert tab.page.evaluate("sentId(shown)") == "s25"
    tab.show("s25", 5)
    tab.pick("r", "nmod")
    tab.page.evaluate("search('pattern { H -[obl]-> D }')")
    tab.page.click("#tab-search")
    assert tab.text("#find-told") == "0 matches"
    tab.page.evaluate("search('pattern { H -[obl]> D }')")
    assert "expected" in tab.text("#find-told")
    assert tab.complaints == ["Failed to load resource: the server responded with a status of 400 (Bad Request)"]


def test_nothing_is_written_read_only(chromium: Any, repository: Path) -> None:
    for server in served(repository, read_only=True):
        tab = DeskTab(chromium, server)
        tab.show("s5", 1)
        for key in "tae":
            tab.press(key)
            assert "--read-only" in tab.text("#fix-message")
        assert tab.page.evaluate("fixes.size") == 0
        body = {"version": 0, "place": 5, "id": 1, "verdict": "accept", "note": "", "codes": [["", ""]]}
        assert "--read-only" in refused(server, "verdict", body)[1]
        assert git(repository, "status", "--porcelain") == ""


def refused(
    server: DeskServer,
    action: str,
    body: object = None,
    headers: dict[str, str] | None = None,
    token: str | None = None,
) -> tuple[int, str]:
    """The status and the message of a request that is refused."""
    address = f"{server.origin}/{server.token if token is None else token}/{action}"
    given = {"Content-Type": "application/json", "Origin": server.origin} | (headers or {})
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, content, {name: value for name, value in given.items() if value})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    return caught.value.code, caught.value.read().decode()


def test_requests_from_elsewhere_are_refused(server: DeskServer) -> None:
    assert refused(server, "", token="guess", headers={"Origin": ""})[0] == 403
    assert refused(server, "", token="", headers={"Origin": ""})[0] == 403
    assert refused(server, "state", {}, token="guess")[0] == 403
    assert refused(server, "state", {}, headers={"Origin": ""})[0] == 403
    assert refused(server, "state", {}, headers={"Origin": "http://example.org"})[0] == 403
    assert refused(server, "", headers={"Origin": "null"})[0] == 403
    assert refused(server, "state", {}, headers={"Host": "example.org"})[0] == 403
    assert refused(server, "state", {}, headers={"Content-Type": "text/plain"})[0] == 400
    assert refused(server, "nothing", {})[0] == 400
    assert refused(server, "correct", {"version": 0})[0] == 400
    assert refused(server, "correct", {"version": 0, "corrections": [{"place": 999}]})[0] == 400
    assert refused(server, "other", headers={"Origin": ""})[0] == 404


def test_text_of_the_treebank_cannot_run(chromium: Any, tmp_path: Path) -> None:
    nasty = "<img/src=x/onerror=alert(1)>"
    text = treebank().replace("door", nasty).replace("dogf", "</script><script>alert(2)</script>")
    (tmp_path / "x.conllu").write_text(text)
    for server in served(tmp_path):
        tab = DeskTab(chromium, server)
        tab.show("s5", 1)
        tab.press("t")
        tab.settled()
        tab.show("s15", 2)
        assert tab.complaints == []
        assert "onerror" in tab.text("#arc-content .sentence")
        policy = tab.page.get_attribute("meta[http-equiv]", "content")
        assert "connect-src 'self'" in policy
        assert "script-src 'sha256-" in policy


@pytest.mark.parametrize("width", [390, 1200])
def test_the_desk_fits_the_window(chromium: Any, server: DeskServer, width: int) -> None:
    tab = DeskTab(chromium, server, width=width)
    for name in ("arcs", "difference", "about"):
        tab.page.click(f"#tab-{name}")
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, name
