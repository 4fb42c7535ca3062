"""A fresh kernel of this very interpreter, away from the user's own Jupyter and IPython folders."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairnb.files import cache_folder

_SECRET = "FAIRNB_PASSPHRASE"  # noqa: S105 - the variable's name, not a passphrase
_FOLDERS = {
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "jupyter-config",
    "JUPYTER_DATA_DIR": "jupyter-data",
    "JUPYTER_RUNTIME_DIR": "jupyter-runtime",
}


def kernel_environment(scratch: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """Environment of the kernel: without passphrases, with own folders, reproducible and quiet.

    Parameters
    ----------
    scratch : Path
        Folder below which the kernel's own folders are made.
    extra : mapping
        Variables to add.
    """
    environment = {key: value for key, value in os.environ.items() if key != _SECRET}
    for name, folder in _FOLDERS.items():
        place = scratch / folder
        place.mkdir(parents=True, exist_ok=True)
        environment[name] = str(place)
    environment.update(
        # Kept between runs: matplotlib would list all fonts anew, which takes seconds.
        MPLCONFIGDIR=str(_kept("matplotlib")),
        # TensorFlow: reproducible rounding and no log in the outputs.
        TF_ENABLE_ONEDNN_OPTS="0",
        TF_CPP_MIN_LOG_LEVEL="3",
        # A figure is drawn from the result alone, never on a screen.
        MPLBACKEND="module://matplotlib_inline.backend_inline",
        PYDEVD_DISABLE_FILE_VALIDATION="1",
    )
    environment.update(extra)
    return environment


def _kept(name: str) -> Path:
    folder = cache_folder() / name
    folder.mkdir(exist_ok=True)
    return folder


def kernel_manager(scratch: Path) -> Any:
    """A kernel manager that needs no kernelspec to be installed."""
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    manager = AsyncKernelManager(kernel_name="python3", connection_file=str(scratch / "kernel.json"))
    manager._kernel_spec = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="Python 3 (ipykernel)",
        language="python",
        metadata={"supported_encryption": "curve"},
    )
    if manager.has_trait("transport_encryption"):
        # Texts and results travel between two processes: other users of the machine cannot listen.
        manager.transport_encryption = "auto"
    return manager
