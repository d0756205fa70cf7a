"""The registry of scorers: what each needs, and how it is made. Help, errors and commands read it.

To add a scorer, write a class in a file of this folder and a line in REGISTRY.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from treegauge.errors import PATH, ModelError, OptionError, check_type
from treegauge.progress import Stages, silent
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.conllu import CorpusSource
    from treegauge.corpus.corpus import Corpus
    from treegauge.models.choice.probabilities import Choice
    from treegauge.models.lisca.reference import CountSettings
    from treegauge.models.lisca.score import LiscaOptions
    from treegauge.models.model import Model
    from treegauge.scorers.by_itself import Pieces
    from treegauge.scorers.by_model import ChoiceScorer, LiscaScorer, TagScorer
    from treegauge.scorers.by_net import Both, NetScorer
    from treegauge.scorers.calibrated import EvidenceFinder
    from treegauge.scorers.calibration import Calibration
    from treegauge.scorers.other_parses import OtherParses
    from treegauge.scorers.scorer import Scorer
    from treegauge.scorers.second_opinions import AgreementScorer
    from treegauge.scorers.signs import Signs

# the parts of a model that a scorer may need
COUNTS, FORMS, WEIGHTS, COLUMNS, NET = "counts", "forms", "weights", "columns", "net"
_LACKING = {
    FORMS: "this model has no word forms; build one with --forms for the scorers ltr and lptr",
    COLUMNS: "the model knows no lemmas, features and subtypes; build it again: `treegauge model build`",
    WEIGHTS: "the model holds counts only; the scorer {name} needs one that was built without --counts-only",
    NET: "the model has no net; build one with --net (needs torch: pip install 'treegauge[net]')",
}
CALIBRATED, TAGS, AGREEMENT = "calibrated", "tags", "agreement"
OTHER_COLUMNS = ("lemma", "xpos", "feats", "subtype", "word")  # scorers of other columns than arcs and tags


class ScorerFactory:
    """Makes scorers over one model; scorers that use the same part of the model share their passes over a corpus."""

    def __init__(
        self,
        model: Model | None,
        options: LiscaOptions | None = None,
        seed: int = 0,
        others: OtherParses | None = None,
    ) -> None:
        self.given, self.options, self.seed, self.others = model, options, seed, others

    @property
    def model(self) -> Model:
        """The model, which must have been given."""
        assert self.given is not None
        return self.given

    def module(self, name: str) -> Any:
        """A module of this folder, imported when one of its scorers is asked for."""
        return import_module(f"treegauge.scorers.{name}")

    @cached_property
    def choice(self) -> ChoiceScorer:
        """The scorer choice."""
        return self.module("by_model").choice_scorer(self.model)

    @cached_property
    def net(self) -> NetScorer:
        """The scorer net: choice and the net together."""
        return self.module("by_net").net_scorer(self.model)

    @property
    def judge(self) -> Choice | Both:
        """Choice, and the net if the model has one."""
        return self.net.both if self.model.net is not None else self.choice.choice

    def signs(self, corpus: Corpus) -> Signs:
        """The signs of a parse (`signs.py`); what the scorer of arcs has found of the corpus is not found again."""
        net = None if self.model.net is None else self.net.found(corpus).net
        signs: Signs = self.module("signs").signs_of(self.judge, corpus, self.arcs.choices(corpus), net)
        return signs

    @cached_property
    def arcs(self) -> ChoiceScorer:
        """The scorer net if the model has a net, else choice."""
        return self.choice if self.model.net is None else self.net

    @property
    def tags(self) -> TagScorer:
        """The scorer of tags: by the net, too, if the model has one."""
        by_choice = self.module("by_model").TagScorerOfModel(self.model)
        return by_choice if self.model.net is None else self.module("by_net").NetTagScorer(self.net, self.model)

    @cached_property
    def lisca(self) -> LiscaScorer:
        """The scorer lisca, with the options asked for."""
        return self.module("by_model").lisca_scorer(self.model, self.options)

    @cached_property
    def agreement(self) -> AgreementScorer:
        """The scorer agreement, over the other parses, which must have been given."""
        if self.others is None:
            raise OptionError("the scorer agreement needs other parses of the text (--with)")
        return self.module("second_opinions").AgreementScorer(self.others)

    @cached_property
    def trusted_agreement(self) -> AgreementScorer:
        """The scorer agreement, each other parse with the weight that the model finds it worth."""
        if self.given is None or self.given.weights is None:
            return self.agreement
        assert self.others is not None
        first = [self.signs(sample).first for sample in self.others.samples(self.arcs.columns)]
        weight = self.module("trust").opinion_weights(first[0], first[1:])
        return self.module("second_opinions").AgreementScorer(self.others, weight)

    @cached_property
    def evidence(self) -> EvidenceFinder:
        """The evidence of calibrations: choice, LISCA with its usual options and the other parses, if there are any."""
        usual = ScorerFactory(self.given) if _asks_for_lisca(self.options) else self
        agreement = None if self.others is None else self.agreement
        return self.module("calibrated").EvidenceFinder(self.arcs, usual.lisca, agreement)

    def evidence_for(self, calibration: Calibration) -> EvidenceFinder:
        """The evidence that a calibration was learned from: that of the net only if it knows nets."""
        if calibration.uses_net and self.model.net is None:
            raise OptionError("the calibration was learned from a model with a net; expected such a model, not --fast")
        return self.evidence if calibration.uses_net else replace(self.evidence, choice=self.choice)

    def make(self, name: str, calibration: Calibration | None = None) -> Scorer:
        """The scorer of that name; `calibrated` and `tags` take a calibration."""
        entry = find_entry(name)
        if entry.needs and self.given is None:
            raise ModelError(
                f"no reference: the scorer {name} needs a model: a file, or the code of a bundled one "
                "(`treegauge model list`)" + ("; or judge the corpus by itself (--self)" if entry.by_itself else "")
            )
        if entry.needs and entry.needs not in parts_of(self.model):
            raise ModelError(_LACKING[entry.needs].format(name=name))
        if calibration is None and name == CALIBRATED:
            raise OptionError("the scorer calibrated needs a calibration: a file of `treegauge calibrate`, or `any`")
        if calibration is None or name not in (CALIBRATED, TAGS):
            return entry.make(self)
        if name == TAGS:
            return self.module("calibrated").CalibratedTagScorer(
                calibration, self.model, self.evidence_for(calibration)
            )
        n_others = 0 if self.others is None else len(self.others.parses)
        if calibration.parses not in (0, n_others):
            raise OptionError(
                f"the calibration was made with {counted(calibration.parses, 'other parse')} of the text; "
                f"expected as many (--with), not {n_others}"
            )
        finder = self.evidence_for(calibration)
        finder = finder if calibration.parses else replace(finder, agreement=None)
        return self.module("calibrated").CalibratedScorer(calibration, self.model, finder)

    def make_with_opinions(self, name: str, calibration: Calibration | None = None) -> Scorer:
        """The scorer of that name, with the opinions of the other parses added unless its scores have them already."""
        base = self.make(name, calibration)
        if name == AGREEMENT or (calibration is not None and calibration.parses):
            return base
        return self.module("second_opinions").OpinionScorer(base, self.trusted_agreement)


MODEL = "a model, its file, or the code of a bundled one"  # what may stand for a model, in words


@dataclass(frozen=True, slots=True)
class ScorerEntry:
    """A scorer's line in the registry."""

    description: str
    make: Callable[[ScorerFactory], Scorer]
    needs: str = ""  # the part of a model
    by_itself: bool = False  # whether it can score a corpus by what is learned from the rest of it


def _column(name: str) -> Callable[[ScorerFactory], Scorer]:
    def make(factory: ScorerFactory) -> Scorer:
        tags = (lambda: factory.make(TAGS)) if factory.model.weights is not None else None
        return factory.module("other_columns").column_scorer(name, factory.model, tags, lambda: factory.make("choice"))

    return make


def _npmi(name: str) -> Callable[[ScorerFactory], Scorer]:
    return lambda factory: factory.module("baselines").NpmiScorer(name, factory.model.reference)


REGISTRY: dict[str, ScorerEntry] = {
    "lisca": ScorerEntry("how usual the arc's features are in the reference", lambda f: f.lisca, COUNTS, True),
    "choice": ScorerEntry("how probable the arc is against all others", lambda f: f.choice, WEIGHTS, True),
    NET: ScorerEntry("how probable it is that the arc is right, by choice and the net", lambda f: f.net, NET, True),
    "as-tagged": ScorerEntry(
        "the same where tags are gold: none is doubted",
        lambda f: f.module("by_model").choice_scorer(f.model, as_tagged=True),
        WEIGHTS,
        True,
    ),
    CALIBRATED: ScorerEntry("how probable it is that the arc is right", lambda f: f.arcs, WEIGHTS),
    TAGS: ScorerEntry("how probable the tag of a word is", lambda f: f.tags, WEIGHTS, True),
    **{name: ScorerEntry(f"how probable the {name} is", _column(name), COLUMNS, True) for name in OTHER_COLUMNS},
    "length": ScorerEntry("short arcs first", lambda f: f.module("baselines").LengthScorer()),
    "ptr": ScorerEntry("association of tags", _npmi("ptr"), COUNTS),
    "ltr": ScorerEntry("association of word forms", _npmi("ltr"), FORMS),
    "lptr": ScorerEntry("the product of both", _npmi("lptr"), FORMS),
    "lptr-sum": ScorerEntry("their sum", _npmi("lptr-sum"), FORMS),
    "lptr-shifted": ScorerEntry("their product, both from 0 to 1", _npmi("lptr-shifted"), FORMS),
    "random": ScorerEntry("a number by chance", lambda f: f.module("baselines").RandomScorer(f.seed)),
    AGREEMENT: ScorerEntry("which other parses of the text have the arc", lambda f: f.agreement),
}
NAMES = tuple(
    name for name in REGISTRY if name not in (CALIBRATED, TAGS, AGREEMENT, *OTHER_COLUMNS)
)  # asked for by name alone
# the readings of LPTR; of these, only the printed one is judged unless others are asked for
LPTR = {"printed": "lptr", "sum": "lptr-sum", "shifted": "lptr-shifted"}
USUAL = tuple(name for name in NAMES if name not in LPTR.values() or name == LPTR["printed"])


def find_entry(name: str) -> ScorerEntry:
    """The registry's line for a scorer."""
    if name not in REGISTRY:
        raise OptionError(f"scorer {name!r}; expected one of {', '.join(NAMES)}")
    return REGISTRY[name]


def parts_of(model: Model) -> set[str]:
    """The parts that a model has, of COUNTS, FORMS, WEIGHTS, COLUMNS and NET."""
    from treegauge.models.lisca.reference import TRIPLETS

    learned = model.weights is not None
    there = {
        COUNTS: True,
        FORMS: TRIPLETS in model.reference.tables,
        WEIGHTS: learned,
        COLUMNS: bool(model.columns),
        NET: learned and model.net is not None,
    }
    return {part for part, is_there in there.items() if is_there}


def usable(names: Iterable[str], model: Model) -> tuple[str, ...]:
    """The scorers of these names that need no more than the model has."""
    parts = {"", *parts_of(model)}
    return tuple(name for name in names if find_entry(name).needs in parts)


@dataclass(frozen=True, slots=True)
class Folding:
    """How a corpus is scored by itself."""

    folds: int | None = None  # None: each sentence by all others; else each fold by the others
    settings: CountSettings | None = None  # what LISCA counts
    net: bool = False  # learn a net in every fold, too
    stages: Stages = silent  # told how far the nets are


def scorer(
    name: str | None = None,
    model: Model | str | os.PathLike[str] | None = None,
    *,
    by_itself: CorpusSource | Pieces | None = None,
    folding: Folding | None = None,
    options: LiscaOptions | None = None,
    calibration: Calibration | str | None = None,
    seed: int = 0,
    others: OtherParses | None = None,
) -> Scorer:
    """The scorer of a name in REGISTRY over a model (a file, or the code of a bundled one).

    Without a name: net where the model has one, else choice, but lisca where the model has no weights, or where options
    or settings of lisca are given.
    by_itself: no model, but the corpus that is to be scored, as `folding` has it. options are LISCA's, seed is for
    random. calibration: rank by the probability that an arc is right, by a file of `calibrate`, or `any`. others: other
    parses of the corpus that is to be scored (`other_parses`), whose opinions are added; without a model, nothing else
    is asked. `calibration_for` of estimate.py fits `any` to the parse that is to be scored.
    """
    _check_types(model, folding, options, calibration, others)
    check_type("seed", seed, int, "a whole number")
    if others is not None and name in (TAGS, *OTHER_COLUMNS):
        raise OptionError("other parses say something of arcs (--with), not of tags and other columns (--unit)")
    if calibration is not None:
        if name not in (None, "lisca", "choice", NET, CALIBRATED, TAGS):
            raise OptionError(f"the scorer {name} and a calibration exclude each other; that ranks by choice and lisca")
        if by_itself is not None:
            raise OptionError("a calibration needs a model, not the corpus itself (--self, --folds)")
        name = TAGS if name == TAGS else CALIBRATED
    if by_itself is not None:
        if model is not None:
            raise OptionError("a model and the corpus itself (--model and --self) exclude each other")
        return _scorer_by_itself(name, by_itself, folding or Folding(), options, others)
    return _scorer_by_model(name, model, ScorerFactory(None, options, seed, others), calibration)


def _check_types(model: Any, folding: Any, options: Any, calibration: Any, others: Any) -> None:
    """OptionError if something was given for these that is of another kind."""
    if model is not None:
        from treegauge.models.model import Model

        check_type("model", model, (Model, *PATH), MODEL)
    if folding is not None:
        check_type("folding", folding, Folding, "an object of Folding")
    if options is not None:
        from treegauge.models.lisca.score import LiscaOptions

        check_type("options", options, LiscaOptions, "an object of LiscaOptions")
    if calibration is not None:
        from treegauge.scorers.calibration import Calibration

        check_type("calibration", calibration, (Calibration, *PATH), "a calibration, its file, or `any`")
    if others is not None:
        from treegauge.scorers.other_parses import OtherParses

        check_type("others", others, OtherParses, "other parses, as `other_parses` makes them")


def _scorer_by_model(
    name: str | None,
    model: Model | str | os.PathLike[str] | None,
    factory: ScorerFactory,
    calibration: Calibration | str | None,
) -> Scorer:
    """The scorer of a name over a model."""
    if name is not None:
        find_entry(name)
    if isinstance(model, str | os.PathLike):
        from treegauge.models.bundled_models import load_model

        model = load_model(model)
    factory.given = model
    if name is None and model is None and factory.others is not None:
        name = AGREEMENT
    if name is None:
        name = usual_name(model, factory.options)
    if isinstance(calibration, str | os.PathLike):
        from treegauge.scorers.calibration import find_calibration

        calibration = find_calibration(os.fspath(calibration), model is not None and model.net is not None)
    return (factory.make if factory.others is None else factory.make_with_opinions)(name, calibration)


def usual_name(model: Model | None, options: LiscaOptions | None = None) -> str:
    """The name of a model's usual scorer."""
    if _asks_for_lisca(options) or model is None or model.weights is None:
        return "lisca"
    return "choice" if model.net is None else NET


def _scorer_by_itself(
    name: str | None,
    source: CorpusSource | Pieces,
    folding: Folding,
    options: LiscaOptions | None,
    others: OtherParses | None,
) -> Scorer:
    """The scorer of a name over the corpus that it is to score."""
    from treegauge.corpus.conllu import as_corpus
    from treegauge.models.lisca.reference import CountSettings
    from treegauge.scorers.by_itself import ChoiceByItself, LiscaByItself, NetByItself, NetTagsByItself, TagsByItself
    from treegauge.scorers.second_opinions import AgreementScorer, OpinionScorer

    if name is None:
        usual = NET if folding.net else "choice"
        name = "lisca" if _asks_for_lisca(options, folding.settings) else usual
    if not find_entry(name).by_itself:
        able = ", ".join(each for each in NAMES if REGISTRY[each].by_itself)
        raise OptionError(f"the scorer {name} needs a model; by itself (--self, --folds) a corpus is judged by {able}")
    corpora = () if callable(source) else (as_corpus(source),)
    pieces = source if callable(source) else lambda: corpora
    made: Scorer
    if name == "lisca":
        made = LiscaByItself(pieces, folding.settings or CountSettings(), options, folding.folds)
    elif name in OTHER_COLUMNS:
        from treegauge.scorers.other_columns import column_by_itself

        tags, choice = (lambda: TagsByItself(pieces, folding.folds)), (lambda: ChoiceByItself(pieces, folding.folds))
        made = column_by_itself(name, pieces, folding.folds, tags, choice)
    elif name == NET or (name == TAGS and folding.net):
        arcs = NetByItself(pieces, folding.folds, stages=folding.stages)
        made = NetTagsByItself(arcs) if name == TAGS else arcs
    elif name == TAGS:
        made = TagsByItself(pieces, folding.folds)
    else:
        with folding.stages("learning from the other folds", None) as told:
            made = ChoiceByItself(pieces, folding.folds, name, told)
    return made if others is None else OpinionScorer(made, AgreementScorer(others))


def _asks_for_lisca(options: LiscaOptions | None, settings: CountSettings | None = None) -> bool:
    """Whether any option or setting of LISCA was changed."""
    from treegauge.models.lisca.reference import CountSettings
    from treegauge.models.lisca.score import LiscaOptions

    return options not in (None, LiscaOptions()) or settings not in (None, CountSettings())


def as_scorer(by: Scorer | Model | str | os.PathLike[str]) -> Scorer:
    """The scorer itself, or for a model, LISCA, the measure of the papers."""
    return _scorer_of(by, "lisca")


def usual_scorer(by: Scorer | Model | str | os.PathLike[str]) -> Scorer:
    """The scorer itself, or for a model, its usual one: net if it has one, choice if it has weights, else LISCA."""
    return _scorer_of(by, None)


def probability_scorer(model: Model | str | os.PathLike[str]) -> Scorer:
    """The scorer whose scores are log probabilities: net if the model has one, else choice, which needs weights."""
    from treegauge.models.bundled_models import load_model

    _check_types(model, None, None, None, None)
    model = load_model(model) if isinstance(model, str | os.PathLike) else model
    return scorer("choice" if model.net is None else NET, model)


def _scorer_of(by: Scorer | Model | str | os.PathLike[str], name: str | None) -> Scorer:
    from treegauge.models.model import Model
    from treegauge.scorers.scorer import Scorer

    if isinstance(by, Scorer):
        return by
    check_type("by", by, (Model, *PATH), f"a scorer, {MODEL}")
    return scorer(name, by)


def scorers(
    names: Sequence[str],
    model: Model | None,
    options: LiscaOptions | None = None,
    seed: int = 0,
    calibration: Calibration | None = None,
    others: OtherParses | None = None,
) -> list[Scorer]:
    """The scorers of these names over one model, each name once, and the calibrated one; they share their passes.

    With others: agreement with these parses, and the best of the scorers with their opinions added, too.
    """
    if len(set(names)) < len(names) or not (names or calibration or others):
        raise OptionError(f"scorers {', '.join(names)!r}; expected each once")
    factory = ScorerFactory(model, options, seed, others)
    made = [factory.make(name) for name in names]
    if others is not None:
        made += [] if AGREEMENT in names else [factory.agreement]
        made += [factory.make_with_opinions(name) for name in (NET, "choice", "lisca") if name in names][:1]
    if calibration is not None:
        with_opinions = others is not None and not calibration.parses
        made.append(factory.make(CALIBRATED, calibration))
        made += [factory.make_with_opinions(CALIBRATED, calibration)] if with_opinions else []
    return made
