"""The choice of heads and relations by its definition: features as sets of named values, weights in a dict."""

import math
import zlib
from collections import defaultdict
from typing import Any

ROOT, END = "<root>", "<end>"
MARKERS = ("case", "mark", "cop", "cc")
Feature = frozenset[tuple[str, Any]]


def bucket(distance: int) -> int:
    for k, most in enumerate((0, 1, 2, 3, 4, 5, 7, 10, 15, 25)):
        if distance <= most:
            return k
    return 10


class Tree:
    """A sentence: rows of (lemma, upos, xpos, feats, head, relation); forms are the lemmas."""

    def __init__(self, rows: list[tuple[str, str, str, str, int, str]]) -> None:
        self.n = len(rows)
        columns = list(zip(*rows, strict=True))
        self.lemma, self.tag, self.xpos, self.feats = ([ROOT, *columns[k], END] for k in range(4))
        self.head = [-1, *columns[4], -1]
        self.relation = [ROOT, *columns[5], END]

    def dependents(self, h: int) -> list[int]:
        return [j for j in range(1, self.n + 1) if self.head[j] == h and self.relation[j] != "punct"]

    def place(self, d: int, h: int) -> tuple[tuple[str, Any], tuple[str, Any]]:
        side = 0 if h == 0 else 1 if h < d else 2
        return ("distance", (bucket(abs(d - h)) if h else 0, side)), ("side", side)

    def markers(self, d: int) -> tuple[str, ...]:
        return tuple(self.lemma[j] for j in self.dependents(d) if self.relation[j] in MARKERS)

    def children(self, d: int) -> tuple[str, tuple[tuple[str, bool], ...]]:
        return "children", tuple(sorted((self.relation[j], j < d) for j in self.dependents(d)))

    def ending(self, i: int, letters: int = 3) -> str:
        """The last letters of a form; what stands at both ends of a sentence is whole."""
        return self.lemma[i].lower()[-letters:] if 1 <= i <= self.n else self.lemma[i]

    def half(self, d: int) -> int:
        """Words of half of the tags have weights of their own."""
        return (zlib.crc32(self.tag[d].encode()) + 16) >> 16 & 1

    def values(self, i: int) -> dict[str, str]:
        return dict(one.split("=") for one in self.feats[i].split("|") if "=" in one)

    def agreement(self, d: int, h: int) -> tuple[bool | None, ...]:
        one, other = self.values(d), self.values(h)
        names = ("Case", "Number", "Gender", "Person")
        return tuple(one[name] == other[name] if name in one and name in other else None for name in names)

    def head_features(self, d: int, h: int) -> tuple[list[Feature], list[Feature]]:
        """Those of the words alone, and those of the rest of the tree."""
        D, R = self.place(d, h)
        th, td = ("head tag", self.tag[h]), ("tag", self.tag[d])
        before_head = ("before head", self.tag[h - 1] if h else None)
        after_head, before = ("after head", self.tag[h + 1]), ("before", self.tag[d - 1])
        after, two = ("after", self.tag[d + 1]), ("two after head", self.tag[min(h + 2, self.n + 1)])
        lh, ld = ("head lemma", self.lemma[h]), ("lemma", self.lemma[d])
        fh, fd = ("head feats", self.feats[h]), ("feats", self.feats[d])
        xh, xd = ("head xpos", self.xpos[h]), ("xpos", self.xpos[d])
        between = range(min(d, h) + 1, max(d, h)) if h else range(0)
        tags = [self.tag[j] for j in between]
        puncts, verbs = min(tags.count("PUNCT"), 2), min(tags.count("VERB"), 2)
        words = [
            {th, td, D},
            {th, td, before_head, before, R},
            {th, td, after, before, D},
            {th, td, after_head, two, R},
            {th, td, ("counts", (puncts, verbs)), R},
            *({th, td, ("between", tag), R} for tag in sorted(set(tags))),
            {lh, td, R},
            {th, ld, R},
            {lh, ld, R},
            {th, td, ("lemma before", self.lemma[d - 1]), R},
            {th, td, ("lemma after", self.lemma[d + 1]), R},
            {th, td, ("lemma before head", self.lemma[h - 1] if h else None), R},
            {th, td, ("lemma after head", self.lemma[h + 1]), R},
            {th, td, fh, fd, R},
            {th, td, fh, D},
            {th, td, fd, D},
            {th, td, xh, xd, R},
            {th, xd, D},
            {th, td, ("agreement", self.agreement(d, h)), R},
            {th, ("ending", self.ending(d)), R},
            {th, td, ("head ending", self.ending(h)), R},
            {th, td, ("head ending", self.ending(h)), ("ending", self.ending(d)), R},
            {th, td, ("head ending", self.ending(h, 2)), ("short ending", self.ending(d, 2)), R},
        ]
        inner = [j for j in self.dependents(h) if h and j in between]
        sibling = min(inner, key=lambda j: abs(j - d)) if inner else None
        relation = ("sibling relation", None if sibling is None else self.relation[sibling])
        tree = [
            {lh, td, ("markers", self.markers(d)), R},
            {th, ld, ("head relation", self.relation[h]), R},
            {th, td, ("head relation", self.relation[h]), D},
            {th, td, ("head relation", self.relation[h]), ("above", self.tag[self.head[h]] if h else None), R},
            {th, td, self.children(d), R},
            {th, td, relation, R},
        ]
        half = ("half", self.half(d))
        return [frozenset(f | {half}) for f in words], [frozenset(f | {half}) for f in tree]

    def relation_features(self, d: int, h: int) -> list[Feature]:
        D, R = self.place(d, h)
        th, td = ("head tag", self.tag[h]), ("tag", self.tag[d])
        lh, ld = ("head lemma", self.lemma[h]), ("lemma", self.lemma[d])
        fd, case = ("feats", self.feats[d]), ("case", self.values(d).get("Case"))
        children, markers = self.children(d), ("markers", self.markers(d))
        ending = ("ending", self.ending(d))
        found = [
            {th, td, D},
            {th, td, ("before", self.tag[d - 1]), R},
            {th, td, ("after", self.tag[d + 1]), R},
            {th, td, ("before head", self.tag[h - 1] if h else None), R},
            {th, td, ("after head", self.tag[h + 1]), R},
            {ld},
            {th, ld, R},
            {lh, td, R},
            {lh, ld, R},
            {td, ("lemma before", self.lemma[d - 1])},
            {td, ("lemma after", self.lemma[d + 1])},
            {td, case},
            {th, td, case, R},
            {th, td, fd, R},
            {th, td, fd, ("head feats", self.feats[h]), R},
            {td, ("xpos", self.xpos[d])},
            {th, td, ("xpos", self.xpos[d]), R},
            {th, td, ("xpos", self.xpos[d]), ("head xpos", self.xpos[h]), R},
            {td, ending, R},
            {td, ("short ending", self.ending(d, 2)), R},
            {th, td, ending, R},
            {th, td, ending, ("head ending", self.ending(h)), R},
            {td, ("ending before", self.ending(d - 1))},
            {td, ("ending after", self.ending(d + 1))},
            {lh, td, fd, R},
            {th, td, children, R},
            {th, td, ("head relation", self.relation[h]), R},
            {lh, children, R},
            {th, td, markers, R},
            {lh, td, markers, R},
            {ld, markers, R},
            *({th, td, ("sibling", self.relation[j]), R} for j in self.dependents(h) if j != d),
        ]
        return [frozenset(f) for f in found]


def softmax(scores: list[float]) -> list[float]:
    best = max(scores)
    total = sum(math.exp(s - best) for s in scores)
    return [math.exp(s - best) / total for s in scores]


class Learner:
    """AdaGrad over a dict; smaller errors of a probability than `least` teach nothing."""

    def __init__(self, rate: float, least: float = 0.01) -> None:
        self.rate, self.least = rate, least
        self.weight: defaultdict[Any, float] = defaultdict(float)
        self.power: defaultdict[Any, float] = defaultdict(float)

    def scores(self, options: list[list[Any]]) -> list[float]:
        return [sum(self.weight[f] for f in features) for features in options]

    def learn(self, options: list[list[Any]], probs: list[float], right: int) -> None:
        for k, (features, p) in enumerate(zip(options, probs, strict=True)):
            error = (k == right) - p
            if abs(error) < self.least:
                continue
            for feature in features:
                self.power[feature] += error * error
                self.weight[feature] += self.rate * error / math.sqrt(self.power[feature] + 0.01)


class Definition:
    """Learns from trees, then gives p(head) and p(relation | head) of every word."""

    def __init__(self, relations: list[str], head_rate: float, relation_rate: float) -> None:
        self.relations = relations
        self.blind, self.tree = Learner(head_rate), Learner(head_rate)
        self.related = Learner(relation_rate)

    def heads(self, tree: Tree, d: int) -> tuple[list[int], list[list[Any]], list[list[Any]]]:
        """The candidates; their features without the tree, and those of the tree."""
        heads = [0, *range(d - 1, 0, -1), *range(d + 1, tree.n + 1)]  # AdaGrad depends on the order
        pairs = [tree.head_features(d, h) for h in heads]
        return heads, [words for words, _ in pairs], [rest for _, rest in pairs]

    def relation_options(self, tree: Tree, d: int) -> list[list[Any]]:
        return [[(f, t) for f in tree.relation_features(d, tree.head[d])] for t in self.relations]

    def opinions(self, words: list[list[Any]], rest: list[list[Any]]) -> tuple[list[float], list[float]]:
        """p of the candidates without the tree, and with it: what is seen there is added to the first one's sum."""
        blind = self.blind.scores(words)
        return softmax(blind), softmax([a + b for a, b in zip(blind, self.tree.scores(rest), strict=True)])

    def learn(self, tree: Tree) -> None:
        for d in range(1, tree.n + 1):
            heads, words, rest = self.heads(tree, d)
            right = heads.index(tree.head[d])
            blind, seeing = self.opinions(words, rest)
            self.blind.learn(words, blind, right)
            self.tree.learn(rest, seeing, right)
            related = self.relation_options(tree, d)
            self.related.learn(related, softmax(self.related.scores(related)), self.relations.index(tree.relation[d]))

    def probs(self, tree: Tree, d: int) -> tuple[float, float]:
        heads, words, rest = self.heads(tree, d)
        k = heads.index(tree.head[d])
        blind, seeing = self.opinions(words, rest)
        related = softmax(self.related.scores(self.relation_options(tree, d)))
        return (blind[k] + seeing[k]) / 2, related[self.relations.index(tree.relation[d])]


class TagDefinition:
    """Learns the tags of words from their forms, going through all sentences again and again."""

    def __init__(self, tags: list[str], rate: float) -> None:
        self.tags = tags
        self.learner = Learner(rate, 0.002)

    def options(self, forms: list[str], w: int) -> list[list[Any]]:
        """The features of word w, one list for each tag."""
        around = [ROOT, ROOT, *(form.lower() for form in forms), END, END]
        low, before, after = around[w + 2], around[w + 1], around[w + 3]
        look, end = shape(forms[w]), low[-3:]
        ends = [form if form in (ROOT, END) else form[-3:] for form in (before, after)]
        found: list[Any] = [
            "always",
            ("form", low),
            ("form and shape", low, look),
            ("shape", look),
            *(("end", low[-k:]) for k in range(1, 6)),
            *(("start", low[:k]) for k in range(1, 4)),
            ("end and shape", end, look),
            ("end and start", end, low[:3]),
            ("end and start", low[-2:], low[:2]),
            ("before", before),
            ("after", after),
            ("two before", around[w]),
            ("two after", around[w + 4]),
            ("end before", ends[0]),
            ("end after", ends[1]),
            ("ends beside", *ends),
            ("end and end after", end, ends[1]),
            ("shape and before", look, before),
            ("shapes", look, shape(forms[w - 1]) if w else ROOT),
        ]
        return [[(feature, tag) for feature in found] for tag in self.tags]

    def learn(self, forms: list[str], tags: list[str]) -> None:
        for w, tag in enumerate(tags):
            options, right = self.options(forms, w), self.tags.index(tag)
            probs = softmax(self.learner.scores(options))
            if -math.log(probs[right]) >= 0.002:
                self.learner.learn(options, probs, right)

    def probs(self, forms: list[str], w: int) -> list[float]:
        return softmax(self.learner.scores(self.options(forms, w)))


def shape(form: str) -> tuple[Any, ...]:
    return (
        form[0].isupper(),
        any(c.isupper() for c in form[1:]),
        any(c.isdigit() for c in form),
        any(c.isalpha() for c in form),
        any(not c.isalnum() for c in form),
        min(len(form), 3),
    )
