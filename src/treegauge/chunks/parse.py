"""The whole parser: tagged words to chunks, clauses and links, one sentence at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treegauge.chunks.arguments import verbal_links
from treegauge.chunks.chunker import Chunk, Word, chunk_sentence, tagged_sentences
from treegauge.chunks.clauses import Clause, find_clauses
from treegauge.chunks.lexicon import Lexicon, find_lexicon, make_lexicon
from treegauge.chunks.links import Links, without_crossings
from treegauge.chunks.rules import Rules, find_rules
from treegauge.chunks.shallow import add_shallow_links
from treegauge.corpus.conllu import Corpus


@dataclass(frozen=True, slots=True)
class ChunkParse:
    """A sentence's words, the letters of their classes, chunks, clauses and links."""

    words: Sequence[Word]
    letters: str
    chunks: Sequence[Chunk]
    clauses: Sequence[Clause]
    home: Sequence[int]  # of each chunk: the number of its clause
    links: Links


@dataclass(frozen=True, slots=True)
class Chaos:
    """A parser: rules and a lexicon."""

    rules: Rules
    lexicon: Lexicon

    def parse(self, words: Sequence[Word]) -> ChunkParse:
        """Chunks, then clauses, then verbal links, then the others (1998, Fig. 2)."""
        chunks, letters = chunk_sentence(words, self.rules)
        clauses, home = find_clauses(chunks, self.rules.conjunction)
        links = verbal_links(chunks, clauses, self.rules, self.lexicon)
        add_shallow_links(chunks, clauses, home, self.rules, links)
        without_crossings(links)
        return ChunkParse(words, letters, chunks, clauses, home, links)

    def parse_corpus(self, corpus: Corpus) -> Iterator[ChunkParse]:
        """Each sentence of a corpus, from FORM, LEMMA, UPOS and FEATS alone."""
        for words in tagged_sentences(corpus, self.rules):
            yield self.parse(words)


def make_chaos(rules: str = "it", lexicon: str | None = None) -> Chaos:
    """A parser with bundled or own rules; their own lexicon unless another is named."""
    found = find_rules(rules)
    name = found.lexicon if lexicon is None else lexicon
    return Chaos(found, find_lexicon(name) if name else make_lexicon({}))
