"""How right is a parser? Align two treebanks by their characters, count per sentence, score."""

from treegauge.attachment.breakdown import Breakdown, breakdown, leave_out
from treegauge.attachment.confusion import Confusion, confused_words, confusion
from treegauge.attachment.evaluation import Evaluation, Evaluations, evaluate, select
from treegauge.attachment.pairs import Pair, read_pairs, row_of, treebanks_table
from treegauge.attachment.relations import GROUPS, read_groups
from treegauge.attachment.scores import Score
from treegauge.attachment.significance import Difference, compare
from treegauge.tables import Table

__all__ = [
    "GROUPS",
    "Breakdown",
    "Confusion",
    "Difference",
    "Evaluation",
    "Evaluations",
    "Pair",
    "Score",
    "Table",
    "breakdown",
    "compare",
    "confused_words",
    "confusion",
    "evaluate",
    "leave_out",
    "read_groups",
    "read_pairs",
    "row_of",
    "select",
    "treebanks_table",
]
