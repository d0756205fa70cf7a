"""The net: inference against a definition word by word and against torch, its file, learning, folds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import treegauge as tg
from tests.models.small_net import SIZES, random_net
from treegauge.corpus.conllu import parse_conllu
from treegauge.corpus.corpus import Corpus
from treegauge.errors import ModelError, OptionError
from treegauge.models.choice.words import OUTSIDE, FormParts
from treegauge.models.model import model_bytes, net_bytes, parse_model, parse_net
from treegauge.models.net import inference, reading
from treegauge.models.net.blas import one_blas_thread
from treegauge.models.net.inference import Net
from treegauge.models.net.weights import FARTHEST, NetWeights, quantised
from treegauge.models.net.words import FIRST_TAG, MASKED, form_places, net_words

DEMO = tg.read_conllu(Path(tg.__file__).with_name("demo") / "demo.conllu")
SOME = DEMO.select(np.arange(12))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x - x.max()) / np.exp(x - x.max()).sum()


def by_definition(
    weights: NetWeights, corpus: Corpus, s: int, masked: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p of every head of every word of a sentence, of every relation to every head, and of every tag."""
    w, hidden, half = weights.arrays, weights.sizes.hidden, weights.sizes.relation // 2
    words = net_words(corpus, weights.tags, (weights.sizes.rows, weights.sizes.features))
    entry = []
    for row in range(corpus.start[s], corpus.start[s + 1]):
        form = sum(w["form"][k] for k in words.pieces[words.form[row]])
        places = [words.xpos_place[words.xpos[row]], *words.feats_places[words.feats[row]]]
        features = np.zeros(weights.sizes.tag) if masked else sum(w["features"][k] for k in places)
        entry.append(np.concatenate([form, w["tag"][MASKED if masked else words.tag[row]], features]))
    for layer in (1, 2):
        sides = []
        for name, order in (("forwards", 1), ("backwards", -1)):
            h = c = np.zeros(hidden)
            states = []
            for x in entry[::order]:
                gates = w[f"{name} {layer} in"] @ x + w[f"{name} {layer} again"] @ h + w[f"{name} {layer} bias"]
                i, f, o, g = gates.reshape(4, hidden)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
                states.append(h)
            sides.append(states[::order])
        entry = [np.concatenate(pair) for pair in zip(*sides, strict=True)]

    def side(what: str, which: str, state: np.ndarray) -> np.ndarray:
        return np.asarray(w[f"{what} {which}"] @ state + w[f"{what} {which} bias"])

    heads = [w["arc root"], *(side("arc", "head", state) for state in entry)]
    of_relations = [w["relation root"], *(side("relation", "head", state) for state in entry)]
    p_head = np.zeros((len(entry), len(heads)))
    p_relation = np.zeros((len(entry), len(heads), len(weights.relations)))
    for d, state in enumerate(entry):
        dependent = np.maximum(side("arc", "dependent", state), 0)
        scores = np.full(len(heads), -np.inf)
        for h, head in enumerate(heads):
            if h == d + 1:
                continue
            head = np.maximum(head, 0)
            apart = 0 if h == 0 else np.clip(h - 1 - d, -FARTHEST, FARTHEST)
            scores[h] = dependent @ w["arc pair"].T @ head + w["arc prior"] @ head + w["distance"][apart + FARTHEST]
            a, b = side("relation", "dependent", state), of_relations[h]
            vector = np.concatenate([np.maximum(a[:half] + b[:half], 0), a[half:] * b[half:]])
            p_relation[d, h] = softmax(w["relation out"] @ vector + w["relation out bias"])
        p_head[d] = softmax(scores)
    p_tag = np.array([softmax(w["tag out"] @ state + w["tag out bias"]) for state in entry])
    return p_head, p_relation, p_tag


def test_arcs_tags_and_rivals_are_those_of_the_formulas() -> None:
    weights = random_net(SOME)
    found = Net(weights).choices(SOME)
    codes = Net(weights).relation_codes(SOME)
    for s in range(SOME.n_sentences):
        views = [by_definition(weights, SOME, s, masked) for masked in (False, True)]
        for d, row in enumerate(range(SOME.start[s], SOME.start[s + 1])):
            head, relation = SOME.head[row], codes[row]
            arcs = [np.log(np.maximum(p[d][:, None] * q[d], 1e-300)) for p, q, _ in views]
            for view in range(2):
                assert found.log_prob[view, row] == pytest.approx(arcs[view][head, relation], abs=1e-4)
            tag = weights.tags.index(SOME.value("upos", row))
            assert found.log_tag[row] == pytest.approx(np.log(views[1][2][d][tag]), abs=1e-4)
            mean = (arcs[0] + arcs[1]) / 2
            order = np.argsort(-np.mean([np.log(np.maximum(p[d], 1e-300)) for p, _, _ in views], axis=0))
            tried = [head, *[h for h in order if h not in (head, d + 1)][:2]]
            mean[[h for h in range(len(mean)) if h not in tried]] = -np.inf
            mean[head, relation] = -np.inf
            assert mean[found.other_head[row], found.other_relation[row]] == pytest.approx(mean.max(), abs=1e-4)
            best = found.other_head[row], found.other_relation[row]
            assert found.log_other[:, row] == pytest.approx([arc[best] for arc in arcs], abs=1e-4)


def test_probabilities_of_any_arcs_are_those_of_the_formulas() -> None:
    weights, net = random_net(SOME), Net(random_net(SOME))
    head = np.stack([SOME.head, np.where(SOME.head == 0, -1, 0)], axis=1).astype(np.int32)
    relation = np.ones_like(head)
    relation[:, 0] = -1  # not known
    log_prob = net.log_probs(SOME, head, relation)
    for s in (0, 5):
        p, q, _ = by_definition(weights, SOME, s, masked=False)
        for d, row in enumerate(range(SOME.start[s], SOME.start[s + 1])):
            assert log_prob[0, row, 0] == pytest.approx(np.log(p[d, SOME.head[row]]) + net.log_unknown, abs=1e-4)
            expected = -np.inf if SOME.head[row] == 0 else np.log(p[d, 0] * q[d, 0, 1])
            assert log_prob[0, row, 1] == pytest.approx(expected, abs=1e-4)


def test_what_is_looked_at_together_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net(random_net(DEMO))
    whole = net.choices(DEMO, threads=2)
    monkeypatch.setattr(reading, "_CELLS", 64)  # pairs of words in parts of a few rows
    monkeypatch.setattr(reading, "_SENTENCES", 3)
    monkeypatch.setattr(inference, "_AT_A_TIME", 40)  # words: several parts
    parts = net.choices(DEMO, threads=1)
    for name in ("log_prob", "log_other", "log_tag", "log_other_tag"):
        assert getattr(whole, name) == pytest.approx(getattr(parts, name), abs=1e-4)
    assert (whole.other_head == parts.other_head).mean() > 0.99
    arcs = DEMO.head[:, None].astype(np.int32), net.relation_codes(DEMO)[:, None]
    assert net.log_probs(DEMO, *arcs)[:, :, 0] == pytest.approx(whole.log_prob, abs=1e-4)


def test_one_word_and_no_words() -> None:
    corpus = parse_conllu("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    weights = random_net(corpus)
    found = Net(weights).choices(corpus)
    assert found.log_prob == pytest.approx(np.zeros((2, 1)), abs=1e-6)  # one head, one relation
    assert found.other_head.tolist() == [-1]
    assert Net(weights).choices(corpus.select([])).log_prob.shape == (2, 0)


def test_unknown_tags_and_relations_are_improbable_not_errors() -> None:
    weights = random_net(SOME)
    corpus = parse_conllu("1\tGo\tgo\tNEW\t_\t_\t0\tnovel\t_\t_\n\n")
    found = Net(weights).choices(corpus)
    assert found.log_tag[0] == pytest.approx(-np.log(SOME.n_words + 1))
    assert found.log_prob[0, 0] == pytest.approx(-np.log(SOME.n_words + 1))


def test_equal_hashes_of_different_kinds_have_different_places() -> None:
    parts, _ = FormParts()(SOME)
    places = form_places(np.repeat(parts[OUTSIDE : OUTSIDE + 1, :1], parts.shape[1], axis=1), 1 << 14)
    assert len(set(places[0].tolist())) > 7
    assert places.min() >= 1


def test_eight_bits_lose_little_and_four_a_little_more() -> None:
    values = {"a": np.random.default_rng(0).normal(size=(20, 50)), "b": np.array([1.0, -2.0])}
    for most, lost in ((127, 0.02), (7, 0.25)):
        whole, scale = quantised(values, most)
        back = whole["a"] * scale["a"].view(np.float16).astype(float)[:, None]
        assert np.abs(whole["a"]).max() <= most
        assert np.abs(back - values["a"]).mean() < lost
    assert whole["b"].view(np.float16).tolist() == [1.0, -2.0]


def test_a_net_survives_its_file() -> None:
    model = replace(tg.build_model(SOME), net=random_net(SOME))
    content = model_bytes(model)
    back = parse_model(content, "x.tgm")
    assert model_bytes(back) == content
    assert back.net is not None
    assert model.net is not None
    assert back.net.hash == model.net.hash == parse_net(net_bytes(back.net), "x").hash
    assert "net" in repr(back)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda net: replace(net, sizes=replace(SIZES, hidden=7)), "expected"),
        (lambda net: replace(net, sizes=replace(SIZES, rows=1 << 20)), "rows 1048576; expected 2 to 65536"),
        (lambda net: replace(net, relations=()), "0 relations"),
        (lambda net: replace(net, tags=("B", "A")), "tags"),
        (lambda net: replace(net, encoder=("someone's", "1")), "encoder"),
        (lambda net: replace(net, scale={**net.scale, "form": np.full(64, 0x7C00, dtype=np.int16)}), "not finite"),
    ],
)
def test_a_net_that_cannot_be_is_refused(change, said: str) -> None:  # type: ignore[no-untyped-def]
    model = replace(tg.build_model(SOME), net=change(random_net(SOME)))
    with pytest.raises(ModelError, match=said):
        parse_model(model_bytes(model), "x.tgm")


def test_blas_has_as_many_threads_afterwards() -> None:
    from treegauge.models.net.blas import _threads

    library = _threads()
    if library is None:
        pytest.skip("NumPy brings no OpenBLAS here")
    before = library[0]()
    with one_blas_thread(), one_blas_thread():
        assert library[0]() == 1
    assert library[0]() == before


class TestLearning:
    """With torch."""

    @pytest.fixture(autouse=True)
    def torch(self) -> None:
        pytest.importorskip("torch", reason="the extra `net` is not installed")

    def test_numpy_equals_torch(self) -> None:
        import torch

        from treegauge.models.net.torch_net import TorchNet
        from treegauge.models.net.training import NetOptions, net_task

        weights = random_net(SOME)
        task = net_task([SOME], NetOptions(sizes=SIZES))
        net = TorchNet(torch, SIZES, (weights.relations, weights.tags), start=weights)
        found, codes = Net(weights).choices(SOME), Net(weights).relation_codes(SOME)
        rows = np.full((SOME.n_sentences, int(np.diff(SOME.start).max())), -1)
        lengths = np.diff(SOME.start)
        for s, n in enumerate(lengths):
            rows[s, :n] = np.arange(SOME.start[s], SOME.start[s + 1])
        for view in range(2):
            with torch.no_grad():
                states = net.states(task.text, rows, lengths, np.full(len(rows), bool(view)), learning=False)
                scores, relations = net.scores(states, lengths)
                head = torch.from_numpy(SOME.head[np.maximum(rows, 0)].astype(np.int64))
                log_head = torch.log_softmax(scores, 2).gather(2, head[:, :, None])[..., 0].numpy()
                log_relation = torch.log_softmax(relations(head), 2).numpy()
            inside = rows >= 0
            at = rows[inside]
            expected = log_head[inside] + log_relation[inside][np.arange(len(at)), codes[at]]
            assert found.log_prob[view][at] == pytest.approx(expected, abs=2e-5)

    def test_the_same_seed_gives_the_same_model(self) -> None:
        from treegauge.models.net.training import NetOptions

        options = NetOptions(seed=3, sizes=SIZES, passes=2)
        first, second, other = (tg.build_model(DEMO, net=replace(options, seed=seed)) for seed in (3, 3, 4))
        assert model_bytes(first) == model_bytes(second)
        assert first.net is not None
        assert other.net is not None
        assert other.net.hash != first.net.hash

    def test_it_learns(self) -> None:
        from treegauge.models.net.training import NetOptions, learn_net

        again = parse_conllu(Path(DEMO.path).read_text(encoding="utf-8") * 30)
        told: list[str] = []
        sizes = replace(SIZES, hidden=16, form=16, rows=512)
        net = learn_net([again], NetOptions(sizes=sizes, passes=15), told=told.append)
        assert net.first_choice > 0.2
        assert "pass 1 of at most 15" in told[0]
        assert Net(net).choices(DEMO).log_prob.mean() > Net(random_net(DEMO)).choices(DEMO).log_prob.mean() + 1

    def test_vectors_of_a_function_go_into_the_net_and_are_asked_for_again(self, tmp_path: Path) -> None:
        from treegauge.models.net.training import NetOptions

        def vectors(corpus: Corpus) -> np.ndarray:
            return np.stack([corpus.codes["upos"], corpus.position], axis=1).astype(float) / 10

        model = tg.build_model(DEMO, net=NetOptions(sizes=SIZES, passes=1), encoder=vectors)
        assert model.net is not None
        assert model.net.sizes.encoder == 2
        model.save(tmp_path / "m.tgm")
        again = tg.load_model(tmp_path / "m.tgm", encoder=vectors)
        assert again.net is not None
        assert (Net(again.net).choices(SOME).log_prob == Net(model.net).choices(SOME).log_prob).all()
        with pytest.raises(OptionError, match="load_model"):
            tg.score(SOME, tg.load_model(tmp_path / "m.tgm"))
        with pytest.raises(OptionError, match="words, 2 numbers"):
            tg.score(SOME, tg.load_model(tmp_path / "m.tgm", encoder=lambda corpus: np.zeros((corpus.n_words, 3))))
        with pytest.raises(ModelError, match="no net"):
            tg.load_model("en", encoder=vectors) if tg.load_model("en").net is None else tg.load_model(
                "aqz", encoder=vectors
            )

    def test_nets_of_folds_are_kept_and_never_go_on_from_what_they_judge(self, tmp_path: Path) -> None:
        from treegauge.models.net import in_folds
        from treegauge.models.net.training import NetOptions, net_task

        options = NetOptions(sizes=SIZES, passes=1)
        inside, outside = DEMO.select(np.arange(0, 5)), DEMO.select(np.arange(5, 13))

        def fold(learned: Corpus, judged: Corpus) -> in_folds.FoldTask:
            task = net_task([learned], options)
            hashes = (in_folds.sentence_hashes(net_task([part], options)) for part in (learned, judged))
            return in_folds.FoldTask(task, *hashes, "text 1")

        folder = str(tmp_path)
        (first,) = in_folds.nets_of_folds([fold(outside, inside)], workers=1, folder=folder)
        told: list[int] = []
        (again,) = in_folds.nets_of_folds([fold(outside, inside)], workers=1, folder=folder, progress=told.append)
        assert again.hash == first.hash
        assert told == [outside.n_words]
        shorter = DEMO.select(np.arange(6, 13))
        going_on = in_folds._going_on(fold(shorter, inside), folder)
        assert going_on.options.start is not None
        assert going_on.options.start.hash == first.hash
        leaking = in_folds._going_on(fold(inside, outside), folder)  # the net has seen what is to be judged
        assert leaking.options.start is None
        for path in tmp_path.glob("*.net"):
            path.write_bytes(b"damaged")
        (mended,) = in_folds.nets_of_folds([fold(outside, inside)], workers=1, folder=folder)
        assert mended.hash == first.hash


def test_without_torch_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(OptionError, match=r"treegauge\[net\]"):
        tg.build_model(SOME, net=True)


def test_a_net_without_weights_or_an_encoder_without_a_net_is_refused() -> None:
    with pytest.raises(OptionError, match="net=True"):
        tg.build_model(SOME, choice=False, net=True)
    with pytest.raises(OptionError, match="net=True"):
        tg.build_model(SOME, encoder="some/encoder")


def test_first_tag_leaves_room_for_unknown_and_masked() -> None:
    assert FIRST_TAG == 2
