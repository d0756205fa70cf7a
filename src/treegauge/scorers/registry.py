"""The scorers by name: what each needs, and how it is made. Help, errors and commands read this table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from treegauge.errors import ModelError, OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.arcs.reference import CountSettings
    from treegauge.calibration.logistic import Calibration
    from treegauge.corpus.conllu import Corpus, CorpusSource
    from treegauge.models.model import Model
    from treegauge.opinions.others import OtherParses
    from treegauge.scorers.by_itself import Pieces
    from treegauge.scorers.calibrated import EvidenceFinder
    from treegauge.scorers.choice import ChoiceScorer
    from treegauge.scorers.lisca import LiscaScorer
    from treegauge.scorers.opinions import AgreementScorer
    from treegauge.scorers.scorer import Scorer

COUNTS, FORMS, WEIGHTS = "counts", "forms", "weights"  # what a scorer may need of a model
_LACKING = {
    FORMS: "this model has no word forms; build one with --forms for the scorers ltr and lptr",
    WEIGHTS: "the model holds counts only; the scorer {name} needs one that was built without --counts-only",
}
CALIBRATED, TAGS, AGREEMENT = "calibrated", "tags", "agreement"


class Workshop:
    """Makes scorers over one model; those that rest on the same part of it share its passes over a corpus."""

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
        """The model, which must be there."""
        assert self.given is not None
        return self.given

    @cached_property
    def choice(self) -> ChoiceScorer:
        """The scorer choice."""
        from treegauge.choice.probabilities import Choice
        from treegauge.scorers.choice import ChoiceScorer

        assert self.model.weights is not None
        return ChoiceScorer(Choice(self.model.weights, self.model.signature.partition("@")[0]))

    @cached_property
    def as_tagged(self) -> ChoiceScorer:
        """The scorer choice where no tag is doubted."""
        from treegauge.choice.probabilities import Choice
        from treegauge.scorers.choice import AS_TAGGED, ChoiceScorer

        assert self.model.weights is not None
        weights = replace(self.model.weights, tags=None)
        return ChoiceScorer(Choice(weights, self.model.signature.partition("@")[0]), AS_TAGGED)

    @cached_property
    def tags(self) -> Scorer:
        """The scorer of tags."""
        from treegauge.scorers.tags import TagScorerOfModel

        assert self.model.weights is not None
        return TagScorerOfModel(self.model.weights, self.model.signature.partition("@")[0])

    @cached_property
    def lisca(self) -> LiscaScorer:
        """The scorer lisca, with the options asked for."""
        from treegauge.arcs.lisca import Lisca
        from treegauge.scorers.lisca import LiscaScorer

        return LiscaScorer(Lisca(self.model.reference, self.options))

    @cached_property
    def agreement(self) -> AgreementScorer:
        """The scorer agreement, over the other parses, which must be there."""
        from treegauge.scorers.opinions import AgreementScorer

        if self.others is None:
            raise OptionError("the scorer agreement needs other parses of the text (--with)")
        return AgreementScorer(self.others)

    @cached_property
    def evidence(self) -> EvidenceFinder:
        """What calibrations rest on: choice, LISCA with its usual options and, where there are some, other parses."""
        from treegauge.arcs.lisca import LiscaOptions
        from treegauge.scorers.calibrated import EvidenceFinder

        usual = self if self.options in (None, LiscaOptions()) else Workshop(self.given)
        return EvidenceFinder(self.choice, usual.lisca, None if self.others is None else self.agreement)

    @property
    def baselines(self) -> Any:
        """The module of the others, imported when one of them is asked for."""
        return import_module("treegauge.scorers.baselines")

    def make(self, name: str, calibration: Calibration | None = None) -> Scorer:
        """The scorer of that name; `calibrated` and `tags` take a calibration."""
        kind = find_kind(name)
        if kind.needs and self.given is None:
            raise ModelError(
                f"no reference: the scorer {name} needs a model: a file, or the code of a bundled one "
                "(`treegauge model list`)" + ("; or judge the corpus by itself (--self)" if kind.by_itself else "")
            )
        if kind.needs and kind.needs not in parts_of(self.model):
            raise ModelError(_LACKING[kind.needs].format(name=name))
        if calibration is None and name == CALIBRATED:
            raise OptionError("the scorer calibrated needs a calibration: a file of `treegauge calibrate`, or `any`")
        if calibration is None or name not in (CALIBRATED, TAGS):
            return kind.make(self)
        from treegauge.scorers.calibrated import CalibratedScorer, CalibratedTagScorer

        if name == TAGS:
            return CalibratedTagScorer(calibration, self.model, self.evidence)
        have = 0 if self.others is None else len(self.others.parses)
        if calibration.parses not in (0, have):
            raise OptionError(
                f"the calibration was made with {counted(calibration.parses, 'other parse')} of the text; "
                f"expected as many (--with), not {have}"
            )
        finder = self.evidence if calibration.parses else replace(self.evidence, agreement=None)
        return CalibratedScorer(calibration, self.model, finder)

    def make_with_opinions(self, name: str, calibration: Calibration | None = None) -> Scorer:
        """The same with the other parses added to its scores, unless they are in them anyway."""
        from treegauge.scorers.opinions import OpinionScorer

        made = self.make(name, calibration)
        if name == AGREEMENT or (calibration is not None and calibration.parses):
            return made
        return OpinionScorer(made, self.agreement)


@dataclass(frozen=True, slots=True)
class Kind:
    """A scorer's line in the registry."""

    says: str
    make: Callable[[Workshop], Scorer]
    needs: str = ""  # of a model
    by_itself: bool = False  # whether a corpus can be judged by the rest of it


REGISTRY: dict[str, Kind] = {
    "lisca": Kind("how usual the arc's features are in the reference", lambda w: w.lisca, COUNTS, True),
    "choice": Kind("how probable the arc is against all others", lambda w: w.choice, WEIGHTS, True),
    "as-tagged": Kind("the same where tags are gold: none is doubted", lambda w: w.as_tagged, WEIGHTS, True),
    CALIBRATED: Kind("how probable it is that the arc is right", lambda w: w.choice, WEIGHTS),
    TAGS: Kind("how probable the tag of a word is", lambda w: w.tags, WEIGHTS, True),
    "length": Kind("short arcs first", lambda w: w.baselines.LengthScorer()),
    "ptr": Kind("association of tags", lambda w: w.baselines.NpmiScorer("ptr", w.model.reference), COUNTS),
    "ltr": Kind("association of word forms", lambda w: w.baselines.NpmiScorer("ltr", w.model.reference), FORMS),
    "lptr": Kind("the product of both", lambda w: w.baselines.NpmiScorer("lptr", w.model.reference), FORMS),
    "lptr-sum": Kind("their sum", lambda w: w.baselines.NpmiScorer("lptr-sum", w.model.reference), FORMS),
    "lptr-shifted": Kind(
        "their product, both from 0 to 1", lambda w: w.baselines.NpmiScorer("lptr-shifted", w.model.reference), FORMS
    ),
    "random": Kind("a number by chance", lambda w: w.baselines.RandomScorer(w.seed)),
    AGREEMENT: Kind("which other parses of the text have the arc", lambda w: w.agreement),
}
NAMES = tuple(
    name for name in REGISTRY if name not in (CALIBRATED, TAGS, AGREEMENT)
)  # of arcs, asked for by name alone
# the readings of LPTR, and those scorers that are judged unless others are asked for: its printed reading only
LPTR = {"printed": "lptr", "sum": "lptr-sum", "shifted": "lptr-shifted"}
USUAL = tuple(name for name in NAMES if name not in LPTR.values() or name == LPTR["printed"])


def find_kind(name: str) -> Kind:
    """The line of a scorer."""
    if name not in REGISTRY:
        raise OptionError(f"scorer {name!r}; expected one of {', '.join(NAMES)}")
    return REGISTRY[name]


def parts_of(model: Model) -> set[str]:
    """What scorers can find in a model."""
    from treegauge.arcs.reference import TRIPLETS

    forms = {FORMS} if TRIPLETS in model.reference.tables else set()
    return {COUNTS, *forms, *({WEIGHTS} if model.weights is not None else ())}


def served(names: Iterable[str], model: Model) -> tuple[str, ...]:
    """Those of the scorers that a model can serve."""
    parts = parts_of(model)
    return tuple(name for name in names if not find_kind(name).needs or find_kind(name).needs in parts)


@dataclass(frozen=True, slots=True)
class Folding:
    """How a corpus is judged by itself."""

    folds: int | None = None  # None: each sentence by all others; else each fold by the others
    settings: CountSettings | None = None  # what LISCA counts


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

    Without a name: choice, but lisca where the model has no weights, or where options or settings of lisca are given.
    by_itself: no model, but the corpus that is to be judged, as `folding` has it. options are LISCA's, seed is for
    random. calibration: rank by the probability that an arc is right, by a file of `calibrate`, or `any`. others: other
    parses of the corpus that is to be judged (`other_parses`), whose opinions are added; without a model, nothing else
    is asked.
    """
    if others is not None:
        from treegauge.scorers.opinions import AgreementScorer, OpinionScorer

        if name == TAGS:
            raise OptionError("other parses say something of arcs (--with), not of tags (--unit tag)")
    if calibration is not None:
        if name not in (None, "lisca", "choice", CALIBRATED, TAGS):
            raise OptionError(f"the scorer {name} and a calibration exclude each other; that ranks by choice and lisca")
        if by_itself is not None:
            raise OptionError("a calibration needs a model, not the corpus itself (--self, --folds)")
        name = TAGS if name == TAGS else CALIBRATED
    if by_itself is not None:
        if model is not None:
            raise OptionError("a model and the corpus itself (--model and --self) exclude each other")
        folding = folding or Folding()
        if name is None:
            name = "lisca" if _asks_for_lisca(options, folding.settings) else "choice"
        alone = _self_scorer(name, by_itself, folding, options)
        return alone if others is None else OpinionScorer(alone, AgreementScorer(others))
    if name is not None:
        find_kind(name)
    if isinstance(model, str | os.PathLike):
        from treegauge.models.bundled_models import load_model

        model = load_model(model)
    if name is None and model is None and others is not None:
        name = AGREEMENT
    if name is None:
        name = "lisca" if _asks_for_lisca(options) or model is None or model.weights is None else "choice"
    if isinstance(calibration, str | os.PathLike):
        from treegauge.calibration.logistic import find_calibration

        calibration = find_calibration(os.fspath(calibration))
    workshop = Workshop(model, options, seed, others)
    return workshop.make(name, calibration) if others is None else workshop.make_with_opinions(name, calibration)


def _asks_for_lisca(options: LiscaOptions | None, settings: CountSettings | None = None) -> bool:
    from treegauge.arcs.lisca import LiscaOptions
    from treegauge.arcs.reference import CountSettings

    return options not in (None, LiscaOptions()) or settings not in (None, CountSettings())


def as_scorer(by: Scorer | Model | str | os.PathLike[str]) -> Scorer:
    """A scorer as it is, or LISCA over a model: the measure of the papers."""
    from treegauge.models.model import Model

    return scorer("lisca", by) if isinstance(by, Model | str | os.PathLike) else by


def scorers(
    names: Sequence[str],
    model: Model | None,
    options: LiscaOptions | None = None,
    seed: int = 0,
    calibration: Calibration | None = None,
    others: OtherParses | None = None,
) -> list[Scorer]:
    """The scorers of these names over one model, each name once, and the calibrated one; they share their passes.

    others: agreement with these parses, and the best of the scorers with their opinions added, too.
    """
    if len(set(names)) < len(names) or not (names or calibration or others):
        raise OptionError(f"scorers {', '.join(names)!r}; expected each once")
    workshop = Workshop(model, options, seed, others)
    made = [workshop.make(name) for name in names]
    if others is not None:
        made += [] if AGREEMENT in names else [workshop.agreement]
        made += [workshop.make_with_opinions(name) for name in ("choice", "lisca") if name in names][:1]
    if calibration is not None:
        with_opinions = others is not None and not calibration.parses
        made.append(workshop.make(CALIBRATED, calibration))
        made += [workshop.make_with_opinions(CALIBRATED, calibration)] if with_opinions else []
    return made


def _self_scorer(
    name: str,
    source: CorpusSource | Pieces,
    folding: Folding,
    options: LiscaOptions | None,
) -> Scorer:
    from treegauge.arcs.reference import CountSettings
    from treegauge.corpus.conllu import as_corpus
    from treegauge.scorers.by_itself import ChoiceByItself, LiscaByItself, TagsByItself

    if not find_kind(name).by_itself:
        able = ", ".join(each for each in NAMES if REGISTRY[each].by_itself)
        raise OptionError(f"the scorer {name} needs a model; by itself (--self, --folds) a corpus is judged by {able}")
    if callable(source):
        pieces = source
    else:
        corpus = as_corpus(source)

        def pieces() -> list[Corpus]:
            return [corpus]

    if name == TAGS:
        return TagsByItself(pieces, folding.folds)
    if name in ("choice", "as-tagged"):
        return ChoiceByItself(pieces, folding.folds, name)
    return LiscaByItself(pieces, folding.settings or CountSettings(), options, folding.folds)
