"""Files that somebody damaged: hand-made ones with bytes, fields and lines replaced, doubled, left out or exchanged."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

# a plain run tries some; tools/check_memory.sh tries thousands, or as many as one likes overnight
CASES = int(os.environ.get("TREEGAUGE_FUZZ_CASES", "150"))
SEED = int(os.environ.get("TREEGAUGE_FUZZ_SEED", "20131"))

_PIECES = [b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b"#", b"# sent_id = x\n", b"0", b"-", b".", b"_", b"|", b":", b" "]
_PIECES += [b"\xff", b"\x00", b"\xe2\x82\xac", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90"]
_PIECES += [b"9" * 30, b"y" * 33_000, b"\t" * 40, b"\n" * 40, b"x\ty\n", b"1\tw\tw\tX\t_\t_\t0\troot\t_\t_\n"]
_FIELDS = [b"_", b"", b"0", b"1", b"2", b"3", b"-1", b"4095", b"4096", b"99999999999", b"1-2", b"2-1", b"1.1", b"0.1"]
_FIELDS += [b"256:dep|300:x", b"0:root|0:root", b"1:a>b|2.1:c", b"x:", b":", b"|", b"SpaceAfter=No", b"\xc3", b"a b"]
# A line that ends before its columns do, and nothing but one long line behind it as far as the reader looks at a time;
# plain text; files of next to nothing.
_ODD = [start + b"y" * size + b"\n" for start in (b"x\n", b"1\tx\n", b"\nx\n") for size in (32_700, 33_000, 70_000)]
_ODD += [b"plain text\nof two lines\n\n" * 3_000, b"", b"\n", b"x", b"#\nsent_id = x\n"]


def damaged_files(data: Path, n: int = CASES, seed: int = SEED) -> Iterator[bytes]:
    """The hand-made CoNLL-U files, then n made of them."""
    originals = [path.read_bytes() for path in sorted(data.glob("*.conllu"))] + [long_sentence()]
    yield from originals
    yield from _ODD
    rng = random.Random(seed)
    for _ in range(n):
        yield damaged(rng.choice(originals), rng)


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A file with one to four things wrong with it, if they are."""
    for _ in range(rng.randint(1, 4)):
        content = rng.choice([_replaced, _replaced, _field, _field, _field, _doubled, _left_out, _lines, _cut, _dos])(
            content, rng
        )
    return content


def _place(content: bytes, rng: random.Random) -> int:
    return rng.randint(0, len(content))


def _replaced(content: bytes, rng: random.Random) -> bytes:
    at = _place(content, rng)
    return content[:at] + rng.choice(_PIECES) + content[at + rng.randint(0, 3) :]


def _field(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    rows = [k for k, line in enumerate(lines) if b"\t" in line]
    if not rows:
        return content
    k = rng.choice(rows)
    fields = lines[k].split(b"\t")
    fields[rng.randrange(len(fields))] = rng.choice(_FIELDS)
    lines[k] = b"\t".join(fields)
    return b"\n".join(lines)


def _doubled(content: bytes, rng: random.Random) -> bytes:
    low, high = sorted((_place(content, rng), _place(content, rng)))
    return content[:high] + content[low:]


def _left_out(content: bytes, rng: random.Random) -> bytes:
    low = _place(content, rng)
    return content[:low] + content[low + rng.choice([1, 2, 5, 30, 200]) :]


def _lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: _place(content, rng)]


def _dos(content: bytes, rng: random.Random) -> bytes:
    return content.replace(b"\n", b"\r\n", rng.choice([1, 3, -1]))


def long_sentence(words: int = 700) -> bytes:
    """More words than a byte counts, multiword tokens and enhanced arcs among them."""
    lines = []
    for k in range(1, words + 1):
        if k % 50 == 1:
            lines.append(f"{k}-{k + 1}\tab" + "\t_" * 8)
        deps = f"{k - 1}:dep|{max(k - 300, 0)}:far" if k > 1 else "0:root"
        lines.append(f"{k}\tw{k % 7}\tw\tX\t_\t_\t{k - 1}\t{'root' if k == 1 else 'dep'}\t{deps}\t_")
    return "\n".join(lines).encode() + b"\n\n"
