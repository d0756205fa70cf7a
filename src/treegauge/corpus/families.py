"""Language families, by the code of the language that the name of a UD treebank begins with."""

from __future__ import annotations

import re

# family -> codes of its languages, as Universal Dependencies groups them
_FAMILIES = {
    "Afro-Asiatic": "akk am ar bej cop egy ha hbo he mt qaf say",
    "Austronesian": "ceb id jv tl",
    "Baltic": "lt lv ltg",
    "Creole": "ht pcm",
    "Celtic": "br cy ga gd gv",
    "Dravidian": "ml ta te",
    "Germanic": "af bar da de en fo fy got gsw is lb li nb nds nl nn no non qfn sv yi",
    "Greek": "cpg el grc",
    "Indo-Aryan": "bho gu hi mr pa sa sd si ur xnr",
    "Iranian": "fa kmr ps sdh zza",
    "Japonic": "ja",
    "Koreanic": "ko",
    "Latin and Romance": "ca es fr frm fro gl it la lij nap oc pro pt ro scn",
    "Tai": "th",
    "Slavic": "be bg cs cu hr hsb mk orv pl ru sk sl sr uk",
    "Sino-Tibetan": "lzh yue zh",
    "Turkic": "az kk ky ota sah tr tt ug uz",
    "Uralic": "et fi hu koi kpv krl mdf myv olo sme sms vep yrk",
}
_OF_CODE = {code: family for family, codes in _FAMILIES.items() for code in codes.split()}


def family(name: str) -> str:
    """The family of the language of a treebank; `other` if the name does not tell it."""
    return _OF_CODE.get(re.split(r"[-_]", name)[0].lower(), "other")
