"""A made-up treebank in which constructions occur that people search for."""

_SENTENCES = {
    # form, lemma, tag, features, head, relation
    "passive": """
        the the DET Number=Sing 2 det
        letter letter NOUN Number=Sing 4 nsubj:pass
        was be AUX _ 4 aux:pass
        lost lose VERB VerbForm=Part 0 root""",
    "agent": """
        it it PRON Number=Sing 3 nsubj:pass
        was be AUX _ 3 aux:pass
        found find VERB VerbForm=Part 0 root
        by by ADP _ 5 case
        Ada Ada PROPN Number=Sing 3 obl:agent""",
    "imperative": """
        give give VERB VerbForm=Fin 0 root
        them they PRON Number=Plur 1 obj
        these this DET Number=Plur 4 det
        book book NOUN Number=Sing 1 obj""",
    "that": """
        all all PRON _ 0 root
        that that PRON _ 5 obj
        Ada Ada PROPN Number=Sing 5 nsubj
        really really ADV _ 5 advmod
        wrote write VERB VerbForm=Fin 1 acl:relcl""",
    "double": """
        she she PRON Number=Sing 2 nsubj
        gave give VERB VerbForm=Fin 0 root
        Bo Bo PROPN Number=Sing 2 iobj
        a a DET Number=Sing 6 det
        red red ADJ _ 6 amod
        rose rose NOUN Number=Sing 2 obj
        that that PRON _ 8 nsubj
        sang sing VERB VerbForm=Fin 6 acl:relcl""",
    "unlike": """
        he he PRON Number=Sing 7 nsubj
        of of ADP _ 4 case
        the the DET Number=Sing 4 det
        hill hill NOUN Number=Sing 1 nmod
        is be AUX _ 7 cop
        very very ADV _ 7 advmod
        old old ADJ _ 0 root
        and and CCONJ _ 10 cc
        a a DET Number=Sing 10 det
        king king NOUN Number=Sing 7 conj
        proper proper ADJ _ 10 amod""",
    "crossing": """
        a a DET Number=Sing 2 det
        hearing hearing NOUN Number=Sing 4 nsubj:pass
        is be AUX _ 4 aux:pass
        scheduled schedule VERB VerbForm=Part 0 root
        on on ADP _ 7 case
        the the DET Number=Sing 7 det
        issue issue NOUN Number=Sing 2 nmod
        today today ADV _ 4 advmod""",
}


def treebank() -> str:
    """The treebank in CoNLL-U; a sentence is named by what is in it."""
    texts = []
    for name, words in _SENTENCES.items():
        lines = [f"# sent_id = {name}"]
        for k, line in enumerate(words.strip().split("\n"), 1):
            form, lemma, upos, feats, head, deprel = line.split()
            lines.append("\t".join([str(k), form, lemma, upos, "_", feats, head, deprel, "_", "_"]))
        texts.append("\n".join(lines) + "\n\n")
    return "".join(texts)
