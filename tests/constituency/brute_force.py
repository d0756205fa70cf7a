"""Slow definitions to hold the chart against."""

import itertools
import math

from treegauge.constituency.grammar import TAG, TreebankGrammar


def rules_of(grammar: TreebankGrammar):
    """Rules as (left, right, probability), tags marked."""
    return [(rule[0], rule[1:], grammar.prob[code]) for rule, code in grammar.rule_code.items()]


def every_tree(grammar, tags, label="TOP", unary_steps=12):
    """(probability, brackets in preorder) of each tree with at most so many unary rules in a chain."""
    rules = rules_of(grammar)

    def symbol(name, i, j, steps):
        if name.startswith(TAG):
            if j == i + 1 and tags[i] == name[1:]:
                yield 1.0, ()
            return
        for left, right, prob in rules:
            if left != name or len(right) > j - i:
                continue
            if len(right) == 1:
                is_tag = right[0].startswith(TAG)
                if is_tag or steps:
                    for p, brackets in symbol(right[0], i, j, steps - (not is_tag)):
                        yield prob * p, ((name, i, j), *brackets)
                continue
            for cuts in itertools.combinations(range(i + 1, j), len(right) - 1):
                ends = (i, *cuts, j)
                parts = [
                    list(symbol(child, a, b, unary_steps)) for child, a, b in zip(right, ends, ends[1:], strict=False)
                ]
                for choice in itertools.product(*parts):
                    p = prob * math.prod(part[0] for part in choice)
                    yield p, ((name, i, j), *itertools.chain.from_iterable(part[1] for part in choice))

    return list(symbol(label, 0, len(tags), unary_steps))


def weight_by_rounds(grammar, tags, combine=sum, rounds=400):
    """p(w) as the limit of its own equation: after r rounds, the sum over trees of r levels; or the max."""
    rules = rules_of(grammar)
    n = len(tags)
    value = {}

    def of(name, i, j):
        if name.startswith(TAG):
            return float(j == i + 1 and tags[i] == name[1:])
        return value.get((name, i, j), 0.0)

    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            for _ in range(rounds):
                new = {}
                for left, right, prob in rules:
                    found = [
                        math.prod(of(child, a, b) for child, a, b in zip(right, (i, *cuts), (*cuts, j), strict=True))
                        for cuts in itertools.combinations(range(i + 1, j), len(right) - 1)
                    ]
                    new[left, i, j] = combine([new.get((left, i, j), 0.0), *(prob * p for p in found)])
                if all(abs(new[key] - value.get(key, 0.0)) <= 1e-17 for key in new):
                    break
                value.update(new)
    return of("TOP", 0, n)
