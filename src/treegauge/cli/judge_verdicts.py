"""`treegauge judge --verdicts`: precision at k of rankings, by what people said of arcs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import numpy as np

from treegauge.cli.options import message
from treegauge.cli.scoring import names_of, read_parsed
from treegauge.errors import OptionError

if TYPE_CHECKING:
    from treegauge.arcs.lisca import LiscaOptions


def precision_text(
    files: Sequence[str],
    verdicts_file: str,
    model_name: str | None,
    wanted: Sequence[str] | None,
    usual: str,
    options: LiscaOptions,
    without_root: bool,
    seed: int,
    form: str,
) -> str:
    """The table of precisions in one of the written forms, for the wanted scorers or the usual ones that can be."""
    from treegauge.judging.judged import make_scorers, scorers_of_model
    from treegauge.judging.verdict_precision import precision_table
    from treegauge.models.bundled_models import find_model
    from treegauge.ranking.verdicts import VerdictError, read_verdicts, verdict_codes
    from treegauge.reports.table_text import write_json, write_tables
    from treegauge.scorers.registry import needs_model

    if len(files) != 1:
        raise click.UsageError("--verdicts: expected SYSTEM alone, without GOLD")
    names = names_of(usual, "scorers") if wanted is None else wanted
    model = None if model_name is None else find_model(model_name)
    if model is None and any(map(needs_model, names)):
        raise OptionError("no reference: give --model FILE or --model CODE (see `treegauge model list`)")
    verdicts = read_verdicts(verdicts_file)
    corpus = read_parsed(files[0])
    codes = verdict_codes(corpus, verdicts)
    fitting = int((codes > 0).sum())
    if fitting == 0:
        raise VerdictError(f"{verdicts_file}: none of its {len(verdicts):,} verdicts is about an arc of {files[0]}")
    if fitting < len(verdicts):
        message(f"{len(verdicts) - fitting:,} of {len(verdicts):,} verdicts are about arcs that {files[0]} has not")
    made = make_scorers(scorers_of_model(names, model) if wanted is None else names, model, options, seed)
    scored = []
    for scorer in made:
        scores = scorer.scores(corpus)
        scored.append((scorer.name, np.where(corpus.head == 0, np.nan, scores) if without_root else scores))
    signature = " ; ".join(scorer.signature for scorer in made)
    table = precision_table(f"Errors among the k most suspicious arcs of {files[0]}", scored, codes, signature)
    return write_json(table.to_dict()) if form == "json" else write_tables([table], form)
