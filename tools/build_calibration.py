"""Builds the bundled calibration `any` from the evaluation data, of treebanks whose licence allows it.

    python tools/build_calibration.py

Four languages (English, Korean, Portuguese, Russian), four parsers, dev sets; only weights of evidence are kept, none
of words. It serves languages for which there is no gold.
"""

import os
from pathlib import Path

from treegauge.calibration.evidence import Evidence
from treegauge.calibration.logistic import BUNDLED, fit_calibration
from treegauge.corpus.conllu import read_conllu
from treegauge.judging.measures import right_arcs
from treegauge.models.building import build_model
from treegauge.scorers.registry import Workshop

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
        gold, system = (read_conllu(DATA / pair / f"dev.{side}.conllu") for side in ("gold", "system"))
        found = Workshop(build_model(reference)).evidence(system)
        parts.append(Evidence(found, right_arcs(gold, system), system.sentence))
    made = fit_calibration(Evidence.joined(parts), " ".join(PAIRS.values()), "a model of each")
    made.save(str(OUT))
    print(f"{OUT.name}: {made.arcs:,} arcs, {len(made.names)} kinds of evidence")


if __name__ == "__main__":
    main()
