"""From raw text to trees: parsers, steps in their pipelines, combination of parses, download of treebanks."""
