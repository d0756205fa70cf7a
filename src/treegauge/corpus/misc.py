"""CoNLL-U text back out: byte for byte as it came in, but for what is put into MISC."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treegauge.corpus.conllu import Corpus


def with_misc(corpus: Corpus, values: Mapping[str, Sequence[str | None]]) -> bytes:
    """The corpus's text with `name=value` in the MISC column of each word, for each name.

    A value that is there under that name already is replaced where it stands; None leaves a word alone. Everything
    else, sentences left out for a defect among it, stays as it is.
    """
    text = corpus.text.tobytes()
    newline, tab = (np.flatnonzero(corpus.text == c) for c in (10, 9))
    after = np.searchsorted(newline, corpus.line)
    end = np.append(newline, len(text))[after]
    end -= corpus.text[end - 1] == 13  # a carriage return
    misc = tab[np.searchsorted(tab, end) - 1] + 1 if len(end) else end
    names = [name.encode() + b"=" for name in values]
    pieces: list[bytes] = []
    done = 0
    for low, high, *new in zip(misc.tolist(), end.tolist(), *values.values(), strict=True):
        old = text[low:high]
        pieces.append(text[done:low])
        if old == b"_" or not any(name[:-1] in old for name in names):
            entries = [name + value.encode() for name, value in zip(names, new, strict=True) if value is not None]
            pieces.append(b"|".join(entries if old == b"_" else [old, *entries]) or b"_")
        else:
            pieces.append(_edited(old, zip(names, new, strict=True)))
        done = high
    pieces.append(text[done:])
    return b"".join(pieces)


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
