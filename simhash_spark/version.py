"""The version of the package, where code shipped as a zip or by value finds it too."""

from __future__ import annotations

__version__ = "0.1.0"
