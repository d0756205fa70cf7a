"""Treebanks read from the history of a git repository."""

import gzip
import os
import subprocess
from pathlib import Path

import pytest

from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.revisions import read_revision
from treegauge.errors import CorpusError


def sentence(form: str, sent_id: str = "s1") -> str:
    return f"# sent_id = {sent_id}\n1\t{form}\t{form.lower()}\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def git(*arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *name, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits: `first` is a tag of the older, whose words are other ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git("init", "-q", "-b", "main")
    bank = tmp_path / "bank"
    (bank / "deep").mkdir(parents=True)
    (bank / "b.conllu").write_text(sentence("Go"))
    (bank / "deep" / "a.conllu.gz").write_bytes(gzip.compress(sentence("Stop").encode()))
    (bank / "notes.txt").write_text("nothing")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("nothing")
    (bank / "link.conllu").symlink_to("b.conllu")
    git("add", ".")
    git("commit", "-qm", "old")
    git("tag", "first")
    (bank / "b.conllu").write_text(sentence("Run"))
    git("commit", "-qam", "new")
    return tmp_path


def words(source: str) -> list[str]:
    corpus = read_revision(source)
    return [form for s in range(corpus.n_sentences) for form in corpus.forms(s)]


@pytest.mark.parametrize("revision", ["first", "HEAD~1", "main^", "main~1"])
def test_a_file_as_it_was(repository: Path, revision: str) -> None:
    assert words(f"{revision}:bank/b.conllu") == ["Go"]
    assert words("HEAD:bank/b.conllu") == words("bank/b.conllu") == ["Run"]


def test_a_folder_as_it_was_with_compressed_files(repository: Path) -> None:
    corpus = read_revision("first:bank")
    assert corpus.path == "first:bank"
    assert corpus.files == ("first:bank/b.conllu", "first:bank/deep/a.conllu.gz")
    assert words("first:bank") == words("first:bank/") == words("first:") == ["Go", "Stop"]
    assert corpus.where(1) == "first:bank/deep/a.conllu.gz:1"


def test_a_path_from_the_current_folder(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "bank" / "deep")
    assert words("first:../b.conllu") == ["Go"]
    assert words("first:./a.conllu.gz") == words("first:.") == ["Stop"]
    assert words("first:bank/b.conllu") == ["Go"]
    with pytest.raises(CorpusError, match="outside"):
        read_revision("first:../../../b.conllu")


def test_options_are_those_of_read_conllu(repository: Path) -> None:
    (repository / "bad.conllu").write_text("1\tA\t_\tX\t_\t_\t7\tdep\t_\t_\n\n" + sentence("Go"))
    git("add", ".")
    git("commit", "-qm", "bad")
    with pytest.raises(CorpusError, match=r"HEAD:bad\.conllu:1: sentence 1: head '7'"):
        read_revision("HEAD:bad.conllu")
    corpus = read_revision("HEAD:bad.conllu", on_error="skip", columns=("form",))
    assert len(corpus.defects) == corpus.n_words == 1
    assert list(corpus.codes) == ["form"]


def test_a_file_with_a_colon_is_a_file(repository: Path) -> None:
    (repository / "first:bank").write_text(sentence("Here"))
    assert words("first:bank") == words("firs?:b*") == ["Here"]


def test_a_glob_of_files(repository: Path) -> None:
    assert words("bank/[b].conllu") == ["Run"]
    assert read_revision("bank/b.conllu").files == read_conllu("bank/b.conllu").files


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere:bank", "nowhere:bank: no revision 'nowhere' in this git repository"),
        ("--help:bank", "--help:bank: no revision '--help' in this git repository"),
        ("--output=x:bank", "--output=x:bank: no revision '--output=x' in this git repository"),
        ("--since=2000:bank", "--since=2000:bank: no revision '--since=2000' in this git repository"),
        (":bank", ":bank: no revision '' in this git repository"),
        ("first:bank/c.conllu", "first:bank/c.conllu: no such file or directory in revision 'first'"),
        ("first:b*", r"first:b\*: no such file or directory in revision 'first'"),
        ("first:--help", "first:--help: no such file or directory in revision 'first'"),
        ("first:empty", "first:empty: no .conllu file there in revision 'first'"),
        ("first:bank/link.conllu", "first:bank/link.conllu: no .conllu file there in revision 'first'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(repository: Path, source: str, message: str) -> None:
    with pytest.raises(CorpusError, match=f"^{message}$"):
        read_revision(source)
    assert sorted(path.name for path in repository.iterdir()) == [".git", "bank", "empty"]


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(CorpusError, match=r"^HEAD:x: no such file, and no git repository here"):
        read_revision("HEAD:x")


def test_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CorpusError, match=r"^HEAD:x: no such file, and git cannot be run"):
        read_revision("HEAD:x")
