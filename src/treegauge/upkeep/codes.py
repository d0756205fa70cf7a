"""The kinds of findings of `check`, each with a code that stays the same; options, SARIF and the docs read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treegauge.errors import OptionError

HEAD, RELATION, TAG, LEMMA, XPOS, FEATURE, SUBTYPE = "TG101", "TG102", "TG201", "TG301", "TG311", "TG401", "TG501"
NO_BASIC_ARC, UNREACHABLE, NO_MARKER, NOT_SHARED, NO_CONTROL = "TG601", "TG602", "TG603", "TG604", "TG605"
INVALID, OWN_RULE = "TG701", "TG801"
SAME_WORDS, SAME_SENTENCE, ACROSS_FILES, LEMMA_MAJORITY = "TG901", "TG902", "TG903", "TG904"
SPLIT, SPACES = "TG905", "TG906"


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding: its code, the column that it is about, a short name, and what it means."""

    code: str
    what: str
    name: str
    meaning: str


_LIKELIER = "is improbable in its sentence, and another one is likelier"
KINDS: dict[str, FindingKind] = {
    kind.code: kind
    for kind in (
        FindingKind(HEAD, "arc", "improbable head", f"The head {_LIKELIER}."),
        FindingKind(
            RELATION, "arc", "improbable relation", "The head is as expected, and another relation is likelier."
        ),
        FindingKind(TAG, "tag", "improbable tag", f"The tag (UPOS) {_LIKELIER}."),
        FindingKind(LEMMA, "lemma", "improbable lemma", f"The lemma {_LIKELIER}."),
        FindingKind(XPOS, "xpos", "improbable XPOS", f"The language-specific tag {_LIKELIER}."),
        FindingKind(FEATURE, "feats", "improbable feature", f"One feature of FEATS {_LIKELIER}, or none."),
        FindingKind(SUBTYPE, "subtype", "improbable subtype", f"The subtype of the relation {_LIKELIER}."),
        FindingKind(NO_BASIC_ARC, "deps", "basic arc missing", "DEPS lacks the arc of the basic tree."),
        FindingKind(UNREACHABLE, "deps", "unreachable", "The enhanced graph has no way from the root to the word."),
        FindingKind(
            NO_MARKER,
            "deps",
            "marker missing",
            "The relation in DEPS lacks its case, mark or conjunction, which the treebank has elsewhere.",
        ),
        FindingKind(
            NOT_SHARED,
            "deps",
            "shared head missing",
            "DEPS of a conjunct lacks the arc that it shares with the first one, which the treebank has elsewhere.",
        ),
        FindingKind(
            NO_CONTROL,
            "deps",
            "controlled subject missing",
            "DEPS of a subject or object lacks the arc to its xcomp, which the treebank has elsewhere.",
        ),
        FindingKind(INVALID, "validity", "invalid", "The validator of Universal Dependencies has an error here."),
        FindingKind(OWN_RULE, "rules", "own rule", "A rule of .treegauge/rules.grew matches here."),
        FindingKind(
            SAME_WORDS,
            "same words",
            "annotated otherwise",
            "Five words or more occur several times, and here one of them is annotated otherwise.",
        ),
        FindingKind(
            SAME_SENTENCE,
            "same words",
            "sentence annotated otherwise",
            "The same sentence occurs again, and this word is annotated otherwise there.",
        ),
        FindingKind(
            ACROSS_FILES,
            "same words",
            "sentence in two files",
            "A sentence of at least five words is in two files, such as train and test.",
        ),
        FindingKind(
            LEMMA_MAJORITY,
            "lemma",
            "rare lemma",
            "Nearly all words with this form, tag and features have another lemma.",
        ),
        FindingKind(SPLIT, "tokens", "rare split", "The multiword token is split otherwise nearly everywhere else."),
        FindingKind(SPACES, "tokens", "text differs", "Forms and SpaceAfter do not make the sentence's # text."),
    )
}
ARCS = (HEAD, RELATION)
CODE_OF = {"lemma": LEMMA, "xpos": XPOS, "feats": FEATURE, "subtype": SUBTYPE}  # column -> its kind
COLUMNS = tuple(dict.fromkeys(kind.what for kind in KINDS.values()))  # what --columns chooses from


def chosen_codes(
    columns: Sequence[str] | None = None, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None
) -> frozenset[str]:
    """The codes of some columns (None: all) that begin as one of `select` does, without those of `ignore`."""
    for name in columns or ():
        if name not in COLUMNS:
            raise OptionError(f"column {name!r}; expected some of {', '.join(COLUMNS)}")
    for prefix in (*(select or ()), *(ignore or ())):
        if not any(code.startswith(prefix) for code in KINDS):
            raise OptionError(f"code {prefix!r}; expected one of {', '.join(KINDS)}, or how some of them begin")
    wanted = {code for code, kind in KINDS.items() if columns is None or kind.what in columns}
    wanted = {code for code in wanted if select is None or code.startswith(tuple(select))}
    return frozenset(code for code in wanted if not (ignore and code.startswith(tuple(ignore))))
