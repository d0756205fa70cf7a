"""The scores of a parse: LAS, CLAS and the others, by group, relation and significance."""
