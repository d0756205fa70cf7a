"""Universal Dependencies treebanks by name, downloaded once and checked ever after."""

import os
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from treegauge.corpus.files import read_text, write_whole
from treegauge.errors import CorpusError, OptionError

RELEASE = "2.15"
# Where a file of a release is; TREEGAUGE_UD_URL names another place.
URL = "https://raw.githubusercontent.com/UniversalDependencies/{repository}/r{release}/{file}"
SUMS = "SHA256SUMS"
PARTS = ("train", "dev", "test")


@cache
def known_treebanks() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Language code -> language, and its treebanks as their repositories spell them."""
    lines = read_text(os.path.join(os.path.dirname(__file__), "ud_treebanks.txt")).split("\n")
    found = (line.split() for line in lines if line and not line.startswith("#"))
    return {code: (language, tuple(treebanks)) for code, language, *treebanks in found}


def repository_of(code: str) -> str:
    """The repository of a treebank, `UD_English-EWT` for `en_ewt`."""
    language, _, treebank = code.partition("_")
    name, treebanks = known_treebanks().get(language, ("", ()))
    for spelled in treebanks:
        if spelled.lower() == treebank:
            return f"UD_{name}-{spelled}"
    if name:
        known = f"of {name} there are {', '.join(f'{language}_{one.lower()}' for one in treebanks)}"
    else:
        known = f"languages are {', '.join(known_treebanks())}"
    raise OptionError(f"treebank {code!r} is not in the list; {known}; or give --repository UD_Language-Treebank")


def cache_folder() -> str:
    """Where treebanks are kept: TREEGAUGE_CACHE, or the user's cache folder."""
    return os.environ.get("TREEGAUGE_CACHE") or str(_pooch().os_cache("treegauge"))


def _pooch() -> Any:
    try:
        import pooch
    except ModuleNotFoundError as error:
        raise OptionError("fetching needs pooch: pip install 'treegauge[fetch]'") from error
    return pooch


def fetch_treebank(
    code: str,
    release: str = RELEASE,
    *,
    folder: str | None = None,
    repository: str | None = None,
    starting: Callable[[str], None] = lambda url: None,
) -> list[str]:
    """The files of a UD treebank (train, dev and test, those of them that it has), downloaded if they are not there.

    The SHA-256 of each is kept beside them, in the form of `sha256sum`; a file that no longer has it is downloaded
    again, and one that is downloaded with another is refused. What is there whole is not asked for again, so no
    network is needed then. starting is told each URL that is.
    """
    for what, value, form in (
        ("treebank", code, r"[a-z]{2,8}_[a-z0-9]{1,40}"),
        ("release", release, r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}"),
        ("repository", repository or "UD_A-B", r"UD_[A-Za-z_]{1,60}-[A-Za-z0-9]{1,40}"),
    ):
        if not re.fullmatch(form, value):  # they become names of files and folders
            raise OptionError(f"{what} {value!r}; expected such as en_ewt, 2.15, UD_English-EWT")
    repository = repository or repository_of(code)
    home = folder or os.path.join(cache_folder(), "ud", f"r{release}", code)
    sums_file = os.path.join(home, SUMS)
    sums = _read_sums(sums_file)
    pattern = os.environ.get("TREEGAUGE_UD_URL", URL)

    def fetched(file: str) -> str | None:
        try:
            url = pattern.format(repository=repository, release=release, file=file)
        except (LookupError, ValueError, AttributeError) as error:
            raise OptionError(f"TREEGAUGE_UD_URL {pattern!r}; expected {URL!r} or such") from error
        path = _retrieved(f"ud:{code}", url, os.path.join(home, file), sums.get(file), starting)
        if path is not None:
            sums[file] = _pooch().file_hash(path)
        return path

    if sums:
        return [fetched(file) or "" for file in sums]
    found = [path for part in PARTS if (path := fetched(f"{code}-ud-{part}.conllu"))]
    if not found:
        raise CorpusError(f"ud:{code}: release {release} of {repository} has no {code}-ud-*.conllu file")
    with write_whole(sums_file) as stream:
        stream.writelines(f"{sums[file]}  {file}\n".encode() for file in sorted(sums))
    return found


def _read_sums(path: str) -> dict[str, str]:
    """File -> SHA-256, in the form of `sha256sum`; nothing where there is no such file."""
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


def _retrieved(where: str, url: str, path: str, known: str | None, starting: Callable[[str], None]) -> str | None:
    """Where the file of a URL is now, whose checksum may be known; None where the release has no such file."""
    pooch = _pooch()
    import requests

    home, file = os.path.split(path)
    if known is None or not os.path.isfile(path) or pooch.file_hash(path) != known:
        starting(url)
    pooch.get_logger().setLevel("ERROR")
    try:
        return str(pooch.retrieve(url, known and f"sha256:{known}", fname=file, path=home))
    except requests.HTTPError as error:
        if error.response is not None and error.response.status_code == 404 and known is None:
            return None
        raise CorpusError(f"{where}: {url}: {error}") from error
    except requests.RequestException as error:
        raise CorpusError(
            f"{where}: {url} cannot be reached ({type(error).__name__}). Without a network, put its files "
            f"into {home} from elsewhere and use them as they are, or set TREEGAUGE_UD_URL to "
            "a mirror (http://host/{repository}/{release}/{file})"
        ) from error
    except ValueError as error:  # pooch's word for a checksum that does not fit
        raise CorpusError(f"{where}: {url}: what was downloaded is not what it was before: {error}") from error
    except OSError as error:
        raise CorpusError(f"{where}: {home}: {error}") from error
