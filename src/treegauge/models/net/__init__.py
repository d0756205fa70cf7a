"""The net: a second opinion on arcs and tags, of another kind than choice."""
