"""Files altered by chance, as someone might who knows the format: the checksum is right, the content is not."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

ODD = (
    None, True, False, 0, 1, -1, 2, 255, 256, 1 << 31, 1 << 53, 1 << 63, 1 << 64, -(1 << 63), 10**30, 0.5, -1.5, 1e308,
    1e-308, "", "x", "upos", "__proto__", "\ud800", "\n", "\t", "0" * 64, [], {}, [[]], [0], [1, 2], [None] * 3,
    ["x"] * 5, {"a": 1}, "int64", "bits", "small", "sparse",
)  # fmt: skip


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each part of a JSON value is."""
    if here:
        yield here
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(part, (*here, key))


def altered_json(value: Any, random: Random) -> Any:
    """A JSON value with one to three parts replaced, taken out, doubled or changed a little."""
    value = deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = list(paths(value))
        if not places:
            return value
        *above, key = random.choice(places)
        inside = value
        for step in above:
            inside = inside[step]
        old = inside[key]
        how = random.randrange(8)
        if how == 0:
            del inside[key]
        elif how == 1 and isinstance(inside, dict):
            inside[random.choice(("x", "hash", "size", ""))] = random.choice(ODD)
        elif how == 2 and isinstance(inside, list):
            inside.append(deepcopy(random.choice((old, *ODD))))
        elif how == 3 and isinstance(inside, list):
            random.shuffle(inside)
        elif how in (4, 5) and isinstance(old, int | float) and not isinstance(old, bool):
            inside[key] = random.choice((old + 1, old - 1, -old, 2 * old, old // 2, old + 1000))
        else:
            inside[key] = deepcopy(random.choice(ODD))
    return value


def altered_bytes(content: bytes, random: Random) -> bytes:
    """Bytes cut, doubled, turned round, or some of them changed."""
    how = random.randrange(6)
    at, to = sorted(random.randrange(len(content) + 1) for _ in range(2))
    if how == 0:
        return content[:at]
    if how == 1:
        return content[:at] + content[to:]
    if how == 2:
        return content[to:] + content[at:to] + content[:at]
    if how == 3:
        return content[:to] + content[at:to] + content[to:]
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 3, 20))):
        if changed:
            changed[random.randrange(len(changed))] = random.choice(
                (0, 1, 10, 127, 128, 254, 255, random.randrange(256))
            )
    return bytes(changed)
