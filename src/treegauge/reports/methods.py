"""How the numbers of each command are computed, in a few sentences that can be cited."""

from __future__ import annotations

from collections.abc import Sequence

from treegauge import __version__

METHODS = {
    "model build": "A reference model counts how often each feature of an arc occurs in the reference, and learns "
    "weights for choosing heads and relations.",
    "judge": "Arcs of the parser's output are ranked by each scorer. An arc is right if gold has the same head and "
    "universal relation. The tables give the errors among the worst 10, 20 and 30 % of the arcs, ROC-AUC and average "
    "precision with 95 % intervals over resampled sentences, and LAS of top lists and groups (Dell'Orletta, Venturi "
    "and Montemagni 2013).",
    "eval": "Words are aligned by their characters and scored as in the CoNLL 2018 shared task.",
    "challenge": "Sentences were chosen by the bins of their arcs in the ranking by LISCA.",
    "difficulty types": "Relation types are ranked by labelled F-score, by the mean LISCA score of their arcs in gold "
    "and in the parser's output, and by mean length in gold; rankings are compared by Spearman's ρ (Alzetta et al. "
    "2020, §4). A type is called hard in a language if it is among the hardest third by F-score.",
    "difficulty bins": "Arcs are ranked by LISCA and cut into ten equal bins; bin 1 holds the most plausible arcs "
    "(Alzetta et al. 2020, §5).",
    "typology": "For each relation, without root arcs and punctuation: the share of arcs whose head follows, the mean "
    "arc length, and the entropy of direction and of place, with 95 % percentile intervals over resampled sentences. "
    "Arcs of a relation are ranked by LISCA and cut into bins. The distance of two languages is the mean difference of "
    "the shares of arcs whose head follows, by relation and tags, weighted by frequency. Languages are clustered by "
    "average linkage; support is the share of bootstrap samples of sentences that have the cluster.",
    "bits": "A learner goes through the treebank once in random order and predicts head and relation of each word "
    "before it learns from the sentence; bits per arc are the mean −log2 of the probability of the arc (prequential "
    "code length, Dawid 1984).",
    "agreement": "Agreement on heads, relations and tags is given as shares of words, as Cohen's κ (mean of pairs), "
    "Fleiss' κ and Krippendorff's α. The α of trees uses the squared edit distance of whole dependency trees "
    "(Skjærholt 2014). Intervals are at 95 %, over resampled sentences.",
}


def method_of(args: Sequence[str]) -> str:
    """What to say of a command: how it computes, and the version; empty for one that computes nothing."""
    for words in (2, 1):
        text = METHODS.get(" ".join(args[:words]))
        if text:
            return f"{text} Computed with treegauge {__version__}."
    return ""
