"""The columns of a ranking, in one list: tables, JSON, data frames, MISC and the objects of other packages read it.

To add a column, add an entry to COLUMNS.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.corpus.adapters.same_words import OtherArc
from treegauge.corpus.corpus import Corpus
from treegauge.explanations import Alternatives, Explanation
from treegauge.models.lisca.features import PRESETS, Feature, arc_traits
from treegauge.ranking.sorter import Texts
from treegauge.ranking.units import COLUMN_UNITS, Unit
from treegauge.scorers.scorer import PerCorpus, Scorer
from treegauge.tables import finite
from treegauge.wording import chance

if TYPE_CHECKING:
    from treegauge.ranking.scored import Scored


class Need(Enum):
    """What a column needs to be there; a column that needs nothing is always there."""

    PLACE = auto()  # the items are ranked
    PROBABILITIES = auto()  # the scores are logarithms of probabilities
    TAGS = auto()  # the scorer knows how probable tags are, too
    ALTERNATIVES = auto()  # somebody asks for the likeliest other arcs (--suggest)
    REASONS = auto()  # somebody asks for reasons (--explain)
    EVERYTHING = auto()  # somebody asks for all properties of arcs (--all-columns)
    GOLD = auto()  # somebody asks whether arcs are right (--gold)


@dataclass
class Rows:
    """Some items of a scored corpus, and what several columns have to know of them, found once."""

    scored: Scored
    row: np.ndarray  # of words; for sentences, their index
    unit: Unit = Unit.ARC
    rank: np.ndarray | None = None
    bin: np.ndarray | None = None
    only_likelier: bool = False  # an alternative counts only where it is likelier than what the word has
    verdict: np.ndarray | None = None  # for each word of the whole corpus: RIGHT, WRONG, or UNKNOWN to gold

    @property
    def corpus(self) -> Corpus:
        """The corpus of the items."""
        return self.scored.corpus

    @property
    def sentence(self) -> np.ndarray:
        """The index of each item's sentence."""
        return self.row if self.unit == Unit.SENTENCE else self.corpus.sentence[self.row]

    @cached_property
    def alternatives(self) -> Alternatives:
        """The likeliest other arcs; head −1 where there is none."""
        if not self.only_likelier:
            return self.scored.alternatives(self.row)
        n = self.corpus.n_words
        head, relation, log_prob = np.full(n, -1), np.full(n, "", dtype=object), np.full(n, -np.inf)
        if n:
            at, likelier = self.scored.scorer.likelier(self.corpus)
            head[at], relation[at], log_prob[at] = likelier.head, likelier.relation, likelier.log_prob
        own = self.scored.scores
        return Alternatives(head, relation, log_prob, own).some(self.row)

    @cached_property
    def weights(self) -> dict[str, np.ndarray]:
        """The log weight of each feature of LISCA in the scores: the sum of its factors."""
        lisca = self.scored.scorer.lisca  # type: ignore[attr-defined]
        logs = lisca.factors(self.corpus, self.row).log_ratios(lisca.options.smoothing)
        sums: dict[str, np.ndarray] = {}
        for name, log in zip(lisca.factor_names, logs, strict=True):
            feature = name.partition("|")[0]
            sums[feature] = sums[feature] + log if feature in sums else log
        return sums

    @cached_property
    def other_tag(self) -> np.ndarray:
        """The likeliest other tag, as a code; −1 where there is none."""
        tags = self.tags
        likelier = tags.log_other > tags.log_prob if self.only_likelier else True
        return np.where(likelier, tags.other, -1)[self.row]

    @property
    def tags(self) -> Any:
        """How probable the tags of all words of the corpus are."""
        return self.scored.scorer.tag_choices(self.corpus)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnKind:
    """How the values of a column are written. TSV and JSON have numbers with all their digits."""

    title: Callable[[Any], str] = str  # in the title of a drawing
    brief: Callable[[Any], str] = str  # in MISC and in notebooks
    record: Callable[[str, Any], dict[str, Any]] = lambda name, value: {name: finite(value)}  # in JSON
    tsv: Callable[[Any], str] = str  # of what is no number


FOUR_DIGITS = "{:.4g}".format
PLAIN = ColumnKind()  # whole numbers; columns with labels are texts
TEXT = ColumnKind()
VALUE = ColumnKind(brief=lambda value: value.replace("|", ","))  # a value of another column, where MISC may not have |
LOG = ColumnKind("{:.2f}".format, FOUR_DIGITS)
PROBABILITY = ColumnKind(chance, FOUR_DIGITS)
OTHER = ColumnKind("{:.2f}".format, FOUR_DIGITS)
REASONS = ColumnKind(
    record=lambda name, explanation: explanation.to_dict(), tsv=lambda explanation: "; ".join(explanation.lines())
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: which rankings have it, and the value of each of some rows, masked where it has none.

    labels: what the values, which are codes then, stand for. misc: its name in MISC. attribute: its name on the tokens
    of spaCy and Stanza; columns of the same attribute make one tuple.
    """

    name: str
    units: Collection[Unit]
    values: Callable[[Any], np.ndarray]
    kind: ColumnKind = PLAIN
    need: Need | None = None
    labels: Callable[[Corpus], Texts] | None = None
    misc: str = ""
    attribute: str = ""

    @property
    def type(self) -> type:
        """What its values are: texts, whole numbers or numbers."""
        if self.labels is not None or self.kind in (TEXT, VALUE, REASONS):
            return str
        return int if self.kind is PLAIN else float

    def list(self, rows: Rows) -> list[Any]:
        """The values as Python has them, None for those that are masked."""
        values = self.values(rows)
        if self.labels is None:
            return list(values.tolist())
        codes, place = np.unique(values, return_inverse=True)
        labels = self.labels(rows.corpus)
        names = [labels[code].decode() for code in codes.tolist()]
        return [names[k] for k in place.tolist()]

    def texts(self, rows: Rows) -> Texts:
        """The values as TSV has them."""
        values = self.values(rows)
        if self.labels is not None:
            texts = self.labels(rows.corpus).take(values)
            texts.data[texts.data == ord("\t")] = ord(" ")  # a sent_id may have a tab
            return texts
        masked, values = getattr(values, "mask", None), np.asarray(values)  # `np.ma` takes long to import
        if values.dtype.kind == "O":
            texts = Texts.of([self.kind.tsv(value).encode() for value in values.tolist()])
        else:
            texts = Texts.numbers(values)
        return texts if masked is None else texts.where(~np.broadcast_to(masked, len(values)))


def _label(name: str) -> dict[str, Any]:
    """How a column of the corpus is got: codes, and what they stand for."""
    return {
        "values": lambda rows: rows.corpus.codes[name][rows.row],
        "labels": PerCorpus(lambda corpus: Texts.of([label.encode() for label in corpus.labels[name]])),
    }


def _of_alternative(values: Callable[[Alternatives], np.ndarray]) -> Callable[[Rows], np.ndarray]:
    return lambda rows: np.ma.array(values(rows.alternatives), mask=rows.alternatives.head < 0)


def _other_upos(rows: Rows) -> np.ndarray:
    return np.ma.array(np.array(rows.tags.tags, dtype=object)[rows.other_tag], mask=rows.other_tag < 0)


def _other_tag_probability(rows: Rows) -> np.ndarray:
    return np.ma.array(np.exp(rows.tags.log_other[rows.row]), mask=rows.other_tag < 0)


def _of_column(rows: Rows) -> Any:
    """How probable the values of a column of all words of the corpus are."""
    return rows.scored.scorer.column_choices(rows.corpus)  # type: ignore[attr-defined]


def _column_texts(text: Callable[[Any, Corpus, int], str | None]) -> Callable[[Rows], np.ndarray]:
    """A text of each word, by its column choices; masked where it is empty."""

    def values(rows: Rows) -> np.ndarray:
        choices = _of_column(rows)
        wanted = choices.likelier[rows.row] if rows.only_likelier else np.ones(len(rows.row), dtype=bool)
        texts = [text(choices, rows.corpus, row) or "" for row in rows.row.tolist()]
        found = np.fromiter(texts, dtype=object, count=len(texts))
        return np.ma.array(found, mask=(found == "") | ~wanted)

    return values


def _other_column_probability(rows: Rows) -> np.ndarray:
    choices = _of_column(rows)
    return np.ma.array(np.exp(choices.log_other[rows.row]), mask=choices.other[rows.row] < 0)


def _of_worst(place: int) -> Callable[[Rows], np.ndarray]:
    """The worst column of each word: its name, what it has, what it would rather have, the probability of that."""

    def values(rows: Rows) -> np.ndarray:
        by: Any = rows.scored.scorer
        said = [(by.worst(rows.corpus, row), *by.said(rows.corpus, row)) for row in rows.row.tolist()]
        found = np.fromiter((one[place] for one in said), dtype=float if place == 3 else object, count=len(said))
        if place < 2:
            return found
        likelier = np.array([one[3] for one in said]) > np.exp(rows.scored.scores[rows.row])
        unknown = np.array([not one[2] for one in said], dtype=bool)
        return np.ma.array(found, mask=unknown | ~likelier if rows.only_likelier else unknown)

    return values


def _explanations(rows: Rows) -> np.ndarray:
    explanations: Sequence[Explanation] = rows.scored.explain(rows.row)
    return np.fromiter(explanations, dtype=object, count=len(explanations))


def _sentence_texts(rows: Rows) -> np.ndarray:
    """The words of each sentence, with spaces between; a form may have spaces, and no other white space."""
    texts = [" ".join(rows.corpus.forms(s)) for s in rows.row.tolist()]
    return np.fromiter(texts, dtype=object, count=len(texts))


RIGHT, WRONG, UNKNOWN = 1, 0, -1
_PRESET = PRESETS["2020"]
_traits = PerCorpus(lambda corpus: arc_traits(corpus, _PRESET))


def _feature(feature: Feature) -> Callable[[Rows], np.ndarray]:
    """The values of a feature of LISCA (the preset 2020)."""
    return lambda rows: feature.values(_traits(rows.corpus)[rows.row, _PRESET.traits.index(feature.trait)])


def _of_head(name: str) -> Callable[[Rows], np.ndarray]:
    """A column of the head of each word; masked for root arcs."""

    def values(rows: Rows) -> np.ndarray:
        head = rows.corpus.head_row[rows.row]
        labels = np.array(rows.corpus.labels[name], dtype=object)
        return np.ma.array(labels[rows.corpus.codes[name][np.maximum(head, 0)]], mask=head < 0)

    return values


def _verdict(rows: Rows) -> np.ndarray:
    """1 for a right arc, 0 for a wrong one; masked for a word that gold does not have."""
    assert rows.verdict is not None
    values = rows.verdict[rows.corpus.words_before + rows.row]
    return np.ma.array(values, mask=values == UNKNOWN)


def _accuracy(rows: Rows) -> np.ndarray:
    """The share of right arcs among the words of each sentence that gold has; masked if it has none of them."""
    assert rows.verdict is not None
    corpus = rows.corpus
    verdict = rows.verdict[corpus.words_before : corpus.words_before + corpus.n_words]
    known, right = (
        np.bincount(corpus.sentence, weights=mask, minlength=corpus.n_sentences)[rows.row]
        for mask in (verdict != UNKNOWN, verdict == RIGHT)
    )
    return np.ma.array(right / np.maximum(known, 1), mask=known == 0)


def weight_columns(scorer: Scorer) -> list[Column]:
    """A column for the log weight of each feature of LISCA in the score; none for another scorer."""
    factors = scorer.lisca.factor_names if hasattr(scorer, "lisca") else ()
    names = dict.fromkeys(name.partition("|")[0] for name in factors)
    return [
        Column(f"weight_{name}", _ARCS, lambda rows, name=name: rows.weights[name], LOG, Need.EVERYTHING)  # type: ignore[misc]
        for name in names
    ]


_ARCS, _TAGS, _SENTENCES = (Unit.ARC,), (Unit.TAG,), (Unit.SENTENCE,)
_WORDS, _ALL = tuple(unit for unit in Unit if unit is not Unit.SENTENCE), tuple(Unit)
_WORST = (Unit.WORD,)

# in the order in which tables have them
COLUMNS = (
    Column("rank", _ALL, lambda rows: rows.rank, need=Need.PLACE),
    Column("bin", _ALL, lambda rows: rows.bin, need=Need.PLACE, misc="Bin"),
    Column(
        "sent_id",
        _ALL,
        lambda rows: rows.sentence,
        labels=PerCorpus(lambda corpus: Texts.spans(corpus.text, *corpus.id_span.T)),
    ),
    Column("sentence", _ALL, lambda rows: rows.corpus.number[rows.sentence]),
    Column("id", _WORDS, lambda rows: rows.corpus.position[rows.row]),
    Column("form", _WORDS, **_label("form")),
    Column("head", _ARCS, lambda rows: rows.corpus.head[rows.row]),
    Column("deprel", _ARCS, **_label("deprel")),
    Column("upos", (*_TAGS, *COLUMN_UNITS, Unit.WORD), **_label("upos")),
    Column("lemma", (Unit.LEMMA,), **_label("lemma")),
    Column("xpos", (Unit.XPOS,), **_label("xpos")),
    Column("feats", (Unit.FEATS,), **_label("feats")),
    Column("deprel", (Unit.SUBTYPE,), **_label("deprel")),
    Column("column", _WORST, _of_worst(0), TEXT, misc="Column"),
    Column("value", _WORST, _of_worst(1), TEXT),
    Column("feature", (Unit.FEATS,), _column_texts(lambda choices, corpus, row: choices.given(corpus, row)), TEXT),
    Column("words", _SENTENCES, lambda rows: np.diff(rows.corpus.start)[rows.row]),
    Column("mean_log_score", _SENTENCES, lambda rows: rows.scored.sentence_scores[rows.row], LOG),
    Column("text", _SENTENCES, lambda rows: _sentence_texts(rows), TEXT),
    Column("log_score", _WORDS, lambda rows: rows.scored.scores[rows.row], LOG, misc="LogScore", attribute="arc_score"),
    Column(
        "probability",
        COLUMN_UNITS,
        lambda rows: np.exp(_of_column(rows).log_prob[rows.row]),
        PROBABILITY,
        misc="Probability",
    ),
    Column(
        "probability",
        _WORST,
        lambda rows: np.exp(rows.scored.scores[rows.row]),
        PROBABILITY,
        misc="Probability",
    ),
    Column(
        "probability",
        (*_ARCS, *_TAGS),
        lambda rows: np.exp(rows.scored.scores[rows.row]),
        PROBABILITY,
        Need.PROBABILITIES,
        misc="Probability",
        attribute="arc_probability",
    ),
    Column(
        "tag_probability",
        (*_ARCS, *_TAGS),
        lambda rows: np.exp(rows.tags.log_prob[rows.row]),
        PROBABILITY,
        Need.TAGS,
        misc="TagProbability",
        attribute="tag_probability",
    ),
    *(
        Column(f"other_{name}", _ARCS, values, kind, Need.ALTERNATIVES, misc=misc, attribute="arc_suggestion")
        for name, misc, kind, values in (
            ("head", "RatherHead", PLAIN, _of_alternative(lambda other: other.head)),
            ("deprel", "RatherDeprel", TEXT, _of_alternative(lambda other: other.relation)),
            ("probability", "RatherProbability", OTHER, _of_alternative(lambda other: np.exp(other.log_prob))),
        )
    ),
    Column("other_upos", _TAGS, _other_upos, TEXT, misc="RatherUPOS"),
    Column("other_probability", _TAGS, _other_tag_probability, OTHER),
    *(
        Column(
            f"other_{'deprel' if unit is Unit.SUBTYPE else unit}",
            (unit,),
            _column_texts(lambda choices, corpus, row: choices.other_value(corpus, row)),
            VALUE,
            Need.ALTERNATIVES,
            misc=f"Rather{'Deprel' if unit is Unit.SUBTYPE else unit.capitalize()}",
        )
        for unit in COLUMN_UNITS
    ),
    Column("other_probability", COLUMN_UNITS, _other_column_probability, OTHER, Need.ALTERNATIVES),
    Column("other_value", _WORST, _of_worst(2), VALUE, Need.ALTERNATIVES, misc="Rather"),
    Column("other_probability", _WORST, _of_worst(3), OTHER, Need.ALTERNATIVES),
    Column("reasons", _WORDS, _explanations, REASONS, Need.REASONS),
    Column("upos", _ARCS, **_label("upos"), need=Need.EVERYTHING),
    Column("head_form", _ARCS, _of_head("form"), TEXT, Need.EVERYTHING),
    Column("head_upos", _ARCS, _of_head("upos"), TEXT, Need.EVERYTHING),
    Column("sentence_length", _ARCS, lambda rows: rows.corpus.sentence_length[rows.row], need=Need.EVERYTHING),
    *(Column(feature.name, _ARCS, _feature(feature), need=Need.EVERYTHING) for feature in _PRESET.features),
    Column("right", _ARCS, _verdict, need=Need.GOLD),
    Column("las", _SENTENCES, _accuracy, OTHER, Need.GOLD),
)
PLACES = tuple(column for column in COLUMNS if column.need is Need.PLACE)
ATTRIBUTES = tuple(dict.fromkeys(column.attribute for column in COLUMNS if column.attribute))


def columns_of(unit: Unit, scorer: Scorer, needs: Iterable[Need] = ()) -> list[Column]:
    """The columns of a ranking by a scorer, where these needs are met."""
    met = {None, *needs, *((Need.PROBABILITIES,) if scorer.probabilities else ())}
    weights = weight_columns(scorer) if Need.EVERYTHING in met else []
    return [column for column in (*COLUMNS, *weights) if unit in column.units and column.need in met]


def find_column(name: str, unit: Unit) -> Column:
    """The column of a name."""
    return next(column for column in COLUMNS if column.name == name and unit in column.units)


def misc_texts(
    columns: Iterable[Column], rows: Rows, names: Mapping[str, str] | None = None
) -> dict[str, list[str | None]]:
    """What MISC has of some rows: a text or None for each, by the name in MISC.

    names: other names for some columns, which then come first; an empty name leaves its column out.
    """
    names, by_name = names or {}, {column.name: column for column in columns if column.misc}
    texts = {}
    for name in [*(name for name in names if name in by_name), *(name for name in by_name if name not in names)]:
        column = by_name[name]
        if shown := names.get(name, column.misc):
            texts[shown] = [None if _is_missing(value) else column.kind.brief(value) for value in column.list(rows)]
    return texts


def attribute_values(columns: Iterable[Column], rows: Rows) -> dict[str, list[Any]]:
    """What tokens of spaCy and Stanza get, by the name of the attribute; None where a value is not known."""
    values: dict[str, list[Any]] = {name: [] for name in ATTRIBUTES}
    for column in columns:
        if column.attribute:
            values[column.attribute].append(column.list(rows))
    return {name: _attribute(lists, len(rows.row)) for name, lists in values.items()}


def _attribute(lists: list[list[Any]], n: int) -> list[Any]:
    if not lists:
        return [None] * n
    if len(lists) > 1:
        return [None if arc[0] is None else OtherArc(*arc) for arc in zip(*lists, strict=True)]
    return [None if _is_missing(value) else value for value in lists[0]]


def _is_missing(value: Any) -> bool:
    """Whether there is no value: None, or NaN."""
    return value is None or value != value
