"""Adds a net to the bundled models of languages with enough text, without learning counts and weights again.

    python tools/build_nets.py [--only CODE …] [--out FOLDER] [--least WORDS] [UD]

Needs torch (extra `net`). What a net is learned from is what its model is built from (`bundled_treebanks.tsv`). Largest
languages come first; models that are in the output folder already, with a net, are left as they are. Weights have four
bits. At last the index is written with what each net is worth: the share of the arcs held back, a tenth, that are its
first choice. A net that is stopped between is not lost: only the rest is learned when the script is run again.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

from build_models import BUNDLED, DATA, in_turn, treebanks

import treegauge as tg
from treegauge.models.model import model_bytes
from treegauge.models.net.training import NetOptions, learn_net, sizes_for

LEAST = 10_000  # words from which a net pays: docs/net.md
_FOUR_BITS = 7
_LEVEL = 19
_LARGEST = 950_000  # bytes that a net may add


def write_index(out: Path) -> None:
    """Write the index of bundled models with what the nets in a folder are worth."""
    entries = json.loads((BUNDLED / "index.json").read_text("utf-8"))
    for entry in entries:
        path = out / f"{entry['code']}.tgm"
        net = tg.load_model(path).net if path.exists() else None
        if net is not None:
            entry["net"] = round(net.first_choice, 3)
    (out / "index.json").write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Add the nets, and print a line for each."""
    options = argparse.ArgumentParser()
    options.add_argument("ud", nargs="?", type=Path, default=DATA / "ud")
    options.add_argument("--only", nargs="+", metavar="CODE")
    options.add_argument("--out", type=Path, default=BUNDLED)
    options.add_argument("--least", type=int, default=LEAST)
    given = options.parse_args()
    given.out.mkdir(exist_ok=True, parents=True)
    words = {entry["code"]: entry["words"] for entry in json.loads((BUNDLED / "index.json").read_text("utf-8"))}
    groups = {group[0].code: group for group in treebanks()}
    chosen = given.only or sorted((code for code in words if words[code] >= given.least), key=lambda code: -words[code])
    for code in chosen:
        out = given.out / f"{code}.tgm"
        if out.exists() and tg.load_model(out).net is not None:
            continue
        began, lines = time.monotonic(), list[str]()
        corpus, bundled = in_turn(given.ud, groups[code]), tg.load_model(BUNDLED / f"{code}.tgm")
        learned = NetOptions(sizes=sizes_for(corpus.n_words), most=_FOUR_BITS)
        model = replace(bundled, net=learn_net([corpus], learned, told=lines.append))
        content, before = model_bytes(model, _LEVEL), (BUNDLED / f"{code}.tgm").stat().st_size
        if bundled.net is None and len(content) - before > _LARGEST:
            raise SystemExit(f"{code}: the net takes {len(content) - before} bytes; expected at most {_LARGEST}")
        part = out.with_suffix(".part")
        part.write_bytes(content)
        part.rename(out)
        took = f"{time.monotonic() - began:.0f} s, {len(content) - before:,} bytes more"
        print(f"{code}\t{corpus.n_words}\t{lines[-1]}\t{took}", flush=True)
    write_index(given.out)


if __name__ == "__main__":
    main()
