"""Which scorers are judged."""

from __future__ import annotations

from collections.abc import Sequence

from treegauge.arcs.lisca import LiscaOptions
from treegauge.calibration.logistic import find_calibration
from treegauge.models.bundled_models import load_model
from treegauge.scorers.registry import FORMS, NAMES, REGISTRY, WEIGHTS, scorers, served
from treegauge.scorers.scorer import Scorer

_LACKS = {
    FORMS: "the model has no word forms (`treegauge model build --forms`)",
    WEIGHTS: "the model has no choice weights (`treegauge model build --choice`)",
}


def chosen_scorers(
    names: Sequence[str] | None,
    model_name: str | None,
    options: LiscaOptions | None = None,
    seed: int = 0,
    calibration: str | None = None,
) -> tuple[list[Scorer], list[str]]:
    """The scorers of these names, or all that the model can serve; and what is missing for the others."""
    model = None if model_name is None else load_model(model_name)
    notes = []
    if names is None and model is not None:
        chosen = served(NAMES, model)
        for need, lacks in _LACKS.items():
            without = [name for name in NAMES if name not in chosen and REGISTRY[name].needs == need]
            notes += [f"{lacks}: without {' and '.join(without)}"] if without else []
    else:
        chosen = tuple(NAMES if names is None else names)
    made = None if calibration is None else find_calibration(calibration)
    return scorers(chosen, model, options, seed, made), notes
