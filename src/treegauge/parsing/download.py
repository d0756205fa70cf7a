"""Universal Dependencies treebanks by name, downloaded once and checked at every later use."""

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import IO, Any

from treegauge.corpus.conllu import Reader, stream_opened
from treegauge.corpus.files import read_text, write_whole
from treegauge.errors import CorpusError, MalformedError, OptionError
from treegauge.extras import needed

RELEASE = "2.17"  # the newest release that the list of treebanks knows; `fetch` takes it unless told otherwise
LARGEST = 1 << 30  # bytes of a file; the largest treebanks have a third of that
LONGEST = 1800  # seconds that a file may take
SILENCE = 30  # seconds without a byte until a server counts as out of reach
SUMS = "SHA256SUMS"
PARTS = ("train", "dev", "test")


@cache
def _table(name: str) -> list[list[str]]:
    """The words of each line of a file in this folder, without comments."""
    lines = read_text(os.path.join(os.path.dirname(__file__), name)).split("\n")
    return [line.split() for line in lines if line and not line.startswith("#")]


def known_treebanks() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Language code -> language, and its treebanks as their repositories spell them."""
    return {code: (language, tuple(treebanks)) for code, language, *treebanks in _table("ud_treebanks.txt")}


def repository_of(code: str) -> str:
    """The repository of a treebank: `UD_English-EWT` for `en_ewt`."""
    language, _, treebank = code.partition("_")
    name, treebanks = known_treebanks().get(language, ("", ()))
    for spelled in treebanks:
        if spelled.lower() == treebank:
            return f"UD_{name}-{spelled}"
    if name:
        known = f"of {name} there are {', '.join(f'{language}_{spelled.lower()}' for spelled in treebanks)}"
    else:
        known = f"languages are {', '.join(known_treebanks())}"
    raise OptionError(f"treebank {code!r} is not in the list; {known}; or give --repository UD_Language-Treebank")


def cache_folder() -> str:
    """The folder for downloaded treebanks: TREEGAUGE_CACHE, or the user's cache folder."""
    return os.environ.get("TREEGAUGE_CACHE") or str(needed("pooch", "fetch", "fetching").os_cache("treegauge"))


def url_patterns() -> list[str]:
    """The URLs at which a file of a release may be, best first."""
    return [url for _, url, *_ in _table("ud_urls.txt")]


def fetch_treebank(
    code: str,
    release: str = RELEASE,
    *,
    folder: str | None = None,
    repository: str | None = None,
    copy: str | None = None,
    checksums: str | None = None,
    starting: Callable[[str], None] = lambda url: None,
) -> list[str]:
    """The files of a UD treebank (train, dev and test, if it has them), downloaded if they are missing.

    A file beside them has the SHA-256 of each, in the format of `sha256sum`. A file that no longer has its SHA-256 is
    downloaded again; a download with another SHA-256 is refused, and so is what is not CoNLL-U, more than LARGEST bytes
    or not complete after LONGEST seconds. If all files are complete, no network is needed.
    copy: a folder that somebody downloaded, from which files are copied instead. checksums: a file with the SHA-256
    that the files must have. starting is called with each URL or file before it is read.
    """
    for name, value, pattern in (
        ("treebank", code, r"[a-z]{2,8}_[a-z0-9]{1,40}"),
        ("release", release, r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}"),
        ("repository", repository or "UD_A-B", r"UD_[A-Za-z_]{1,60}-[A-Za-z0-9]{1,40}"),
    ):
        if not re.fullmatch(pattern, value):  # they become names of files and folders
            raise OptionError(f"{name} {value!r}; expected such as en_ewt, {RELEASE}, UD_English-EWT")
    repository = repository or repository_of(code)
    home = folder or os.path.join(cache_folder(), "ud", f"r{release}", code)
    sums_file = os.path.join(home, SUMS)
    before = _read_sums(sums_file)
    expected = before | (_user_sums(checksums, before) if checksums else {})
    sums: dict[str, str] = {}
    paths: list[str] = []
    for file in before or [f"{code}-ud-{part}.conllu" for part in PARTS]:
        path, known = os.path.join(home, file), expected.get(file)
        if known is None or not os.path.isfile(path) or _sha256(path) != known:
            if copy is None:
                complete = _download(f"ud:{code}", _urls(repository, release, file), path, known, starting)
            else:
                complete = _copy(copy, (repository, release, file), path, known, starting)
            if not complete:
                continue
        paths.append(path)
        sums[file] = _sha256(path)
    if not paths:
        where = f"release {release} of {repository}" if copy is None else copy
        raise CorpusError(f"ud:{code}: {where} has no {code}-ud-*.conllu file")
    if sums != before:
        with write_whole(sums_file) as stream:
            stream.writelines(f"{sums[file]}  {file}\n".encode() for file in sorted(sums))
    return paths


def _urls(repository: str, release: str, file: str) -> list[str]:
    """The URLs at which a file may be; TREEGAUGE_UD_URL replaces them by another one."""
    own = os.environ.get("TREEGAUGE_UD_URL")
    try:
        patterns = [own] if own is not None else url_patterns()
        return [pattern.format(repository=repository, release=release, file=file) for pattern in patterns]
    except (LookupError, ValueError, AttributeError) as error:
        raise OptionError(f"TREEGAUGE_UD_URL {own!r}; expected {url_patterns()[0]!r} or such") from error


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy(
    folder: str, name: tuple[str, str, str], path: str, known: str | None, starting: Callable[[str], None]
) -> bool:
    """Copy a file to a path; False if the folder does not have it.

    The folder is an unpacked release, the folder around it, a repository, or a folder with the files themselves.
    """
    repository, release, file = name
    inside = ("", repository, os.path.join(f"ud-treebanks-v{release}", repository))
    for source in (os.path.join(folder, place, file) for place in inside):
        if os.path.isfile(source):
            if known is not None and (digest := _sha256(source)) != known:
                raise CorpusError(f"{source}: its SHA-256 is {digest}; expected {known}")
            starting(source)
            _keep(source, source, path)
            return True
    return False


def _user_sums(path: str, before: dict[str, str]) -> dict[str, str]:
    """The checksums in a user's file; none may differ from the checksum that a file had before."""
    if not os.path.exists(path):
        raise OptionError(f"{path}: no such file; expected a list of checksums, as `sha256sum` writes it")
    sums = _read_sums(path)
    for file, digest in before.items():
        if sums.get(file, digest) != digest:
            raise CorpusError(f"{path}: {file} has SHA-256 {sums[file]}; expected {digest}, which it had before")
    return sums


def _read_sums(path: str) -> dict[str, str]:
    """File -> SHA-256, from a file in the format of `sha256sum`; empty if there is no such file."""
    if not os.path.exists(path):
        return {}
    sums: dict[str, str] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        digest, _, file = line.partition("  ")
        if re.fullmatch(r"[0-9a-f]{64}", digest) and re.fullmatch(r"[a-z0-9_]+-ud-[a-z]+\.conllu", file):
            sums[file] = digest
        elif line:
            expected = "a SHA-256, two spaces and the name of a file; remove it to fetch again"
            raise OptionError(f"{path}:{number}: {line[:80]!r}; expected {expected}")
    return sums


def _download(where: str, urls: Sequence[str], path: str, known: str | None, starting: Callable[[str], None]) -> bool:
    """Download a file from the first URL that answers; known: its checksum, or None. False if there is no such file."""
    for k, url in enumerate(urls, 1):
        starting(url)
        try:
            return _retrieve(where, url, path, known)
        except _UnreachableError as error:
            if k == len(urls):
                raise CorpusError(
                    f"{where}: {', '.join(urls)} cannot be reached ({error}). Without a network, copy the treebank "
                    "from elsewhere and give its folder (--from), or set TREEGAUGE_UD_URL to "
                    "a mirror (http://host/{repository}/{release}/{file})"
                ) from error
    return False


class _UnreachableError(Exception):
    """A server that does not answer."""


def _retrieve(where: str, url: str, path: str, known: str | None) -> bool:
    """Download a file from a URL. known: its checksum, if known. False if the release has no such file."""
    needed("pooch", "fetch", "fetching")  # it brings requests
    import requests
    import urllib3

    with tempfile.NamedTemporaryFile() as stream:
        try:
            with requests.get(url, stream=True, timeout=SILENCE, headers={"Accept-Encoding": "identity"}) as response:
                if response.status_code == 404 and known is None:
                    return False
                response.raise_for_status()
                _receive(response, stream, f"{where}: {url}")
        except requests.HTTPError as error:
            raise CorpusError(f"{where}: {url}: {error}") from error
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise _UnreachableError(type(error).__name__) from error
        except OSError as error:
            raise CorpusError(f"{where}: {url}: {error}") from error
        stream.flush()
        digest = _sha256(stream.name)
        if known is not None and digest != known:
            other = f"its SHA-256 is {digest}; expected {known}"
            raise CorpusError(f"{where}: {url}: what was downloaded is not what it was before: {other}")
        _keep(stream.name, url, path)
    return True


def _receive(response: Any, stream: IO[bytes], where: str) -> None:
    """Write the body of a response to a stream, within the limits of size and time."""
    end, size = time.monotonic() + LONGEST, 0
    expected = response.headers.get("Content-Length", "")
    while block := response.raw.read1(1 << 16):  # what has come so far: a slow server cannot delay the checks
        size += len(block)
        if size > LARGEST:
            raise CorpusError(f"{where}: more than {LARGEST:,} bytes; expected a treebank. Nothing was kept")
        if time.monotonic() > end:
            raise CorpusError(f"{where}: not complete after {LONGEST:,} seconds. Nothing was kept")
        stream.write(block)
    if expected.isdigit() and size < int(expected):
        raise CorpusError(f"{where}: {size:,} bytes; expected {int(expected):,}. Nothing was kept")


def _keep(source: str, name: str, path: str) -> None:
    """Copy a file to a path if it is CoNLL-U with at least one sentence; name: what an error calls it."""
    reader = Reader(("form",), trees=False)
    try:
        with open(source, "rb") as stream:
            words = sum(piece.n_words for piece in stream_opened(reader, [(name, stream)]))
    except MalformedError as error:
        raise CorpusError(f"{error}; expected a treebank in CoNLL-U. Nothing was kept") from error
    if not words:
        raise CorpusError(f"{name}: no sentences; expected a treebank in CoNLL-U. Nothing was kept")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(source, "rb") as old, write_whole(path) as new:
        shutil.copyfileobj(old, new)
