"""Check a treebank by itself and by references; words that were accepted, or are not new, are left out."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from treegauge.corpus.compare.comparison import Comparison
from treegauge.corpus.conllu import CorpusSource, as_corpus
from treegauge.corpus.corpus import Corpus
from treegauge.corpus.files import open_bytes
from treegauge.errors import PATH, OptionError, check_share, check_type, check_whole
from treegauge.extras import needed
from treegauge.models.bundled_models import bundled_file
from treegauge.models.choice.learning import learn_choice
from treegauge.models.choice.probabilities import Choice
from treegauge.models.columns.features import SUBTYPE
from treegauge.models.columns.inventory import COLUMN_OF, present
from treegauge.models.model import Model, is_model_file
from treegauge.ranking.verdicts import Verdict, accepted_arcs, accepted_findings
from treegauge.scorers.by_itself import ChoiceByItself, NetByItself
from treegauge.scorers.by_model import ChoiceScorer
from treegauge.scorers.other_columns import ColumnByItself
from treegauge.scorers.other_parses import OtherParses
from treegauge.scorers.registry import Folding, probability_scorer
from treegauge.scorers.scorer import Scorer
from treegauge.scorers.second_opinions import AgreementScorer
from treegauge.upkeep.changes import compare_versions
from treegauge.upkeep.codes import CODE_OF, KINDS, OWN_RULE
from treegauge.upkeep.contradictions import contradictions
from treegauge.upkeep.findings import BELOW, Findings, find
from treegauge.upkeep.search.rules import OwnRules
from treegauge.upkeep.treebank_scorer import OrderBy, TreebankScorer

LEVEL = 3  # levels of the UD validator that hold for every language
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
    wanted: Collection[str] = frozenset(KINDS),
) -> Findings:
    """The findings of a treebank: see `find`.

    references: they judge the treebank, too: models (files, codes), scorers, other treebanks, or parses of its text
    (`other_parses`); where these have another arc, the arc is more suspicious. accepted: words whose annotation
    somebody accepted are left out, as long as the annotation is the same. since: an older version of the treebank;
    words with the same annotation there are left out. Among the references, `OrderBy(scorer)` orders the arcs by
    another scorer, such as LISCA; then those of its last bin are suspicious; and `OwnRules` (`read_rules`) are what
    never should be there. progress gets the number of words that were learned from. folds: how many parts the treebank
    is cut into, or `Folding(folds, net=True)`, which learns a net for each of them, too. wanted: codes of findings
    (`chosen_codes`); other columns than arcs and tags are only learned if they are among these.
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
    names = [name for name in present([corpus]) if CODE_OF[name] in wanted]
    columns = [ColumnByItself(lambda: [corpus], name, folding.folds, _Beside(treebank_scorer, name)) for name in names]
    verdicts = list(accepted)
    rules = [each for each in references if isinstance(each, OwnRules) and OWN_RULE in wanted]
    of_rules = [finding for each in rules for finding in each.findings(corpus, verdicts)]
    silence = _Silence(corpus, verdicts, since)
    return find(
        corpus,
        treebank_scorer,
        below=below,
        silent=silence,
        columns=columns,
        wanted=wanted,
        contradictions=[*contradictions(corpus, wanted), *of_rules],
    )


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
    """Which words are left out: their annotation was accepted, or is not new."""

    def __init__(self, corpus: Corpus, accepted: Sequence[Verdict], since: Corpus | None) -> None:
        self.corpus, self.accepted = corpus, accepted
        self.arcs = np.asarray(accepted_arcs(corpus, accepted))
        self.words = None if since is None else compare_versions(since, corpus).matching.words

    def __call__(self, code: str) -> np.ndarray:
        silent = (
            self.arcs if KINDS[code].what in ("arc", "tag") else accepted_findings(self.corpus, self.accepted, code)
        )
        return silent if self.words is None else silent | unchanged(self.words, code)


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


def validated(paths: Sequence[str]) -> dict[tuple[str, int], list[str]]:
    """The errors that the UD validator (udtools) finds on levels 1 to 3: file and line -> `test: message`."""
    validator = needed("udtools.validator", "validate", "validation")
    errors: dict[tuple[str, int], list[str]] = {}
    for path in paths:
        checker = validator.Validator(lang="ud", level=LEVEL, output=io.StringIO(), max_store=1 << 30)
        with open_bytes(path) as stream:
            state = checker.validate_file_handle(io.TextIOWrapper(stream, encoding="utf-8", errors="replace"))
        for incident in state.error_tracker:
            if type(incident).__name__ == "Error":
                line = int(incident.lineno or 0)
                errors.setdefault((path, line), []).append(f"{incident.testid}: {incident.message}")
    return errors
