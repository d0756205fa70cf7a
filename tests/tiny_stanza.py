"""Stanza models of the demo's sentences, trained now by Stanza's own programs, laid out as `stanza.download` does.

They are tiny: what they find does not matter, how they are loaded and what becomes of their trees does.
"""

import json
import logging
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from tests.demo_trees import CORPUS

LANG, PACKAGE = "en", "demo"
COMMON = ["--lang", LANG, "--shorthand", "en_demo", "--cpu", "--seed", "1"]
TINY = ["--no_pretrain", "--no_char", "--hidden_dim", "16", "--num_layers", "1", "--word_emb_dim", "16"]
TINY += ["--tag_emb_dim", "8", "--transformed_dim", "8", "--deep_biaff_hidden_dim", "16", "--log_step", "1000"]
TINY += ["--max_steps", "8", "--eval_interval", "8", "--batch_size", "200"]


def train(folder: Path) -> None:
    """Write tokenizer, tagger, lemmatiser and parser, and the list of them, into a folder."""
    import torch
    from stanza.models import lemmatizer, parser, tagger

    logging.getLogger("stanza").setLevel("ERROR")
    torch.set_num_threads(1)  # more of them only wait for each other in models as small as these
    work = folder / "work"
    work.mkdir(parents=True)
    gold = work / "gold.conllu"
    gold.write_bytes(CORPUS.text.tobytes().replace(b"Wrong=Yes", b"_"))
    files = ["--train_file", str(gold), "--eval_file", str(gold), "--output_file", str(work / "out.conllu")]

    def place(processor: str) -> list[str]:
        home = folder / LANG / processor
        home.mkdir(parents=True)
        return ["--save_dir", str(home), "--save_name", f"{PACKAGE}.pt"]

    with redirect_stdout(StringIO()):
        _train_tokenizer(work, place("tokenize"))
        tagger.main([*COMMON, *TINY, *files, *place("pos")])
        lemma = ["--num_epoch", "1", "--hidden_dim", "16", "--emb_dim", "8", "--dict_only"]
        lemmatizer.main([*COMMON[2:], *lemma, *files, *place("lemma")])
        parser.main([*COMMON, *TINY, *files, *place("depparse")])
    names = ("tokenize", "pos", "lemma", "depparse")
    models = {name: {PACKAGE: {"md5": "0" * 32}} for name in names}
    packages = {"default": dict.fromkeys(names, PACKAGE)}
    language = {**models, "packages": packages, "default_processors": packages["default"], "lang_name": "English"}
    (folder / "resources.json").write_text(json.dumps({LANG: language}))


def _train_tokenizer(work: Path, place: list[str]) -> None:
    from stanza.models import tokenizer

    text, labels = "", ""
    for s in range(CORPUS.n_sentences):
        words = CORPUS.forms(s)
        for k, word in enumerate(words):
            last = k + 1 == len(words)
            text += word + " "
            labels += "0" * (len(word) - 1) + ("2" if last else "1") + "0"
    for name, content in (("text.txt", text.rstrip()), ("labels.txt", labels[:-1])):
        (work / name).write_text(content + "\n")
    both = ["--txt_file", "--dev_txt_file"], ["--label_file", "--dev_label_file"]
    files = [
        part
        for options, name in zip(both, ("text.txt", "labels.txt"), strict=True)
        for option in options
        for part in (option, str(work / name))
    ]
    (work / "mwt.json").write_text("[]")
    files += [
        "--mwt_json_file",
        str(work / "mwt.json"),
        "--dev_conll_gold",
        str(work / "gold.conllu"),
        "--conll_file",
        str(work / "tokens.conllu"),
    ]
    steps = [
        "--steps",
        "100",
        "--eval_steps",
        "100",
        "--lr0",
        "0.02",
        "--batch_size",
        "8",
        "--max_seqlen",
        "80",
        "--report_steps",
        "1000",
        "--hidden_dim",
        "16",
        "--emb_dim",
        "8",
    ]
    tokenizer.main([*COMMON, *files, *steps, *place])
