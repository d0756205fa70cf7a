"""Lemmas as edits of forms: a rule says what becomes of the start, of the end and of the letter case of a form.

A rule is written `case|start>start|end>end`: `lower|>|ies>y` makes `city` of `Cities`. What stands between start and
end is the longest part that form and lemma share. Where they share nothing the rule holds for one form only:
`lower||am=be`.
"""

from __future__ import annotations

from functools import lru_cache

LOWER, SAME, TITLE, UPPER, OTHER = "lower", "same", "title", "upper", "other"
_LONGEST = 60  # letters of a form or lemma that are compared; of longer ones only whole edits are known
NO_LEMMA = "_"


@lru_cache(1 << 16)
def rule_of(form: str, lemma: str) -> str:
    """The rule that makes the lemma of the form."""
    if lemma == NO_LEMMA != form:
        return NO_LEMMA
    low_form, low_lemma = form.lower(), lemma.lower()
    case = _case(form, lemma, low_lemma)
    if low_form == low_lemma:
        return f"{case}|>|>"
    at, there, size = _shared(low_form, low_lemma)
    if not size:
        return f"{case}||{low_form}={lemma if case == OTHER else low_lemma}"
    start = f"{low_form[:at]}>{low_lemma[:there]}"
    return f"{case}|{start}|{low_form[at + size :]}>{low_lemma[there + size :]}"


def lemma_by(rule: str, form: str) -> str | None:
    """The lemma that a rule makes of a form; None if the rule does not fit the form."""
    if rule == NO_LEMMA:
        return NO_LEMMA
    case, start, end = rule.split("|", 2)
    low = form.lower()
    if not start:
        of, _, lemma = end.partition("=")
        return _cased(case, form, lemma) if of == low else None
    old_start, _, new_start = start.partition(">")
    old_end, _, new_end = end.partition(">")
    inside = len(low) - len(old_start) - len(old_end)
    if inside < 1 or not low.startswith(old_start) or not low.endswith(old_end):
        return None
    lemma = new_start + low[len(old_start) : len(old_start) + inside] + new_end
    return _cased(case, form, lemma)


def _case(form: str, lemma: str, low: str) -> str:
    """The letter case of the lemma: lower, as in the form, the first letter, all letters, or another one."""
    if lemma == low:
        return LOWER
    for case in (SAME, TITLE, UPPER):
        if _cased(case, form, low) == lemma:
            return case
    return OTHER


def _cased(case: str, form: str, lemma: str) -> str:
    if case == SAME:
        return "".join(b.upper() if a.isupper() else b for a, b in zip(form, lemma, strict=False)) + lemma[len(form) :]
    if case == TITLE:
        return lemma[:1].upper() + lemma[1:]
    return lemma.upper() if case == UPPER else lemma


def _shared(first: str, second: str) -> tuple[int, int, int]:
    """Where the longest part that both share begins in each, the first one, and its length; 0 if it is too short."""
    if len(first) > _LONGEST or len(second) > _LONGEST:
        return 0, 0, 0
    prefix = 0
    while prefix < min(len(first), len(second)) and first[prefix] == second[prefix]:
        prefix += 1
    best = 0, 0, prefix
    if 2 * prefix < min(len(first), len(second)):
        for size in range(min(len(first), len(second)), prefix, -1):
            found = next((k for k in range(len(first) - size + 1) if first[k : k + size] in second), None)
            if found is not None:
                best = found, second.index(first[found : found + size]), size
                break
    return best if best[2] > 1 or best[2] == min(len(first), len(second)) == 1 else (0, 0, 0)
