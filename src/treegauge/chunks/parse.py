"""The whole parser: tagged words to chunks, clauses and links, one sentence at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treegauge.chunks.arguments import verbal_links
from treegauge.chunks.chunker import COLUMNS, Chunk, Word, chunk_sentence, tagged_sentences
from treegauge.chunks.clauses import Clause, find_clauses
from treegauge.chunks.lexicon import Lexicon, find_lexicon
from treegauge.chunks.links import Links, without_crossings
from treegauge.chunks.rules import Rules, find_rules
from treegauge.chunks.shallow import add_shallow_links
from treegauge.corpus.conllu import Corpus, stream_conllu
from treegauge.corpus.files import expand_paths
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.chunks.strata import StrataScores
    from treegauge.chunks.system_strata import SystemStrata

Source = Corpus | str | os.PathLike[str]


@dataclass(frozen=True, slots=True, repr=False)
class ChunkParse:
    """A sentence's words, the letters of their classes, chunks, clauses and links."""

    words: Sequence[Word]
    letters: str
    chunks: Sequence[Chunk]
    clauses: Sequence[Clause]
    home: Sequence[int]  # of each chunk: the number of its clause
    links: Links

    def __repr__(self) -> str:
        text = " ".join(chunk.kind for chunk in self.chunks)
        return f"ChunkParse({counted(len(self.words), 'word')}, {counted(len(self.clauses), 'clause')}: {text})"


class Chaos:
    """A parser: rules and a lexicon of verb frames."""

    def __init__(self, rules: str | Rules = "it", lexicon: str | Lexicon | None = None) -> None:
        """Rules and lexicon are given by a file or bundled name; the lexicon is the rules' own unless another is."""
        self.rules = find_rules(rules) if isinstance(rules, str) else rules
        name = self.rules.lexicon if lexicon is None else lexicon
        self.lexicon = name if isinstance(name, Lexicon) else find_lexicon(name) if name else Lexicon({})
        self.used: set[tuple[str, int]] = set()  # the ways by which word classes were known so far

    def __repr__(self) -> str:
        return f"Chaos({self.rules.name!r}, lexicon of {len(self.lexicon.frames)} verbs)"

    @property
    def settings(self) -> str:
        """What a score must carry: rules, lexicon, largest number of governors, and whether all links are planar."""
        most = [one.most for found in self.rules.searches.values() for one in found]
        shown = "all" if 0 in most else max(most, default=1)
        planar = "yes" if self.rules.planar else "no"
        return f"chaos:{self.rules.name}|lexicon:{self.lexicon.name or 'none'}|governors:{shown}|planar:{planar}"

    def parse(self, words: Sequence[Word]) -> ChunkParse:
        """Chunks, then clauses, then verbal links, then the others (1998, Fig. 2)."""
        chunks, letters = chunk_sentence(words, self.rules)
        clauses, home = find_clauses(chunks, self.rules.conjunction, self.lexicon)
        links = verbal_links(chunks, clauses, self.rules, self.lexicon)
        add_shallow_links(chunks, clauses, home, self.rules, links)
        without_crossings(links, self.rules.planar)
        return ChunkParse(words, letters, chunks, clauses, home, links)

    def parse_corpus(self, source: Source) -> Iterator[ChunkParse]:
        """Each sentence of a corpus, or of a CoNLL-U file, folder or glob, by its words and tags alone."""
        pieces = [source] if isinstance(source, Corpus) else tagged_pieces([source])
        for piece in pieces:
            for words in tagged_sentences(piece, self.rules, self.used):
                yield self.parse(words)

    def missing(self) -> str:
        """Features that no word of the corpora parsed so far has, and what their classes were known by instead."""
        return self.rules.ways.missing(self.used)

    def evaluate(self, gold: Source | Sequence[Source], best: bool = False) -> StrataScores:
        """Recall and precision of the strata on UD trees, whose tags are parsed; for several corpora, in total too.

        best: one link for each chunk, otherwise every alternative is an edge.
        """
        from treegauge.chunks.strata import evaluate_chaos

        golds = [gold] if isinstance(gold, Corpus | str | os.PathLike) else list(gold)
        return evaluate_chaos(self, golds, best)

    def evaluate_systems(self, gold: Source, systems: Sequence[Source]) -> SystemStrata:
        """Recall and precision in each stratum of other parses of a gold corpus; arcs may be missing (HEAD `_`)."""
        from treegauge.chunks.system_strata import evaluate_systems

        return evaluate_systems(self, gold, systems)


def tagged_pieces(sources: Iterable[str | os.PathLike[str]], on_error: str = "stop") -> Iterator[Corpus]:
    """CoNLL-U files, folders and globs in pieces, with the columns that are parsed; trees in them are ignored."""
    yield from stream_conllu(*expand_paths(sources), columns=COLUMNS, trees=False, on_error=on_error)
