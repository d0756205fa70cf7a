"""Builds the bundled calibration `any` from the evaluation data, of treebanks whose licence allows it.

    python tools/build_calibration.py

Four languages (English, Korean, Portuguese, Russian), four parsers, dev sets; only weights of evidence are kept, none
of words. It serves languages for which there is no gold.
"""

import os
from dataclasses import replace
from pathlib import Path

from treegauge.arcs.counts import build_model
from treegauge.arcs.reference import Settings
from treegauge.calibration.evidence import Evidence
from treegauge.calibration.logistic import BUNDLED, calibration_bytes, fit_calibration
from treegauge.choice.learning import train_choice
from treegauge.choice.words import COLUMNS
from treegauge.corpus.conllu import read_conllu

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data")) / "pairs"
OUT = Path(__file__).parents[1] / "src" / "treegauge" / "models" / "bundled" / f"{BUNDLED}.tgc"
PAIRS = {
    "en_ewt_udpipe": "UD_English-EWT",
    "ko_gsd": "UD_Korean-GSD",
    "pt_bosque": "UD_Portuguese-Bosque",
    "ru_taiga": "UD_Russian-Taiga",
}


def main() -> None:
    """Write it."""
    parts = []
    for pair in PAIRS:
        reference = str(DATA / pair / "reference.parsed.conllu.xz")
        model = replace(build_model([reference], Settings()), choice=train_choice([reference]))
        gold, system = (read_conllu(DATA / pair / f"dev.{side}.conllu", columns=COLUMNS) for side in ("gold", "system"))
        parts.append(Evidence.of(gold, system, model))
    made = fit_calibration(Evidence.joined(parts), " ".join(PAIRS.values()), "a model of each")
    OUT.write_bytes(calibration_bytes(made))
    print(f"{OUT.name}: {made.arcs:,} arcs, {len(made.names)} kinds of evidence")


if __name__ == "__main__":
    main()
