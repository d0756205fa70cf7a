"""What is known of the word order of languages, to hold the measures against.

Our own short list after Dryer in The World Atlas of Language Structures Online (Dryer and Haspelmath 2013), chapters by
number: only languages with a dominant order, and arcs that mean what the chapter means. It was written down by hand; a
language that the sample of a chapter lacks is given as any grammar of it has it.
"""

# (fact, WALS chapter, relation, tag of the dependent, tag of the head, head-after languages, head-before languages)
FACTS = (
    ("adjective", "87A", "amod", "ADJ", "NOUN", "cs de en fi hi is ja ko pl ru sv tr zh", "ar es fr id it pt th"),
    ("object and verb", "83A", "obj", "NOUN", "VERB", "hi ja ko tr", "ar cs en es fi fr id is it pl pt ru sv th zh"),
    ("subject and verb", "82A", "nsubj", "NOUN", "VERB", "cs de en fi fr hi id is ja ko pl pt ru sv th tr zh", "ar"),
    ("adposition", "85A", "case", "ADP", "NOUN", "ar cs de en es fr id is it pl pt ru sv th", "fi hi ja tr"),
    ("genitive and noun", "86A", "nmod", "NOUN", "NOUN", "fi hi ja ko tr zh", "ar cs de es fr id is it pl pt ru th"),
    ("demonstrative and noun", "88A", "det", "DET", "NOUN", "ar de en es fr hi it ja ko pt ru sv tr zh", "id th"),
    ("numeral and noun", "89A", "nummod", "NUM", "NOUN", "ar cs de en es fi fr hi id is it ko pl pt ru sv tr zh", ""),
    ("relative clause", "90A", "acl", "VERB", "NOUN", "ja ko tr zh", "ar cs de en es fr id is it pl pt ru sv th"),
    ("subordinator and clause", "94A", "mark", "SCONJ", "VERB", "cs de en es fi fr it pl pt ru sv", "ja"),
)  # fmt: skip
# single languages of other treebanks: name, WALS chapter, relation, tags, whether the head follows
OTHERS = (
    ("ga_cadhan", "82A", "nsubj", "NOUN", "VERB", False),  # Irish: verb before subject
    ("cy_ccg", "82A", "nsubj", "NOUN", "VERB", False),  # Welsh
    ("gd_arcosg", "82A", "nsubj", "NOUN", "VERB", False),  # Scottish Gaelic
)
