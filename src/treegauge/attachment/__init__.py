"""How right is a parser? Align two treebanks by their characters, count per sentence, score."""

from treegauge.attachment.breakdown import Breakdown, breakdown, leave_out
from treegauge.attachment.confusion import Confusion, confused_words, confusion
from treegauge.attachment.evaluation import Evaluation, evaluate, select
from treegauge.attachment.pairs import Pair, pairs_table, read_pairs, row_of
from treegauge.attachment.relations import GROUPS, read_groups
from treegauge.attachment.scores import Score
from treegauge.attachment.significance import Difference, compare
from treegauge.attachment.treebank import Treebank, read_treebank
from treegauge.tables import Table

__all__ = [
    "GROUPS",
    "Breakdown",
    "Confusion",
    "Difference",
    "Evaluation",
    "Pair",
    "Score",
    "Table",
    "Treebank",
    "breakdown",
    "compare",
    "confused_words",
    "confusion",
    "evaluate",
    "leave_out",
    "pairs_table",
    "read_groups",
    "read_pairs",
    "read_treebank",
    "row_of",
    "select",
]
