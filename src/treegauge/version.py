"""The version, and the signature that every number carries."""

__version__ = "0.1.0"


def signature(*parts: str) -> str:
    """The settings behind a number, then the version: `eval|subtypes:no|v0.1.0`. Empty parts are left out."""
    return "|".join([*filter(None, parts), f"v{__version__}"])
