"""Builds the bundled models from the treebanks in the evaluation data whose licence allows it.

    python tools/build_models.py [UD]

Only counts are kept, none of words. Test sets are left out where there is anything else, so that they can be ranked
by these models; languages with no other treebank are counted on the 1,000 sentences of PUD.
"""

import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from treegauge.arcs.counts import build_reference
from treegauge.arcs.reference import CountSettings, Source
from treegauge.models.model import Model

OUT = Path(__file__).parents[1] / "src" / "treegauge" / "models" / "bundled"
SA4, BY4, SA3 = "CC BY-SA 4.0", "CC BY 4.0", "CC BY-SA 3.0"


@dataclass(frozen=True)
class Language:
    """A model: its code, language, treebanks with their version, the files they are in, and the licence."""

    code: str
    name: str
    treebanks: tuple[str, ...]
    files: tuple[str, ...]
    licence: str


def _treebank(code: str, name: str, folder: str, treebank: str, licence: str, parts: str = "train dev") -> Language:
    return Language(code, name, (treebank,), tuple(f"{folder}/{part}.conllu" for part in parts.split()), licence)


def _pud(code: str, name: str) -> Language:
    return Language(code, name, (f"UD_{name.replace(' ', '_')}-PUD",), (f"pud/{code}_pud.conllu",), SA3)


LANGUAGES = (
    _pud("ar", "Arabic"),
    _treebank("cop", "Coptic", "cop_scriptorium", "UD_Coptic-Scriptorium f14b895", BY4),
    _treebank("cs", "Czech", "cs_cltt", "UD_Czech-CLTT a0cfb23", SA4),
    _treebank("cy", "Welsh", "cy_ccg", "UD_Welsh-CCG 78e1975", SA4),
    _treebank("da", "Danish", "da_ddt", "UD_Danish-DDT 85faf86", SA4, "dev"),
    _treebank("de", "German", "de_gsd", "UD_German-GSD 297fcf3", SA4, "dev"),
    _treebank("en", "English", "en_ewt", "UD_English-EWT 15d613d8", SA4),
    _pud("es", "Spanish"),
    _treebank("fa", "Persian", "fa_seraji", "UD_Persian-Seraji e53af38", SA4, "dev"),
    _treebank("fi", "Finnish", "fi_tdt", "UD_Finnish-TDT 5e3a88a", SA4, "dev"),
    _treebank("fo", "Faroese", "fo_farpahc", "UD_Faroese-FarPaHC 65e3d0a", SA4),
    _pud("fr", "French"),
    _treebank("gd", "Scottish Gaelic", "gd_arcosg", "UD_Scottish_Gaelic-ARCOSG r2.14", SA4),
    _treebank("he", "Hebrew", "he_iahltwiki", "UD_Hebrew-IAHLTwiki 29402e7", SA4, "dev"),
    _pud("hi", "Hindi"),
    _pud("id", "Indonesian"),
    _treebank("is", "Icelandic", "is_modern", "UD_Icelandic-Modern 1544211", SA4, "dev"),
    Language(
        "it",
        "Italian",
        ("UD_Italian-MarkIT b01ee41", "UD_Italian-PUD"),
        ("it_markit/train.conllu", "it_markit/dev.conllu", "pud/it_pud.conllu"),
        f"{BY4}, {SA3}",
    ),
    _treebank("it-old", "Old Italian", "it_old", "UD_Italian-Old r2.13", SA4),
    _treebank("ja", "Japanese", "ja_gsd", "UD_Japanese-GSD 7bc2011", SA4, "dev"),
    _treebank("ka", "Georgian", "ka_glc", "UD_Georgian-GLC 9b8a459", SA4, "dev"),
    _treebank("ko", "Korean", "ko_gsd", "UD_Korean-GSD r2.10", SA4),
    _treebank("lt", "Lithuanian", "lt_alksnis", "UD_Lithuanian-ALKSNIS r2.4", SA4),
    _treebank("lzh", "Classical Chinese", "lzh_kyoto", "UD_Classical_Chinese-Kyoto r2.4", "public domain"),
    _treebank("nl", "Dutch", "nl_lassysmall", "UD_Dutch-LassySmall 7880e0b", SA4, "dev"),
    _treebank("nn", "Norwegian Nynorsk (spoken)", "no_nynorsklia", "UD_Norwegian-NynorskLIA 8a4ea1a", SA4),
    _pud("pl", "Polish"),
    _treebank("pt", "Portuguese", "pt_bosque", "UD_Portuguese-Bosque 5de7ac340", SA4),
    _treebank("ru", "Russian", "ru_taiga", "UD_Russian-Taiga r2.7", SA4),
    _treebank("sk", "Slovak", "sk_snk", "UD_Slovak-SNK d1ab58f", SA4, "dev"),
    _treebank("sr", "Serbian", "sr_set", "UD_Serbian-SET c88193d", SA4, "dev"),
    _treebank("sv", "Swedish", "sv_talbanken", "UD_Swedish-Talbanken 3006721", SA4, "dev"),
    _pud("th", "Thai"),
    _pud("tr", "Turkish"),
    _treebank("ug", "Uyghur", "ug_udt", "UD_Uyghur-UDT 24eb080", SA4),
    _treebank("zh", "Chinese", "zh_gsd", "UD_Chinese-GSD 200dbe8", SA4, "dev"),
)

ATTRIBUTION = """# Where the bundled models come from

Each `.tgm` file in this folder holds counts of delexicalised events (tags, relations, positions; no words) in Universal
Dependencies treebanks, made by `tools/build_models.py`. The treebanks are the work of their authors, listed with their
licences at https://universaldependencies.org; the models are shared under the licence of the treebank they were
counted on. `dev` only means that no training set was at hand; test sets are left out, except that PUD is a test set.

| model | language | treebank and version | parts | words | licence |
|---|---|---|---|---|---|
"""


def find(ud: Path, file: str) -> Path:
    """A file, plain or compressed."""
    found = [path for path in (ud / file, ud / f"{file}.xz") if path.exists()]
    if not found:
        raise SystemExit(f"{ud / file}: no such file, nor .xz")
    return found[0]


def main() -> None:
    """Build every model, the index and the attribution."""
    data = Path(os.environ.get("TREEGAUGE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    ud = Path(sys.argv[1]) if len(sys.argv) > 1 else data / "ud"
    index, lines = [], []
    for language in LANGUAGES:
        paths = [str(find(ud, file)) for file in language.files]
        model = build_reference(paths, CountSettings())
        names = " + ".join(language.treebanks)
        model = replace(model, sources=(Source(language.code, model.sentences, model.words),))
        Model(model).save(str(OUT / f"{language.code}.tgm"))
        parts = ", ".join(Path(file).stem for file in language.files)
        index.append(
            {
                "code": language.code,
                "language": language.name,
                "words": model.words,
                "sentences": model.sentences,
                "hash": model.hash,
                "treebanks": language.treebanks,
                "licence": language.licence,
            }
        )
        lines.append(
            f"| `{language.code}` | {language.name} | {names} | {parts} | {model.words:,} | {language.licence} |\n"
        )
        print(language.code, model.words, model.events, (OUT / f"{language.code}.tgm").stat().st_size)
    (OUT / "index.json").write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    attribution = OUT / "ATTRIBUTION.md"
    _, _, other_files = attribution.read_text(encoding="utf-8").rpartition("|\n")  # what stands behind the table
    attribution.write_text(ATTRIBUTION + "".join(lines) + other_files, encoding="utf-8")


if __name__ == "__main__":
    main()
