"""Optional packages: imported where they are used; where one is missing, the error says how to install it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from treegauge.errors import OptionError


def needed(module: str, extra: str, what: str) -> Any:
    """A module of an extra; where it is not installed, an OptionError that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise OptionError(f"{what} needs {package}: pip install 'treegauge[{extra}]'") from error
