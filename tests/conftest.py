"""Fixtures every room's tests may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches and fetched data of a test never touch the user's own folders."""
    monkeypatch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("fairnb-home")))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of the public data sets; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("FAIRNB_TEST_DATA", CHECKOUT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the public data sets are not here (set FAIRNB_TEST_DATA to their folder)")
    return folder


@pytest.fixture(scope="session")
def vectors() -> Path:
    """Folder of worked values."""
    return CHECKOUT / "tests" / "vectors"
