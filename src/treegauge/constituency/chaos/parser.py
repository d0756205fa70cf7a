"""The whole parser: it finds chunks, clauses and links of tagged words, one sentence at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from treegauge.constituency.chaos.chunker import COLUMNS, Word, chunk_sentence, tagged_sentences
from treegauge.constituency.chaos.clauses import find_clauses
from treegauge.constituency.chaos.lexicon import Lexicon, find_lexicon
from treegauge.constituency.chaos.links import add_shallow_links, verbal_links, without_crossings
from treegauge.constituency.chaos.parse import ChunkParse
from treegauge.constituency.chaos.rules import Rules, find_rules
from treegauge.corpus.conllu import read_conllu, stream_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import expand_paths
from treegauge.errors import OptionError, check_type
from treegauge.version import signature

if TYPE_CHECKING:
    from treegauge.constituency.chaos.strata import StrataScores
    from treegauge.constituency.chaos.system_strata import SystemStrata

Source = Corpus | str | os.PathLike[str]


class Chaos:
    """A parser: rules and a lexicon of verb frames."""

    def __init__(self, rules: str | Rules = "it", lexicon: str | Lexicon | None = None) -> None:
        """Rules and lexicon are a file or a bundled name; by default the rules name their lexicon."""
        check_type("rules", rules, (str, Rules), "a bundled name, a file of rules, or rules")
        check_type("lexicon", lexicon, (str, Lexicon, type(None)), "a bundled name, a file, or a lexicon")
        self.rules: Rules = find_rules(rules) if isinstance(rules, str) else rules
        name = self.rules.lexicon if lexicon is None else lexicon
        self.lexicon: Lexicon = name if isinstance(name, Lexicon) else find_lexicon(name) if name else Lexicon({})
        self.used: set[tuple[str, int]] = set()  # the ways by which word classes were known so far

    def __repr__(self) -> str:
        return f"Chaos({self.rules.name!r}, lexicon of {len(self.lexicon.frames)} verbs)"

    def parse(self, words: Sequence[Word]) -> ChunkParse:
        """Find chunks, then clauses, then verbal links, then the other links (1998, Fig. 2)."""
        chunks, letters = chunk_sentence(words, self.rules)
        clauses, home = find_clauses(chunks, self.rules.conjunction, self.lexicon)
        links = verbal_links(chunks, clauses, self.rules, self.lexicon)
        add_shallow_links(chunks, clauses, home, self.rules, links)
        without_crossings(links, self.rules.planar)
        return ChunkParse(words, letters, chunks, clauses, home, links)

    def parse_corpus(self, source: Source) -> Iterator[ChunkParse]:
        """Each sentence of a corpus, or of a CoNLL-U file, folder or glob; only words and tags are used."""
        for piece in [source] if isinstance(source, Corpus) else tagged_pieces([source]):
            for words in tagged_sentences(piece, self.rules, self.used):
                yield self.parse(words)

    def missing(self) -> str:
        """Features that no word of the parsed corpora has, and how their classes were known instead."""
        return self.rules.ways.missing(self.used)

    def evaluate(
        self, gold: Source | Sequence[Source], best: bool = False, tags_from: Sequence[Source] = ()
    ) -> StrataScores:
        """Recall and precision of the strata on UD trees, whose tags are parsed; for several corpora, in total too.

        best: one link for each chunk; otherwise every alternative is an edge. tags_from: parse the words and tags of
        these corpora, each a tagged version of the same gold text, instead of gold's own.
        """
        from treegauge.constituency.chaos.strata import StrataScores, score_parses

        golds = [gold] if isinstance(gold, Corpus | str | os.PathLike) else gold
        corpora = [_corpus(each) for each in golds]
        if tags_from and len(corpora) > 1:
            raise OptionError(f"tags from other files for {len(corpora)} gold corpora; expected one gold corpus")
        pairs: list[tuple[Corpus, Corpus | None]] = [(corpora[0], _corpus(each, trees=False)) for each in tags_from]
        pairs = pairs or [(each, None) for each in corpora]
        parts = tuple(
            score_parses(each, self.parse_corpus(tagged or each), self.rules, best, tagged) for each, tagged in pairs
        )
        most = [search.most for searches in self.rules.searches.values() for search in searches]
        governors = f"governors:{'all' if 0 in most else max(most, default=1)}"
        choices = [f"planar:{'yes' if self.rules.planar else 'no'}", f"best:{'yes' if best else 'no'}"]
        choices += ["tags:given"] if tags_from else []
        return StrataScores(parts, self._signature(f"chaos:{self.rules.name}", governors, *choices))

    def evaluate_systems(self, gold: Source, systems: Sequence[Source]) -> SystemStrata:
        """Recall and precision in each stratum of other parses of a gold corpus; arcs may be missing (HEAD `_`)."""
        from treegauge.constituency.chaos.system_strata import SystemStrata, score_systems

        others = [_corpus(system, trees=False) for system in systems]
        counts = score_systems(_corpus(gold), others, self.parse_corpus)
        return SystemStrata(counts, self._signature(f"systems|chunks:{self.rules.name}"))

    def _signature(self, parser: str, *choices: str) -> str:
        return signature(parser, f"lexicon:{self.lexicon.name or 'none'}", *choices, "punct:no", "labels:no")


def _corpus(source: Source, trees: bool = True) -> Corpus:
    return source if isinstance(source, Corpus) else read_conllu(*expand_paths([source]), trees=trees)


def tagged_pieces(
    sources: Iterable[str | os.PathLike[str]], on_error: str = "stop", trees: bool = False
) -> Iterator[Corpus]:
    """CoNLL-U files, folders and globs in pieces, with the columns that are parsed; with their trees only if asked."""
    columns = (*COLUMNS, "deprel") if trees else COLUMNS
    yield from stream_conllu(*expand_paths(sources), columns=columns, trees=trees, on_error=on_error)
