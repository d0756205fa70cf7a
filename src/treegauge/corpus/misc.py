"""CoNLL-U text back out: byte for byte as it came in, but for what is put into MISC."""

from collections.abc import Mapping, Sequence

from treegauge.corpus.conllu import Corpus


def with_misc(corpus: Corpus, values: Mapping[str, Sequence[str | None]]) -> bytes:
    """The corpus's text with `name=value` in the MISC column of each word, for each name.

    A value that is there under that name already is replaced where it stands; None leaves a word alone. Everything
    else, sentences left out for a defect among it, stays as it is.
    """
    text = corpus.text.tobytes()
    pieces: list[bytes] = []
    done = 0
    names = list(values)
    for row, line in enumerate(corpus.line.tolist()):
        end = text.find(b"\n", line)
        end = len(text) if end < 0 else end
        if text[end - 1 : end] == b"\r":
            end -= 1
        misc = text.rfind(b"\t", line, end) + 1
        new = [(name, values[name][row]) for name in names]
        pieces += [text[done:misc], _edited(text[misc:end], new)]
        done = end
    pieces.append(text[done:])
    return b"".join(pieces)


def _edited(misc: bytes, new: list[tuple[str, str | None]]) -> bytes:
    entries = [] if misc == b"_" else misc.split(b"|")
    place = {entry.partition(b"=")[0]: k for k, entry in enumerate(entries)}
    for name, value in new:
        if value is None:
            continue
        entry = f"{name}={value}".encode()
        k = place.get(name.encode())
        if k is None:
            entries.append(entry)
        else:
            entries[k] = entry
    return b"|".join(entries) or b"_"
