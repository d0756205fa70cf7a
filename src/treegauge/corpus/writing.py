"""Write CoNLL-U text: the same bytes as were read, except for changed arcs and new values in MISC."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treegauge.corpus.corpus import Corpus

HEAD, DEPREL, DEPS = 6, 7, 8  # the numbers of the columns, from 0
_WORDS = 1 << 13  # words whose lines are changed at a time
_DEPS_ARC = re.compile(rb"(\d{1,9})(?:\.(\d{1,9}))?:(.+)", re.DOTALL)


def with_misc(corpus: Corpus, values: Mapping[str, Sequence[str | None]], in_order: bool = False) -> bytes:
    """The corpus's text with `name=value` in the MISC column of each word, for each name.

    If MISC already has this name, its value is replaced at the same place; None leaves a word as it is. in_order: a new
    name comes before the first that is larger, without case, as Udapi sorts them; else it comes last. Nothing else
    changes, not even sentences that were left out because of a defect.
    """
    return with_arcs_and_misc(corpus, {}, values, in_order)


def with_arcs_and_misc(
    corpus: Corpus,
    arcs: Mapping[int, tuple[int, str]],
    values: Mapping[str, Sequence[str | None]],
    in_order: bool = False,
) -> bytes:
    """The same as `with_misc`, and another head and relation for the words in some rows (see `with_arc`)."""
    names = [name.encode() + b"=" for name in values]
    written, done, n = bytearray(), 0, corpus.n_words
    for low in range(0, n, _WORDS):
        rows = range(low, min(low + _WORDS, n))
        stop = int(corpus.line[rows.stop]) if rows.stop < n else len(corpus.text)
        misc, end = _misc_spans(corpus, rows, stop)
        text = corpus.text[done:stop].tobytes()
        new = [column[rows.start : rows.stop] for column in values.values()]
        pieces, at = [], 0
        for row, first, last, *of_word in zip(rows, (misc - done).tolist(), (end - done).tolist(), *new, strict=True):
            if row in arcs:
                begin = int(corpus.line[row]) - done
                pieces += [text[at:begin], b"\t".join(with_arc(text[begin:first].split(b"\t"), *arcs[row]))]
            else:
                pieces.append(text[at:first])
            pieces.append((_in_order if in_order else _with_entries)(text[first:last], names, of_word))
            at = last
        pieces.append(text[at:])
        written += b"".join(pieces)
        done = stop
    return bytes(written) if n else corpus.text.tobytes()


def _misc_spans(corpus: Corpus, rows: range, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """Where MISC of each of these words begins and ends in the text; stop: where the lines behind them begin."""
    low = int(corpus.line[rows.start])
    text = corpus.text[low:stop]
    newline, tab = (np.flatnonzero(text == c) for c in (10, 9))
    end = np.append(newline, len(text))[np.searchsorted(newline, corpus.line[rows.start : rows.stop] - low)]
    end -= text[end - 1] == 13  # a carriage return
    return tab[np.searchsorted(tab, end) - 1] + 1 + low, end + low


def _with_entries(misc: bytes, names: Sequence[bytes], new: Sequence[str | None]) -> bytes:
    """MISC with new values; names end in `=`."""
    if misc in (b"_", b"") or not any(name[:-1] in misc for name in names):
        entries = [name + value.encode() for name, value in zip(names, new, strict=True) if value is not None]
        return b"|".join(entries if misc in (b"_", b"") else [misc, *entries]) or misc
    return _edited(misc, zip(names, new, strict=True))


def _in_order(misc: bytes, names: Sequence[bytes], new: Sequence[str | None]) -> bytes:
    """MISC with new values before the first entry with a larger name; what is there stays in its order."""
    entries = [] if misc in (b"_", b"") else misc.split(b"|")
    for name, value in zip(names, new, strict=True):
        if value is None:
            continue
        known = [entry.partition(b"=")[0] for entry in entries]
        entry = name + value.encode()
        if name[:-1] in known:
            entries[known.index(name[:-1])] = entry
        else:
            larger = (k for k, other in enumerate(known) if other.lower() > name[:-1].lower())
            entries.insert(next(larger, len(entries)), entry)
    return b"|".join(entries) or misc


def with_comment(corpus: Corpus, text: bytes, name: str, values: Mapping[int, str]) -> bytes:
    """A text that has the words of the corpus, with `# name = value` before the words of some sentences.

    The text is the corpus's own with other values in its lines. An older comment of this name in these sentences goes.
    """
    begin = f"# {name} =".encode()
    first_line = np.searchsorted(np.flatnonzero(corpus.text == ord("\n")), corpus.begin).tolist()
    lines = text.split(b"\n")
    written: list[bytes] = []
    done = 0
    for s, value in sorted(values.items()):
        at = first_line[s]
        written += lines[done:at]
        while at < len(lines) and lines[at].startswith(b"#"):
            if not lines[at].startswith(begin):
                written.append(lines[at])
            at += 1
        end = b"\r" if lines[at].endswith(b"\r") else b""
        written.append(begin + b" " + value.encode() + end)
        done = at
    return b"\n".join([*written, *lines[done:]])


def _edited(misc: bytes, new: Iterable[tuple[bytes, str | None]]) -> bytes:
    entries = misc.split(b"|")
    place = {entry.partition(b"=")[0] + b"=": k for k, entry in enumerate(entries)}
    for name, value in new:
        if value is None:
            continue
        entry = name + value.encode()
        k = place.get(name)
        if k is None:
            entries.append(entry)
        else:
            entries[k] = entry
    return b"|".join(entries)


def with_arc(columns: list[bytes], head: int, deprel: str) -> list[bytes]:
    """The columns of a word with another arc; if DEPS repeats the old arc, it gets the new one, too."""
    old, new = columns[HEAD] + b":" + columns[DEPREL], f"{head}:{deprel}".encode()
    columns[HEAD], columns[DEPREL] = str(head).encode(), deprel.encode()
    if old != new:
        columns[DEPS] = _deps(columns[DEPS], old, new)
    return columns


def _deps(deps: bytes, old: bytes, new: bytes) -> bytes:
    """DEPS with a new arc instead of an old one; sorted if it was sorted; unchanged if it does not have the old one."""
    arcs = deps.split(b"|")
    if old not in arcs:
        return deps
    new_arcs = list(dict.fromkeys(new if arc == old else arc for arc in arcs))
    if sorted(arcs, key=_deps_order) == arcs:
        new_arcs.sort(key=_deps_order)
    return b"|".join(new_arcs)


def _deps_order(arc: bytes) -> tuple[int, int, bytes]:
    """The key by which CoNLL-U sorts arcs: head, then relation; a text that is not an arc comes first."""
    parts = _DEPS_ARC.fullmatch(arc)
    return (int(parts[1]), int(parts[2] or 0), parts[3]) if parts else (-1, 0, arc)
