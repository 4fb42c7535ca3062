"""Independent ethical assessment of text classifiers, in a notebook and as a signed document."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairnb.errors import FairnbError as FairnbError
    from fairnb.errors import FairnbErrors as FairnbErrors
    from fairnb.masked_lm import Harness as Harness
    from fairnb.notebook import open as open

__version__ = "0.1.0"

# Names are loaded when first used (PEP 562), so that `import fairnb` costs nothing.
_HOMES = {
    "FairnbError": "fairnb.errors",
    "FairnbErrors": "fairnb.errors",
    "Harness": "fairnb.masked_lm",
    "open": "fairnb.notebook",
}

__all__ = ["FairnbError", "FairnbErrors", "Harness", "__version__", "open"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'fairnb' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
