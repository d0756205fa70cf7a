"""treegauge find against Udapi on the same requests: the same words, then seconds, memory and words per second.

python benchmarks/bench_find.py [--words 1000000] [--runs 3] [TREEBANK.conllu …]

The file is the treebanks again and again (by default those of the evaluation data, TREEGAUGE_DATA). Udapi marks what a
request names (util.Mark); the words that it marks must be those that `find` gives the name. Then each request is timed
from start to exit: `find --count`, `find -f conllu`, and Udapi with util.Mark and with util.Filter, which count and
write the same. Udapi gets a smaller file (--udapi-words), because it needs about a minute for a million words; the
ratio is of seconds per word, without what either needs to start.
"""

import argparse
import glob
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from treegauge.corpus.conllu import read_conllu
from treegauge.upkeep.search.find import find

DATA = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
# request, the name of a node, and what Udapi asks of it
REQUESTS = {
    "object before its verb": (
        "pattern { V [upos=VERB]; V -[obj]-> O; O << V }",
        "O",
        'node.deprel == "obj" and node.parent.upos == "VERB" and node.precedes(node.parent)',
    ),
    "verb without a subject": (
        "pattern { V [upos=VERB] } without { V -[1=nsubj]-> S }",
        "V",
        'node.upos == "VERB" and not any(child.udeprel == "nsubj" for child in node.children)',
    ),
    "prepositions of verbs by their lemma": (
        'pattern { V [upos=VERB]; V -[1=obl]-> N; N -[case]-> P; P [lemma="di"|"in"|"of"|"de"|"en"] }',
        "P",
        'node.lemma in ("di", "in", "of", "de", "en") and node.deprel == "case" and node.parent.udeprel == "obl" '
        'and node.parent.parent.upos == "VERB"',
    ),
    "determiner that does not agree": (
        "pattern { N -[det]-> D; N.Number <> D.Number }",
        "D",
        'node.deprel == "det" and "" not in (node.feats["Number"], node.parent.feats["Number"]) '
        'and node.feats["Number"] != node.parent.feats["Number"]',
    ),
}


# a small process that runs a command and prints its seconds and megabytes: a large one would count its own memory
WATCH = "import os, subprocess, sys, time; t = time.perf_counter(); p = subprocess.Popen(sys.argv[1:], stdout=-3, "
WATCH += "stderr=-3); _, s, u = os.wait4(p.pid, 0); print(time.perf_counter() - t, u.ru_maxrss / 1024, s)"


def timed(command: list[str], source: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of a process that reads a file from standard input, and writes to nowhere."""
    watched = [sys.executable, "-S", "-c", WATCH, *command]
    with source.open("rb") as text:
        watch = subprocess.run(watched, stdin=text, capture_output=True, check=True, text=True)
    seconds, megabytes, status = map(float, watch.stdout.split())
    if status:
        raise SystemExit(f"{command} failed")
    return seconds, megabytes


def repeated(paths: list[str], words: int, target: Path) -> int:
    """Write the treebanks again and again until so many words are there; how many there are."""
    texts = [Path(path).read_bytes().strip(b"\n").split(b"\n\n") for path in paths]
    written = 0
    with target.open("wb") as out:
        while written < words:
            for text in texts:
                for sentence in text:
                    if written < words:
                        out.write(sentence + b"\n\n")
                        written += sum(line.split(b"\t", 1)[0].isdigit() for line in sentence.split(b"\n"))
    return written


def check_equal(path: Path, request: str, name: str, condition: str) -> int:
    """The number of words that both find; an error if they are not the same."""
    marked = subprocess.run(
        ["udapy", "-s", "util.Mark", f"node={condition}", "mark=bench"],
        stdin=path.open("rb"),
        capture_output=True,
        check=True,
    ).stdout.decode()
    lines = [line.split("\t") for line in marked.split("\n") if line.count("\t") == 9]
    words = [columns for columns in lines if columns[0].isdigit()]
    theirs = [k for k, columns in enumerate(words) if "Mark=bench" in columns[9]]
    found = find(read_conllu(path), request)
    ours = sorted(set(found.nodes[:, found.names.index(name)].tolist()))
    if ours != theirs:
        raise SystemExit(f"{request}: {len(ours)} words, and Udapi has {len(theirs)}")
    return len(ours)


def main() -> None:
    """Check and time all requests."""
    parser = argparse.ArgumentParser()
    parser.add_argument("treebanks", nargs="*")
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--udapi-words", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    paths = args.treebanks or sorted(glob.glob(str(DATA / "ud" / "*" / "*.conllu")))
    with tempfile.TemporaryDirectory() as folder:
        large, small, one = (Path(folder, f"{name}.conllu") for name in ("large", "small", "one"))
        n_large, n_small = repeated(paths, args.words, large), repeated(paths, args.udapi_words, small)
        one.write_bytes(b"1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n")
        print(
            f"{n_large:,} words for find, {n_small:,} for Udapi; {platform.platform()}, Python {sys.version.split()[0]}"
        )
        for title, (request, name, condition) in REQUESTS.items():
            both = check_equal(small, request, name, condition)
            print(f"\n{title}: {both:,} words in {n_small:,}, the same as Udapi\n  {request}")
            commands = {
                "find --count": (["treegauge", "find", request, "-", "--count"], large, n_large),
                "find -f conllu": (["treegauge", "find", request, "-", "-f", "conllu"], large, n_large),
                "Udapi util.Mark": (["udapy", "-s", "util.Mark", f"node={condition}"], small, n_small),
                "Udapi util.Filter": (["udapy", "-s", "util.Filter", f"keep_tree_if_node={condition}"], small, n_small),
            }
            rates = {}
            for label, (command, source, n) in commands.items():
                seconds, memory = min(timed(command, source) for _ in range(args.runs))
                start = min(timed(command, one)[0] for _ in range(args.runs))
                rates[label] = n / max(seconds - start, 1e-3)
                print(
                    f"  {label:18} {seconds:6.2f} s ({start:.2f} to start), {memory:5.0f} MB, "
                    f"{rates[label]:12,.0f} words/s"
                )
            slower = (
                rates["find --count"] / rates["Udapi util.Mark"],
                rates["find -f conllu"] / rates["Udapi util.Filter"],
            )
            print(f"  times faster: {slower[0]:.0f} (count and util.Mark), {slower[1]:.0f} (conllu and util.Filter)")


if __name__ == "__main__":
    main()
