"""Plain Italian text as sentences, tokens and words: articulated prepositions and clitics are split, as in UD."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_ARTICLES = {"l": "il", "llo": "lo", "lla": "la", "ll'": "l'", "i": "i", "gli": "gli", "lle": "le"}
_PREPOSITIONS = {"de": "di", "da": "da", "a": "a", "ne": "in", "su": "su", "co": "con"}
ARTICULATED = {
    short + end: (preposition, article)
    for short, preposition in _PREPOSITIONS.items()
    for end, article in _ARTICLES.items()
} | {"pel": ("per", "il"), "pei": ("per", "i")}

_SINGLE = ("mi", "ti", "si", "ci", "vi", "lo", "la", "li", "le", "gli", "ne")
_DOUBLE = [
    (first, second) for first in ("me", "te", "se", "ce", "ve", "glie") for second in ("lo", "la", "li", "le", "ne")
]
CLITICS = sorted([*((one,) for one in _SINGLE), *_DOUBLE], key=lambda parts: -len("".join(parts)))
_OFTEN = ("si", "lo", "la", "li", "le", "gli")  # behind an infinitive that is not known, these are no other ending
_LONG = 8  # letters of a form that ends like an infinitive, behind which every clitic is one
_INFINITIVE = re.compile(r"\w{3,}(?:ar|[cdgilnt]er|ir)|\w{2,}(?:por|dur|trar)")
_GERUND = re.compile(r"\w+[ae]ndo")
_PARTICIPLE = re.compile(r"(\w{3,})([aiu])t[oaie]")
_WHOLE = frozenset({"girandola", "mandola", "mandolo"})  # end like a gerund with a clitic
_IMPERATIVES = {"dimmi": ("di", "mi"), "dammi": ("da", "mi"), "fammi": ("fa", "mi"), "trattasi": ("tratta", "si")}

_ABBREVIATIONS = (
    "art artt avv cap cfr co col comm cost distr d.l d.lgs dir dott dr ecc ed es fig figg gen geom giur ing lett lit "
    "mons n nn nr num on op p pag pagg par pp prof reg rif s sec seg segg sen sent sez sig sigg ss st tab tel trad "
    "tribun v vol voll vs"
)
_ABBREVIATED = "|".join(map(re.escape, sorted(_ABBREVIATIONS.split(), key=len, reverse=True)))
_TOKEN = re.compile(
    rf"""
    (?:https?://|www\.)[^\s<>"»)]+[^\s<>"»).,;:!?]
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | [@\#]\w+
    | \d+x\d+ | \d+(?:[.,:/]\d+)*(?:[°ºª]|['’](?!\w))?
    | (?<!\w)['’]\d\d(?!\w) | (?<=\w)['’]s(?!\w)
    | (?i:\be/o\b) | (?<!\w)[Ee]['’](?!\w)
    | (?:[^\W\d]\.){{2,}}
    | (?i:\b(?:{_ABBREVIATED}))\.(?=\s*[\w(«"“:,;/]) | (?i:\bl)\.(?=\s+\d)
    | \b[^\W\d]\.(?=\s+[A-ZÀ-Ý][\w'])
    | [Pp]o['’](?!\w)
    | \w+['’](?=[\w«"“])(?!s\b)
    | \w+
    | \.{{2,}} | …+ | -{{2,}}
    | \S
    """,
    re.VERBOSE,
)
_ENDS = re.compile(r"[.:;]|[!?]|\.{2,}|…+")
_CLOSING = frozenset("\"»”')’]")
_OPENING = frozenset("\"«“'(‘[-–—")


@dataclass(frozen=True, slots=True)
class TextToken:
    """A token of a text: its form, the words that it is split into (itself, if it is not split), a space behind it."""

    form: str
    words: tuple[str, ...]
    has_space: bool


def sentences(text: str, is_verb: Callable[[str], bool]) -> Iterator[list[TextToken]]:
    """The tokens of each sentence of a paragraph. is_verb: whether an infinitive is known."""
    matches = list(_TOKEN.finditer(text))
    sentence: list[TextToken] = []
    for k, match in enumerate(matches):
        following = matches[k + 1] if k + 1 < len(matches) else None
        has_space = following is None or following.start() > match.end()
        sentence.append(TextToken(match[0], split(match[0], is_verb), has_space))
        if following is None or (has_space and _is_end(sentence, following[0])):
            yield sentence
            sentence = []


def _is_end(sentence: list[TextToken], following: str) -> bool:
    """Whether a sentence ends before a token: behind . : ; ! ? and what closes a quotation, before a capital."""
    last = next((token.form for token in reversed(sentence) if token.form not in _CLOSING), "")
    if not _ENDS.fullmatch(last):
        return False
    return following[0].isupper() or following[0].isdigit() or following[0] in _OPENING


def split(form: str, is_verb: Callable[[str], bool]) -> tuple[str, ...]:
    """The words of a token; letter case stays."""
    low = form.lower().replace("’", "'")
    parts = ARTICULATED.get(low) or _IMPERATIVES.get(low) or _with_clitics(low, is_verb)
    if not parts:
        return (form,)
    if form.isupper() and len(form) > 1:
        return tuple(part.upper() for part in parts)
    return (parts[0].capitalize(), *parts[1:]) if form[0].isupper() else parts


def _with_clitics(low: str, is_verb: Callable[[str], bool]) -> tuple[str, ...]:
    """A verb and its clitics; nothing if the token is no such form."""
    if low in _WHOLE or not low.isalpha():
        return ()
    for clitics in CLITICS:
        ending = "".join(clitics)
        if low.endswith(ending) and _takes_clitics(low.removesuffix(ending), clitics, is_verb):
            return (low.removesuffix(ending), *clitics)
    return ()


def _takes_clitics(base: str, clitics: tuple[str, ...], is_verb: Callable[[str], bool]) -> bool:
    """Whether clitics can be behind a form: an infinitive without its last letter, a gerund, a participle, *ecco*."""
    if base == "ecco" or _GERUND.fullmatch(base):
        return True
    if base.endswith("r"):
        known = is_verb(f"{base}e") or (base.endswith(("or", "ar", "ur")) and is_verb(f"{base}re"))
        if known or not _INFINITIVE.fullmatch(base):
            return known
        return len(clitics) > 1 or clitics[0] in _OFTEN or len(base) >= _LONG
    participle = _PARTICIPLE.fullmatch(base)
    if not participle or clitics not in (("si",), ("gli",), ("ne",), ("ci",)):
        return False
    ending = {"a": "are", "i": "ire", "u": "ere"}[participle[2]]
    return is_verb(participle[1] + ending) and (clitics == ("si",) or len(base) > 7)


def conllu_of(tokens: list[TextToken], text: str = "") -> str:
    """A sentence in CoNLL-U, with tokens and words only."""
    lines = [f"# text = {text}"] if text else []
    words = 0
    for token in tokens:
        misc = "_" if token.has_space else "SpaceAfter=No"
        if len(token.words) > 1:
            lines.append(f"{words + 1}-{words + len(token.words)}\t{token.form}" + "\t_" * 7 + f"\t{misc}")
        for word in token.words:
            words += 1
            lines.append(f"{words}\t{word}" + "\t_" * 7 + f"\t{misc if len(token.words) == 1 else '_'}")
    return "\n".join(lines) + "\n\n"


def text_of(tokens: list[TextToken]) -> str:
    """The text of a sentence."""
    return "".join(token.form + " " * token.has_space for token in tokens).strip()
