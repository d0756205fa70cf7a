"""Vectors of encoders: a tiny random encoder of the kind that Hugging Face has stands in for a large one."""

from pathlib import Path

import numpy as np
import pytest

import treegauge as tg
from tests.models.small_net import SIZES
from treegauge.corpus.conllu import parse_conllu
from treegauge.errors import ModelError, OptionError
from treegauge.models.net import encoder as encoders
from treegauge.models.net.encoder import HuggingFaceEncoder, checked_vectors, encoder_of, vectors_of

DEMO = tg.read_conllu(Path(tg.__file__).with_name("demo") / "demo.conllu")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("torch", reason="the extra `encoder` is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra `encoder` is not installed")
    import torch

    place = tmp_path_factory.mktemp("encoder")
    (place / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    sizes = {"vocab_size": len(WORDS), "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.BertConfig(**sizes, intermediate_size=16, max_position_embeddings=40)
    transformers.BertModel(config).save_pretrained(place)
    transformers.BertTokenizerFast(str(place / "vocab.txt")).save_pretrained(place)
    return str(place)


def test_a_word_is_the_mean_of_its_pieces(folder: str) -> None:
    import torch

    encoder = HuggingFaceEncoder(folder + "#1")
    corpus = parse_conllu("1\tab\t_\tX\t_\t_\t0\troot\t_\t_\n2\tc\t_\tX\t_\t_\t1\tdep\t_\t_\n\n")
    with torch.inference_mode():
        ids = torch.tensor([[WORDS.index(piece) for piece in ("[CLS]", "a", "##b", "c", "[SEP]")]])
        hidden = encoder._model(ids, output_hidden_states=True).hidden_states[1][0].numpy()
    expected = np.stack([(hidden[1] + hidden[2]) / 2, hidden[3]])
    assert encoder(corpus) == pytest.approx(expected, abs=2e-3)  # kept in half precision


def test_sentences_are_encoded_once_and_do_not_depend_on_each_other(folder: str) -> None:
    encoder = HuggingFaceEncoder(folder)
    whole = encoder(DEMO)
    assert whole.shape == (DEMO.n_words, 12)
    assert len(encoder._kept) == DEMO.n_sentences
    one = DEMO.select([3])
    rows = slice(int(DEMO.start[3]), int(DEMO.start[4]))
    assert HuggingFaceEncoder(folder)(one) == pytest.approx(whole[rows], abs=5e-3)
    assert encoder(DEMO.select([])).shape == (0, 12)


def test_a_sentence_longer_than_the_encoder_reads_is_read_in_parts(folder: str) -> None:
    lines = "".join(f"{k}\tabcdefgh\t_\tX\t_\t_\t{k - 1}\tdep\t_\t_\n" for k in range(1, 31))
    corpus = parse_conllu(lines.replace("\t0\tdep", "\t0\troot") + "\n")
    vectors = HuggingFaceEncoder(folder)(corpus)
    assert (np.abs(vectors).sum(axis=1) > 0).all()


def test_a_net_with_an_encoder_names_it_and_loads_it_again(folder: str, tmp_path: Path) -> None:
    from treegauge.models.net.training import NetOptions

    model = tg.build_model(DEMO, net=NetOptions(sizes=SIZES, passes=1), encoder=folder)
    assert model.net is not None
    assert model.net.encoder == (folder, HuggingFaceEncoder(folder).revision)
    model.save(tmp_path / "m.tgm")
    encoders._loaded.cache_clear()
    again = tg.load_model(tmp_path / "m.tgm")
    first, second = (tg.score(DEMO, each).scores for each in (model, again))
    assert first == pytest.approx(second)
    with pytest.raises(ModelError, match="revision"):
        vectors_of((folder, "another"))


def test_what_is_no_encoder_is_refused(tmp_path: Path, folder: str) -> None:
    with pytest.raises(OptionError, match="cannot be loaded"):
        encoder_of(str(tmp_path / "nothing"))
    with pytest.raises(OptionError, match="layer"):
        encoder_of(folder + "#last")
    with pytest.raises(OptionError, match="layer 3; expected 0 to 2"):
        encoder_of(folder + "#3")
    for wrong in (np.zeros((2, 3)), np.zeros(DEMO.n_words), np.full((DEMO.n_words, 2), np.nan)):
        with pytest.raises(OptionError, match="vectors"):
            checked_vectors(lambda corpus, wrong=wrong: wrong, DEMO)
