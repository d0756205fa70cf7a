"""Short names of files."""

from treegauge.corpus.files import file_names


def test_names_are_as_long_as_it_takes_to_tell_them_apart() -> None:
    assert file_names(["x/a.conllu", "y/b.conllu.xz"]) == ["a", "b"]
    assert file_names(["x/a.conllu", "y/a.conllu"]) == ["x/a", "y/a"]
    assert file_names(["x/a.conllu", "y/b.conllu.xz"], endings=True) == ["a.conllu", "b.conllu.xz"]


def test_the_same_file_twice_is_numbered() -> None:
    assert file_names(["<text>", "<text>"]) == ["<text> (1)", "<text> (2)"]
    assert file_names(["a.conllu", "a.conllu.gz"]) == ["a (1)", "a (2)"]
    assert file_names([]) == []
