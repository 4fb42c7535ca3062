"""Which interpreter a kernel runs on: its environment has the case's packages, the server's may not."""

from __future__ import annotations

import ast
import asyncio
from typing import Any

from fairnb.errors import FairnbError

_PATIENCE = 10.0
"""Seconds a kernel has to answer; it does so only between two cells."""


async def interpreter(kernels: Any, identity: str, known: dict[str, str]) -> str:
    """Path of a running kernel's interpreter, as the kernel itself names it.

    Parameters
    ----------
    kernels : MappingKernelManager
    identity : str
        Id of the kernel.
    known : dict
        Kernel -> interpreter, as found before: a kernel keeps its interpreter. Filled here.

    Raises
    ------
    FairnbError
        ``no-kernel``, ``busy-kernel``, ``other-kernel`` if it is no Python kernel.
    """
    if identity not in kernels:
        raise FairnbError("no-kernel", "the notebook's kernel is not running", "start it, then try again")
    if identity in known:
        return known[identity]
    client = kernels.get_kernel(identity).client()
    client.start_channels()
    try:
        content = await asyncio.wait_for(_asked(client), _PATIENCE)
    except TimeoutError:
        raise FairnbError(
            "busy-kernel", "the kernel is running a cell", "wait until it is idle, or interrupt it"
        ) from None
    finally:
        client.stop_channels()
    answer = content.get("user_expressions", {}).get("python", {}).get("data", {}).get("text/plain", "")
    try:
        path = ast.literal_eval(answer)
    except (SyntaxError, ValueError):
        path = None
    if not isinstance(path, str) or not path:
        raise FairnbError("other-kernel", "the notebook's kernel is not Python", "choose a Python kernel")
    for ended in [kernel for kernel in known if kernel not in kernels]:
        del known[ended]
    known[identity] = path
    return path


async def _asked(client: Any) -> dict[str, Any]:
    """The kernel's reply to the question where its interpreter is."""
    expressions = {"python": "__import__('sys').executable"}
    sent = client.execute("", silent=True, store_history=False, user_expressions=expressions)
    while True:
        message = await client.get_shell_msg()
        if message["parent_header"].get("msg_id") == sent:
            content: dict[str, Any] = message["content"]
            return content
