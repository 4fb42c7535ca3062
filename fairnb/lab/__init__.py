"""JupyterLab's half on the server: what the extension asks for, as jobs that run the `fairnb` command."""

from __future__ import annotations

from typing import Any

__all__ = ["_jupyter_server_extension_points", "_load_jupyter_server_extension"]


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """Where Jupyter Server finds the extension."""
    return [{"module": "fairnb.lab"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add the handlers to a server."""
    from fairnb.lab._handlers import add_handlers

    add_handlers(server)
