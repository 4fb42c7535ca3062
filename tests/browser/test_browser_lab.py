"""The server and the browser that the other tests use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_lab_opens_without_an_error_and_without_a_request_to_another_server(
    open_lab: Callable[..., Any],
) -> None:
    page = open_lab()
    page.wait_for_selector(".jp-LauncherCard")
    assert page.watch.errors == []
    assert page.watch.outside == []
