"""Read constituency trees: brackets in the styles of several treebanks, and formats whose branches may cross."""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from treegauge.constituency.crossing import discontinuous_tree, is_discontinuous, parse_export, parse_tigerxml
from treegauge.constituency.trees import Leaf, Tree
from treegauge.corpus.conllu import ON_ERROR
from treegauge.corpus.files import COMPRESSED, expand_paths, open_bytes
from treegauge.errors import CorpusError, MalformedError, OptionError, path_list
from treegauge.wording import counted

Source = str | os.PathLike[str]
T = TypeVar("T")
EMPTY = "-NONE-"  # the tag of empty elements, which are not pronounced
MOST_FILES = 3  # how many files with repeated trees are named
MOST_LEVELS = 250  # if a tree is nested deeper, closing brackets must be missing


@dataclass(frozen=True, slots=True)
class Style:
    """The way in which one family of treebanks writes brackets."""

    suffixes: tuple[str, ...]  # endings of its files in a directory
    encodings: tuple[str, ...]  # tried in this order
    token: re.Pattern[str]
    comment: re.Pattern[str] | None = None  # a line that belongs to no tree and ends the tree before it
    most_words: int = 1  # in one leaf: a word, or a word and a lemma
    empty_words: frozenset[str] = frozenset()  # a leaf with this word is an empty element
    bare_leaves: bool = False  # (.) is a tag and also its word, and a lone leaf may lack its closing bracket
    numbered: bool = False  # words have their places, 0=word, and branches may cross
    # for what is no bracketed text: a function that gives each tree of a text with its line, or a message
    parse: Callable[[str], Iterator[tuple[int, Tree | str]]] | None = None


_TOKEN = re.compile(r"[()]|[^\s()]+")
STYLES = {
    "penn": Style((".mrg", ".psd", ".ptb", ".parse", ".brackets"), ("utf-8",), _TOKEN),
    "cess": Style((".tbf",), ("utf-8", "latin-1"), _TOKEN, most_words=2, empty_words=frozenset({"*0*"})),
    "floresta": Style(
        (".ptb",),
        ("utf-8", "latin-1"),
        # a bracket right behind letters belongs to the word
        re.compile(r"[()]|[^\s()]+(?:\([^\s()]+\)[^\s()]*)*"),
        comment=re.compile(r"#.*"),
        bare_leaves=True,
    ),
    # Chinese Treebank: trees between lines of SGML, such as <S ID=1> and </S>
    "ctb": Style(
        (".fid", ".nw", ".bn", ".bc", ".mz", ".wb", ".df", ".cs", ".sc"),
        ("utf-8", "gb18030"),
        _TOKEN,
        comment=re.compile(r"\s*<.*>\s*$"),
    ),
    "discbracket": Style((".dbr", ".discbracket"), ("utf-8",), _TOKEN, numbered=True),
    "export": Style((".export", ".negra"), ("utf-8", "latin-1"), _TOKEN, parse=parse_export),
    "tigerxml": Style((".xml", ".tiger"), ("utf-8", "latin-1"), _TOKEN, parse=parse_tigerxml),
}


@dataclass(frozen=True, slots=True)
class BracketDefect:
    """The reason why a tree was left out, and its place."""

    path: str
    line: int
    tree: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: tree {self.tree}: {self.message}"


@dataclass(frozen=True, slots=True)
class Repeats:
    """The trees of a treebank that occur in it more than once."""

    count: int
    trees: int  # in the whole treebank
    files: dict[tuple[str, str], int]  # a file, and another that has at least half of its trees -> how many it has

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        are = f"{self.count:,} of {self.trees:,} trees {'is' if self.count == 1 else 'are'} repeated"
        if not self.files:
            return are
        pairs = [(*map(os.path.basename, pair), n) for pair, n in list(self.files.items())[:MOST_FILES]]
        shown = [f"{n:,} of {file} are in {other}" for file, other, n in pairs]
        more = f"; and {len(self.files) - MOST_FILES:,} more" if len(self.files) > MOST_FILES else ""
        return f"{are} ({'; '.join(shown)}{more}); give each tree once"


@dataclass(frozen=True, slots=True, repr=False)
class BracketTreebank:
    """Trees as they are in their files, with the file and line where each begins."""

    name: str
    trees: tuple[Tree, ...]
    places: tuple[tuple[str, int], ...]
    defects: tuple[BracketDefect, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.trees)

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.trees)

    def __repr__(self) -> str:
        return f"BracketTreebank({self.name!r}, {counted(len(self), 'tree')})"

    def repeats(self) -> Repeats:
        """How many trees are the same as a tree before, and which files have most of their trees in another file."""
        first: dict[Tree, str] = {}  # tree -> the file where it is for the first time
        count, sizes, shared = 0, Counter[str](), Counter[tuple[str, str]]()
        for tree, (path, _) in zip(self.trees, self.places, strict=True):
            sizes[path] += 1
            if tree in first:
                count += 1
                shared[path, first[tree]] += 1
            else:
                first[tree] = path
        files = {(a, b): n for (a, b), n in shared.items() if a != b and 2 * n >= sizes[a]}
        return Repeats(count, len(self), files)


BracketSource: TypeAlias = BracketTreebank | Source | Iterable[Source]


def read_brackets(*sources: Source | Iterable[Source], style: str = "penn", on_error: str = "stop") -> BracketTreebank:
    """The trees of files, directories and globs as one treebank; compressed files and `-` are read too.

    A source is a path or a sequence of paths.

    style: penn; cess (leaves are `(tag word lemma)`, `*0*` is empty); floresta (trees stand between lines
    that begin with #; `(.)` is a leaf; a one-word tree may lack its closing bracket); ctb (trees stand between lines of
    SGML); discbracket (words have their places: `(NN 3=dog)`), export (NEGRA and TIGER) and tigerxml, where branches
    may cross (see `continuous`). A malformed tree raises CorpusError; with on_error="skip" it is left out and listed in
    `defects`.
    """
    if style not in STYLES:
        raise OptionError(f"style {style!r}; expected one of {', '.join(STYLES)}")
    if on_error not in ON_ERROR:
        raise OptionError(f"on_error {on_error!r}; expected one of {', '.join(ON_ERROR)}")
    trees: list[Tree] = []
    places: list[tuple[str, int]] = []
    defects: list[BracketDefect] = []
    paths = [os.fspath(path) for source in sources for path in path_list(source, "a path, several paths, or trees")]
    for path in _files(paths, STYLES[style].suffixes):
        with open_bytes(path) as stream:
            text = _decoded(path, stream.read(), STYLES[style].encodings)
        for number, (line, tree) in enumerate(parse_brackets(text, style), 1):
            if isinstance(tree, Tree):
                trees.append(tree)
                places.append((path, line))
                continue
            defect = BracketDefect(path, line, number, tree)
            if on_error != "skip":
                raise MalformedError(str(defect))
            defects.append(defect)
    name = " … ".join([*paths[:1], *paths[1:][-1:]])
    return BracketTreebank(name, tuple(trees), tuple(places), tuple(defects))


def as_treebank(source: BracketSource, style: str = "penn", on_error: str = "stop") -> BracketTreebank:
    """The treebank of some paths; a treebank is returned as it is."""
    return source if isinstance(source, BracketTreebank) else read_brackets(source, style=style, on_error=on_error)


def _files(paths: Iterable[str], suffixes: Sequence[str]) -> list[str]:
    files: list[str] = []
    endings = tuple(suffix + ending for suffix in suffixes for ending in ("", *COMPRESSED))
    for path in paths:
        own = expand_paths([path]) if not os.path.isdir(path) else []
        for folder, _, names in os.walk(path):
            own += [os.path.join(folder, name) for name in names if name.endswith(endings)]
        if not own:
            raise CorpusError(f"{path}: no file in this directory ends in {' '.join(suffixes)}")
        files += sorted(own)
    return files


def _decoded(path: str, data: bytes, encodings: Sequence[str]) -> str:
    for encoding in encodings:
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            wrong = f"{path}:{line}: byte 0x{data[error.start]:02x}; expected {' or '.join(encodings)}"
    raise CorpusError(wrong)


def parse_brackets(text: str, style: str = "penn") -> Iterator[tuple[int, Tree | str]]:
    """Each tree of a text with its line; or a message about a malformed tree, with the line of the problem.

    After a tree whose brackets balance, reading continues right there; after a tree that never closes, at the next line
    that begins with an opening bracket.
    """
    habits = STYLES[style]
    if habits.parse is not None:
        yield from habits.parse(text)
        return
    first, part = 1, list[str]()  # the lines between two comments
    for number, line in enumerate(text.split("\n"), 1):
        if habits.comment and habits.comment.match(line):
            yield from _Reader("\n".join(part), first, habits).trees()
            first, part = number + 1, []
        else:
            part.append(line)
    yield from _Reader("\n".join(part), first, habits).trees()


@dataclass(slots=True)
class _OpenNode:
    """A node whose closing bracket has not been read yet."""

    line: int
    label: str | None = None
    words: list[str] = field(default_factory=list)
    children: list[Tree | Leaf] = field(default_factory=list)


class _Reader:
    """Builds the trees of one piece of text."""

    def __init__(self, text: str, first_line: int, habits: Style) -> None:
        self.habits = habits
        self.tokens: list[str] = []
        self.lines: list[int] = []  # the line of each token
        self.left: list[int] = []  # tokens that are opening brackets in a line's first column
        for number, line in enumerate(text.split("\n"), first_line):
            tokens = habits.token.findall(line)
            if line.startswith("("):
                self.left.append(len(self.tokens))
            self.tokens += tokens
            self.lines += [number] * len(tokens)
        stack: list[int] = []
        for at, token in enumerate(self.tokens):
            if token == "(":
                stack.append(at)
            elif token == ")" and stack:
                stack.pop()
        self.never_closed = stack  # places of opening brackets, in order

    def trees(self) -> Iterator[tuple[int, Tree | str]]:
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if token == "(":
                tree, at = self.tree(at)
                yield tree
                continue
            what = "a closing bracket" if token == ")" else f"{token!r}"
            yield self.lines[at], f"{what} outside any tree; expected ("
            while at < len(self.tokens) and self.tokens[at] != "(":
                at += 1

    def tree(self, begin: int) -> tuple[tuple[int, Tree | str], int]:
        """The tree that begins at a token, or its defect, with the line; and the token after the tree."""
        nth = bisect_left(self.never_closed, begin)
        if self.never_closed[nth : nth + 1] == [begin]:
            return self.open_tree(nth)
        stack: list[_OpenNode] = []
        wrong: tuple[int, str] | None = None
        at = begin
        while True:
            token = self.tokens[at]
            at += 1
            if token == "(":
                stack.append(_OpenNode(self.lines[at - 1]))
                if len(stack) > MOST_LEVELS and wrong is None:
                    wrong = self.lines[begin], _too_deep(_shown(stack))
            elif token != ")":
                node = stack[-1]
                if node.label is None and not node.children:
                    node.label = token
                else:
                    node.words.append(token)
            else:
                node = stack.pop()
                built = self.built(node, stack, wrong is None)
                if isinstance(built, str):
                    if wrong is None:
                        wrong = node.line, f"{built}, {_shown(stack)}" if stack else built
                    built = Leaf("", "")
                if stack:
                    stack[-1].children.append(built)
                elif wrong is not None:
                    return wrong, at
                else:
                    tree = built if isinstance(built, Tree) else Tree("", (built,))
                    return (self.lines[begin], self.continuous(tree)), at

    def continuous(self, tree: Tree) -> Tree | str:
        """The tree; without crossing branches if its words are numbered; a message if they should not be."""
        if self.habits.numbered:
            return discontinuous_tree(tree)
        if is_discontinuous(tree):
            return "words with their places (0=word); this is discbracket: expected --brackets discbracket"
        return tree

    def open_tree(self, nth: int) -> tuple[tuple[int, Tree | str], int]:
        """The leaf or the defect at the nth bracket that never closes, with its line; and the next token to read."""
        begin = self.never_closed[nth]
        line, rest = self.lines[begin], self.tokens[begin + 1 : begin + 4]
        if self.habits.bare_leaves and len(rest) == 2 and "(" not in rest:
            return (line, Tree("", (Leaf(*rest),))), len(self.tokens)
        levels = len(self.never_closed) - nth
        shown = _inside([self.label(at) for at in _ends(self.never_closed, nth)], levels, line)
        message = _too_deep(shown) if levels > MOST_LEVELS else f"the text ends {shown}; expected )"
        return (line, message), self.next_tree(begin)

    def label(self, begin: int) -> str:
        """The label after an opening bracket; empty if there is none."""
        behind = self.tokens[begin + 1] if begin + 1 < len(self.tokens) else ""
        return "" if behind in ("(", ")") else behind

    def built(self, node: _OpenNode, above: list[_OpenNode], check: bool) -> Tree | Leaf | str:
        """The node or leaf that is now complete, or a message about its defect."""
        if not check:  # the tree has a defect already; only its end is of interest
            return Leaf("", "")
        label, words = node.label or "", node.words
        if node.children:
            if words:
                return f"word {words[0]!r} beside nodes in ({label}; expected (TAG word)"
            if not label and above:
                return "a node without a label; expected (LABEL"
            return Tree(label, tuple(node.children))
        if not label:
            return "an empty node (); expected (TAG word)"
        if not words:
            if self.habits.bare_leaves:
                return Leaf(label, label)
            return f"({label}) lacks a tag or a word; expected (TAG word)"
        if words[0] in self.habits.empty_words:
            return Tree(label, (Leaf(EMPTY, words[0]),))
        if len(words) > self.habits.most_words:
            expected = "(TAG word)" if self.habits.most_words == 1 else "(TAG word lemma)"
            return f"{counted(len(words), 'word')} in ({label} {' '.join(words[:4])}); expected {expected}"
        return Leaf(label, words[0])

    def next_tree(self, begin: int) -> int:
        """The next token that is an opening bracket in a line's first column."""
        nth = bisect_right(self.left, begin)
        return self.left[nth] if nth < len(self.left) else len(self.tokens)


def _shown(stack: list[_OpenNode]) -> str:
    """A short text that names the open nodes, the outermost first."""
    return _inside([node.label or "" for node in _ends(stack)], len(stack), stack[0].line)


def _ends(items: list[T], first: int = 0) -> list[T]:
    """All items if they are few; otherwise the first three and the last two."""
    return items[first:] if len(items) - first <= 6 else items[first : first + 3] + items[-2:]


def _inside(labels: list[str], levels: int, line: int) -> str:
    """The labels of the open nodes; of many, those in the middle are left out."""
    shown = [f"({label}" for label in labels]
    if levels > len(shown):
        shown.insert(3, "…")
    return f"inside {' '.join(shown)} (open since line {line})"


def _too_deep(shown: str) -> str:
    return f"brackets nest more than {MOST_LEVELS} deep, {shown}; expected a tree"
