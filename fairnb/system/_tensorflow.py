"""TensorFlow, brought in quietly and with reproducible rounding."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fairnb.errors import FairnbError

# What TensorFlow's native code writes before and after its log level takes effect.
_NOISE = re.compile(
    rb"WARNING: All log messages before absl|[IWE]\d{4} \d\d:\d\d:|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: [IWE] "
    rb"|[IWE]0000 00:00:|To enable the following instructions"
)


def tensorflow(extra: str = "keras") -> tuple[Any, Any]:
    """Import TensorFlow and Keras: oneDNN off (its rounding differs by machine), log silent.

    Parameters
    ----------
    extra : str
        Extra of fairnb that installs it, for the message.

    Returns
    -------
    tuple
        The modules `tensorflow` and `keras`.

    Raises
    ------
    FairnbError
        ``package-missing``; ``wrong-backend`` if Keras already runs on another one.
    """
    ours = "tensorflow" not in sys.modules
    if ours:
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    if "keras" not in sys.modules:
        os.environ["KERAS_BACKEND"] = "tensorflow"
    try:
        with quiet():
            import keras
            import tensorflow as tf

            # The first look at the devices is the last thing that writes to standard error.
            tf.config.list_logical_devices()
    except ImportError as error:
        raise FairnbError(
            "package-missing",
            f"TensorFlow cannot be imported ({error})",
            f"install it with: pip install 'fairnb[{extra}]'",
        ) from error
    if ours:
        tf.get_logger().setLevel("ERROR")
    if keras.backend.backend() != "tensorflow":
        raise FairnbError(
            "wrong-backend",
            f"Keras already runs on {keras.backend.backend()} in this process",
            "restart the kernel with KERAS_BACKEND=tensorflow",
        )
    return tf, keras


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back the lines that TensorFlow's native code writes to standard error; others pass."""
    try:
        kept = os.dup(2)
    except OSError:
        # A process without standard error has nothing to keep quiet.
        yield
        return
    with tempfile.TemporaryFile() as held:
        sys.stderr.flush()
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            held.seek(0)
            for line in held:
                if not _NOISE.match(line):
                    os.write(2, line)
