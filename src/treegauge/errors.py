"""What treegauge raises: a few classes, all of them `ValueError`s."""


class TreegaugeError(ValueError):
    """Anything wrong with what the user gave."""


class CorpusError(TreegaugeError):
    """A corpus that cannot be read; the message names file, line, sentence, value and expectation."""


class MalformedError(CorpusError):
    """A sentence or tree that cannot be read; reading with on_error="skip" leaves it out."""


class ModelError(TreegaugeError):
    """A model that cannot be read, merged or applied."""


class OutputError(TreegaugeError):
    """A file that cannot be written: what was under its name before is still there."""


class OptionError(TreegaugeError):
    """An option outside its choices; the message lists them."""
