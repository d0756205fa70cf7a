"""What people read is plain: docstrings, comments, help and pages do without the riddles that the style guide lists."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

import treegauge

ROOT = Path(__file__).parents[1]
PACKAGE = Path(treegauge.__file__).parent
# what is refused -> what to write instead
RIDDLES = {
    r"^(Those|That|All|Some|Each) of\b": "begin with a noun: `The rows that the mask selects.`",
    r"\AOf\b(?! course)": "begin with a noun, not with `Of`",
    r"\b(NaN|nan|None|0|-1|−1|empty) of (none|nothing|no)\b": "`NaN if there are no arcs`",
    r"\b(has|have|had) not (the|a|an|this|that|these|those|it|its|any)\b": "`does not have the word`",
    r"\b(that|which|parse|language) (has|have) not(?= has|,|;|\.|:| as well|$)": "`does not have`",
    r"\bto be taken at its word\b": "say what the number means",
    r"\bnothing is kept here then\b": "say what stays in memory",
}


def refused(text: str) -> str | None:
    """The first riddle in a text, and what to write instead."""
    for pattern, advice in RIDDLES.items():
        found = re.search(pattern, text, flags=re.MULTILINE)
        if found:
            return f"{found.group()!r}: {advice}"
    return None


def sayings(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings, other strings with several words, and comments of a source file, with their lines."""
    source = path.read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 2:
            yield node.lineno, "\n".join(line.strip() for line in node.value.splitlines())
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_source_speaks_plainly(path: Path) -> None:
    for line, text in sayings(path):
        assert not refused(text), f"{path.name}:{line}: {refused(text)} in {text[:80]!r}"


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))],
    ids=lambda page: page.stem,
)
def test_a_page_speaks_plainly(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert not refused(prose), f"{page.name}: {refused(prose)}"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Those of a mask.", "The rows that the mask selects."),
        ("Of items with these scores, none of them NaN.", "One score for each item, no NaN."),
        ("NaN of none", "NaN if there are no arcs"),
        ("parses that have not the word", "parses that do not have the word"),
        ("a word that a parse has not, counts", "a word that a parse does not have, counts"),
    ],
)
def test_riddles_are_refused_and_plain_words_are_not(text: str, plain: str) -> None:
    assert refused(text)
    assert not refused(plain)
