"""Check a treebank by itself and by references; words that were accepted, or are not new, are left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from treegauge.corpus.compare.comparison import Comparison
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.errors import PATH, OptionError, check_share, check_type, check_whole
from treegauge.models.bundled_models import bundled_file
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.columns.features import SUBTYPE
from treegauge.models.columns.inventory import COLUMN_OF, present
from treegauge.models.model import Model, is_model_file
from treegauge.ranking.verdicts import ACCEPT, ERROR, VERDICTS, Verdict, finding_verdicts
from treegauge.scorers.by_itself import FOLDS, ChoiceByItself, NetByItself
from treegauge.scorers.by_model import ChoiceScorer
from treegauge.scorers.other_columns import ColumnByItself
from treegauge.scorers.other_parses import OtherParses
from treegauge.scorers.registry import Folding, probability_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.scorers.second_opinions import AgreementScorer
from treegauge.upkeep.changes import compare_versions
from treegauge.upkeep.codes import CODE_OF, INVALID, KINDS, OWN_RULE
from treegauge.upkeep.contradictions import contradictions
from treegauge.upkeep.finding_filter import FindingFilter
from treegauge.upkeep.findings import BELOW, Findings, find
from treegauge.upkeep.search.rules import OwnRules
from treegauge.upkeep.teaching import NO_VERDICT
from treegauge.upkeep.treebank_scorer import OrderBy, TreebankScorer
from treegauge.upkeep.validity import invalid_words

# How long the other steps of a check take, beside learning to choose arcs from the folds.
JUDGING = 0.15
COLUMN_WORK = {"lemma": 0.5, "feats": 0.3, "xpos": 0.1, "subtype": 0.05}
ReferenceSource = Model | Scorer | str | os.PathLike[str]
Judges = Sequence[ReferenceSource | OtherParses | OrderBy | OwnRules]


def check(
    treebank: CorpusSource,
    references: Judges = (),
    *,
    folds: int | Folding | None = None,
    below: float = BELOW,
    accepted: Iterable[Verdict] = (),
    since: Corpus | None = None,
    progress: Callable[[int], None] = lambda words: None,
    wanted: Collection[str] | FindingFilter = frozenset(KINDS),
) -> Findings:
    """The findings of a treebank: see `find`.

    references: they judge the treebank, too: models (files, codes), scorers, other treebanks, or parses of its text
    (`other_parses`); where these have another arc, the arc is more suspicious. Among the references, `OrderBy(scorer)`
    orders the arcs by another scorer, such as LISCA; then those of its last bin are suspicious; and `OwnRules`
    (`read_rules`) are what never should be there. accepted: verdicts;
    words whose annotation somebody accepted are left out, as long as the annotation is the same, and verdicts move the
    findings that are like those that were judged. since: an older version of the treebank; words with the same
    annotation there are left out. progress gets the words that are done, of `words_of_work`. folds: how many parts the
    treebank is cut into, or `Folding(folds, net=True)`, which learns a net for each of them, too. wanted: codes of
    findings (`chosen_codes`), or a `finding_filter`; other columns than arcs and tags are only learned if they are
    among these.
    """
    check_share("below", below)
    folding = folds if isinstance(folds, Folding) else Folding(folds)
    if folding.folds is not None:
        check_whole("folds", folding.folds, 2)
    if since is not None:
        check_type("since", since, Corpus, "a corpus, as `read_conllu` returns it")
    check_type("references", references, Iterable, "a list of models, scorers, treebanks or other parses")
    corpus = as_corpus(treebank)
    opinions = [AgreementScorer(reference) for reference in references if isinstance(reference, OtherParses)]
    if len(opinions) > 1:
        raise OptionError("other parses of the text are given twice; expected all of them in one `other_parses`")
    judges = [reference_scorer(each) for each in references if not isinstance(each, OtherParses | OrderBy | OwnRules)]
    if folding.net:
        by_itself: ChoiceByItself = NetByItself(lambda: [corpus], folding.folds, progress, folding.stages)
    else:
        by_itself = ChoiceByItself(lambda: [corpus], folding.folds, progress=progress)
    order = next((reference.scorer for reference in references if isinstance(reference, OrderBy)), None)
    treebank_scorer = TreebankScorer(by_itself, judges, opinions[0] if opinions else None, order)
    chosen = wanted if isinstance(wanted, FindingFilter) else FindingFilter(frozenset(wanted))
    columns = _judged_columns(corpus, treebank_scorer, folding.folds, chosen.codes, progress)
    asked = chosen.language is not None and INVALID in chosen.codes
    invalid = invalid_words(corpus, chosen.language or "") if asked else []
    verdicts = list(accepted)
    rules = [each for each in references if isinstance(each, OwnRules) and OWN_RULE in chosen.codes]
    of_rules = [finding for each in rules for finding in each.findings(corpus, verdicts)]
    silence = _Silence(corpus, verdicts, since)
    return find(
        corpus,
        treebank_scorer,
        below=below,
        silence=silence,
        columns=columns,
        wanted=chosen,
        contradictions=[*contradictions(corpus, chosen.codes), *invalid, *of_rules],
    )


def _judged_columns(
    corpus: Corpus,
    by: TreebankScorer,
    folds: int | None,
    codes: Collection[str],
    progress: Callable[[int], None],
) -> list[ColumnByItself]:
    """The scorers of the other columns, after the arcs and all columns were judged."""
    learned = ((folds or FOLDS) - 1) * corpus.n_words
    by.opinions(corpus)
    progress(round(JUDGING * learned))
    columns = []
    for name in _columns_of(corpus, codes):
        columns.append(ColumnByItself(lambda: [corpus], name, folds, _Beside(by, name)))
        columns[-1].column_choices(corpus)
        progress(round(COLUMN_WORK[name] * learned))
    return columns


def _columns_of(corpus: Corpus, codes: Collection[str]) -> list[str]:
    """The other columns that are judged: those that the treebank has and that some code is about."""
    return [name for name in present([corpus]) if CODE_OF[name] in codes]


def words_of_work(corpus: Corpus, folds: int | None, wanted: FindingFilter) -> int:
    """How many words `progress` is told of in all; steps without words count as words that take as long."""
    learned = ((folds or FOLDS) - 1) * corpus.n_words
    shares = [1.0, JUDGING, *(COLUMN_WORK[name] for name in _columns_of(corpus, wanted.codes))]
    return sum(round(part * learned) for part in shares)


class _Beside(Scorer):
    """log p of tags, for subtypes that of arcs, as the treebank's scorer has them already."""

    def __init__(self, by: TreebankScorer, column: str) -> None:
        super().__init__(by.name, by.signature)
        self.by, self.of_arcs = by, column == SUBTYPE

    def scores(self, corpus: Corpus) -> np.ndarray:
        """log p of every tag, or of every arc."""
        tags = self.by.tag_choices(corpus)
        return self.by.log_prob(corpus) if self.of_arcs or tags is None else tags.log_prob


class _Silence:
    """Which words are left out, because their annotation was accepted or is not new; and the verdicts on them."""

    def __init__(self, corpus: Corpus, verdicts: Sequence[Verdict], since: Corpus | None) -> None:
        self.corpus, self.verdicts = corpus, verdicts
        self.words = None if since is None else compare_versions(since, corpus).matching.words

    def __call__(self, code: str) -> tuple[np.ndarray, np.ndarray]:
        """Which words are left out for a kind of finding; for each word 1: an error, 0: accepted, or NO_VERDICT."""
        codes = finding_verdicts(self.corpus, self.verdicts, code, KINDS[code].what in ("arc", "tag"))
        accepted, error = (codes == VERDICTS.index(name) + 1 for name in (ACCEPT, ERROR))
        silent = accepted if self.words is None else accepted | unchanged(self.words, code)
        return silent, np.where(accepted, 0, np.where(error, 1, NO_VERDICT))


def unchanged(words: Comparison, code: str) -> np.ndarray:
    """Whether what a finding of this code is about is as it was, for each word; words: NEW beside OLD.

    Arc and tag are one thing; a contradiction is new if any column of its word is.
    """
    if code in CODE_OF.values():
        return np.asarray(words.present & words.same(COLUMN_OF[KINDS[code].what]))
    same = words.present & words.same_head & words.same("deprel") & words.same("upos")
    if KINDS[code].what in ("arc", "tag"):
        return np.asarray(same)
    return np.asarray(same & words.same("xpos") & words.same("feats") & words.same("lemma"))


def reference_scorer(source: ReferenceSource, read: Callable[[str], Corpus] = as_corpus) -> Scorer:
    """The usual scorer of arcs by a model, or choice learned now from a treebank, which `read` reads."""
    if isinstance(source, Scorer):
        return source
    if isinstance(source, Model):
        return probability_scorer(source)
    check_type("reference", source, PATH, "a model, a scorer, a file, or the code of a bundled model")
    name = os.fspath(source)
    if bundled_file(name) or not os.path.exists(name) or (os.path.isfile(name) and is_model_file(name)):
        return probability_scorer(name)
    return ChoiceScorer(Choice(learn_choice([read(name)]), os.path.basename(name.rstrip("/"))))
