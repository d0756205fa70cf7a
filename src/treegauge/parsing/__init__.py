"""Raw text to trees: parsers, steps in their pipelines, parses combined, and treebanks fetched."""
