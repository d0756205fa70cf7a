"""The settings behind a result, which a signature holds in one line, as a list of names and values."""

from __future__ import annotations

# part of a signature -> what it is called in a list; others keep their names
_NAMES = {
    "ref": "Reference",
    "r": "Range of sentence lengths",
    "pos": "Part-of-speech column",
    "subtypes": "Subtypes of relations",
    "tags": "Given tags",
    "sees": "Groups of features",
    "folds": "Folds",
    "on": "Calibrated on",
    "with": "Calibrated with",
}


def settings_list(signature: str) -> list[tuple[str, str]]:
    """What a signature such as `lisca:2020|ref:en@24b27116|r:2|v0.1.0` says, a name and a value for each part.

    >>> settings_list("lisca:2020|ref:en@24b27116|r:2|v0.1.0")
    [('Method', 'lisca 2020'), ('Reference', 'en, checksum 24b27116'), ('Range of sentence lengths', '± 2 words'), \
('treegauge', '0.1.0')]
    """
    first, *others = signature.split("|")
    found = [("Method", first.replace(":", " "))]
    for part in others:
        name, colon, value = part.partition(":")
        if not colon:
            version = part.startswith("v") and part[1:2].isdigit()
            found.append(("treegauge", part[1:]) if version else ("With", part))
        else:
            found.append((_NAMES.get(name) or name[:1].upper() + name[1:].replace("-", " "), _value(name, value)))
    return found


def _value(name: str, value: str) -> str:
    if name == "ref":
        source, _, checksum = value.rpartition("@")
        source = {"self": "the corpus itself"}.get(source, source)
        return f"{source}, checksum {checksum}" if source else value
    if name == "r":
        return f"± {value} word{'' if value == '1' else 's'}"
    return value.replace(",", ", ")
