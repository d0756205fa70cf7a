"""Builds the bundled Italian lexicon of verb frames from treebanks whose licence allows it.

    python tools/build_lexica.py [UD]

Only verbs met at least three times are kept, and of their slots those met at least twice.
"""

import os
import sys
from pathlib import Path

from treegauge.constituency.chaos.lexicon import FOLDER, Frame, Lexicon, learn_lexicon, merge_lexica, write_lexicon
from treegauge.corpus.conllu import read_conllu

TREEBANKS = {"it_markit": "UD_Italian-MarkIT b01ee41, CC BY 4.0", "it_old": "UD_Italian-Old r2.13, CC BY-SA 4.0"}
VERB, SLOT = 3, 2  # least counts
COMMENT = """Italian verb frames: how often each verb was met, and how often with each slot.
Counted by tools/build_lexica.py on the training parts of
{sources}.
This file is under CC BY-SA 4.0."""


def main() -> None:
    """Read, count, merge, cut, write."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TREEGAUGE_DATA", "../shared/data") + "/ud")
    merged = merge_lexica([learn_lexicon(read_conllu(root / name / "train.conllu.xz")) for name in TREEBANKS])
    frames = {
        verb: Frame(frame.count, {slot: count for slot, count in frame.slots.items() if count >= SLOT})
        for verb, frame in merged.frames.items()
        if frame.count >= VERB and verb.isalpha()
    }
    comment = COMMENT.format(sources="\n".join(TREEBANKS.values()))
    Path(FOLDER, "it.txt").write_text(write_lexicon(Lexicon(frames), comment), encoding="utf-8")
    print(f"{len(frames)} verbs")


if __name__ == "__main__":
    main()
