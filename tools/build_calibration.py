"""Builds the bundled calibration `any` from the evaluation data, of treebanks whose licence allows it.

    python tools/build_calibration.py
    python tools/build_calibration.py --net net_models    # `any-net`, for models that have a net

Five languages (English, Korean, Portuguese, Russian, Uyghur); UDPipe 1 on the dev sets of four of them, and six
parsers of the CoNLL 2018 shared task on Korean and Uyghur. The model of each is of its training text, as bundled ones
are. Only evidence in numbers is looked at: with weights for tags and relations it was worse on all other languages.
It serves those for which there is no parsed gold.

With --net, models with nets are taken from a folder, or learned first (needs torch; minutes each): the training texts
of five treebanks of the shared task, and on each the half of the parsers that `runs_2018.py` learns from.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from treegauge.corpus.compare.comparison import Comparison, right_arcs
from treegauge.corpus.conllu import read_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.models.building import build_model
from treegauge.scorers.calibration import BUNDLED, fit_calibration
from treegauge.scorers.evidence import Evidence
from treegauge.scorers.registry import ScorerFactory

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from net_models import model_with_net
from parsers_2018 import same_sentences
from runs_2018 import halves

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
BUNDLED_FOLDER = Path(__file__).parents[1] / "src" / "treegauge" / "models" / "bundled"
PAIRS = {
    "en_ewt_udpipe": ("en_ewt", "UD_English-EWT"),
    "ko_gsd": ("ko_gsd", "UD_Korean-GSD"),
    "pt_bosque": ("pt_bosque", "UD_Portuguese-Bosque"),
    "ru_taiga": ("ru_taiga", "UD_Russian-Taiga"),
}
OF_2018 = {"ko_gsd": "UD_Korean-GSD", "ug_udt": "UD_Uyghur-UDT"}
WITH_NETS = {
    "fr_spoken": "UD_French-Spoken",
    "ko_gsd": "UD_Korean-GSD",
    "ru_taiga": "UD_Russian-Taiga",
    "sme_giella": "UD_North_Sami-Giella",
    "ug_udt": "UD_Uyghur-UDT",
}
PARSERS = ("conll18-baseline", "HIT-SCIR-18", "Stanford-18", "TurkuNLP-18", "ICS-PAS", "Uppsala-18")


def known() -> Iterator[tuple[ScorerFactory, Corpus, Corpus]]:
    """What judges, gold, and what a parser made of the same words."""
    for pair, (treebank, _) in PAIRS.items():
        factory = ScorerFactory(build_model(str(next((DATA / "ud" / treebank).glob("train.conllu*")))))
        gold, system = (read_conllu(DATA / "pairs" / pair / f"dev.{side}.conllu") for side in ("gold", "system"))
        yield factory, gold, system
    for treebank in OF_2018:
        train = DATA / "conll2018" / treebank / "train.conllu.xz"
        yield from of_2018(ScorerFactory(build_model(str(train))), treebank)


def known_with_nets(models: Path) -> Iterator[tuple[ScorerFactory, Corpus, Corpus]]:
    """The same, of models with nets."""
    for treebank in WITH_NETS:
        yield from of_2018(ScorerFactory(model_with_net(treebank, models)), treebank, halves()[0])


def of_2018(
    factory: ScorerFactory, treebank: str, parsers: Sequence[str] = PARSERS
) -> Iterator[tuple[ScorerFactory, Corpus, Corpus]]:
    """What judges, gold, and what each parser of the shared task made of it."""
    folder = DATA / "conll2018" / treebank
    gold = read_conllu(folder / "gold.conllu.xz")
    for parser in parsers:
        path = folder / f"{parser}.conllu.xz"
        if path.exists():
            yield factory, *same_sentences(gold, read_conllu(path, on_error="skip"))


def main() -> None:
    """Write it."""
    options = argparse.ArgumentParser()
    options.add_argument("--net", type=Path, metavar="FOLDER", help="of models with nets")
    given = options.parse_args()
    parts, of_tags = [], []
    for factory, gold, system in known() if given.net is None else known_with_nets(given.net):
        numbers = replace(factory.evidence(system), labels={})
        parts.append(Evidence(numbers, right_arcs(gold, system), system.sentence))
        right, tags = Comparison(system, gold).same("upos"), factory.evidence.of_tags(system)
        if tags is not None and not right.all():  # gold tags say nothing of how often predicted ones are right
            of_tags.append(Evidence(replace(tags, labels={}), right, system.sentence))
        print(f"{len(parts)}: {system.n_words:,} words, {100 * parts[-1].right.mean():.1f} % right", flush=True)
    names = dict.fromkeys(
        [name for _, name in PAIRS.values()] + list(OF_2018.values()) if given.net is None else WITH_NETS.values()
    )
    out = BUNDLED_FOLDER / f"{BUNDLED}{'-net' * (given.net is not None)}.tgc"
    made, tagged = (
        fit_calibration(Evidence.joined(one), " ".join(names), "a model of each") for one in (parts, of_tags)
    )
    made = replace(made, tags=tagged)
    made.save(str(out))
    print(f"{out.name}: {made.arcs:,} arcs, {len(made.names)} kinds of evidence")


if __name__ == "__main__":
    main()
