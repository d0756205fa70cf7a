"""Choice weights learned by many: each worker learns from a share of the text, and their weights are averaged.

After a first round every worker goes on from the mean, over its share once more, and the mean of that is kept
(iterative parameter mixing: McDonald, Hall and Mann 2010). It is near to what one machine learns in one pass, not equal
to it: docs/scale.md says how near.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from treegauge.choice.learning import learn_choice
from treegauge.choice.weights import ChoiceWeights, merge_weights
from treegauge.choice.words import COLUMNS
from treegauge.corpus.conllu import Corpus, Place, Reader
from treegauge.corpus.files import sentence_blocks
from treegauge.errors import OptionError
from treegauge.scale.counting import PART_BYTES, FilePart, parts_of
from treegauge.scale.pool import Pool

ROUNDS = 2
Share = tuple[FilePart, ...]


def learn_choice_on(
    pool: Pool,
    paths: Sequence[str],
    relations: Sequence[str],
    *,
    part_bytes: int = PART_BYTES,
    progress: Callable[[int], None] = lambda words: None,
) -> ChoiceWeights:
    """The weights learned from some files by the workers of a pool, each from its share; malformed sentences left out.

    relations: all that occur, so that every worker chooses among the same.
    """
    if "-" in paths:
        raise OptionError("standard input cannot be shared among workers; give files, or use --threads")
    mean: ChoiceWeights | None = None
    shares = shares_of(list(parts_of(paths, part_bytes)), pool.workers)
    for _ in range(ROUNDS if len(shares) > 1 else 1):
        learned: dict[int, ChoiceWeights] = {}
        for k, weights in pool.results(learn_share, enumerate(shares), tuple(relations), mean):
            learned[k] = weights
            progress(weights.words)
        parts = [learned[k] for k in sorted(learned)]
        mean = merge_weights(parts) if len(parts) > 1 else parts[0]
    assert mean is not None
    return mean


def shares_of(parts: Sequence[FilePart], n: int) -> list[Share]:
    """The parts in n shares of about the same number, each of neighbours; fewer if there are fewer parts."""
    n = max(min(n, len(parts)), 1)
    bounds = [k * len(parts) // n for k in range(n + 1)]
    return [tuple(parts[low:high]) for low, high in pairwise(bounds)]


def learn_share(
    job: tuple[int, Share], relations: tuple[str, ...], start: ChoiceWeights | None
) -> tuple[int, ChoiceWeights]:
    """The number of a share, and what is learned from it, going on from `start`."""
    number, share = job
    return number, learn_choice(_pieces(share), relations=relations, start=start)


def _pieces(share: Share) -> Iterator[Corpus]:
    reader = Reader(COLUMNS, "skip")
    for part in share:
        with part.open(part.path) as stream:
            for block in sentence_blocks(stream):
                yield reader.read(block, Place(part.path))[0]
