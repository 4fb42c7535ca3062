"""The `fairnb` command. Thin: every verb is a call of the public API; human words go to stderr."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

from cyclopts import CycloptsError

from fairnb.cli import _ami, _ami_make, _case, _document, _mlm, _things  # noqa: F401 - importing them adds their verbs
from fairnb.cli._app import app
from fairnb.cli._app import say as _say
from fairnb.errors import ExitCode, FairnbError, FairnbErrors

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["app", "entry", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; by default those of the process.

    Returns
    -------
    int
        One of `fairnb.errors.ExitCode`.
    """
    try:
        answer = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except FairnbErrors as errors:
        for error in errors.errors:
            _say(f"fairnb: {error} [{error.code}]")
        return int(errors.exit_code)
    except FairnbError as error:
        _say(f"fairnb: {error} [{error.code}]")
        return int(error.exit_code)
    except CycloptsError as error:
        _say(f"fairnb: {error} See `fairnb --help`.")
        return int(ExitCode.BAD_INPUT)
    except KeyboardInterrupt:
        _say("fairnb: interrupted; what was finished is kept, the same command goes on from there")
        return int(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        return int(ExitCode.DONE)
    except OSError as error:
        # A full disk, a share that went away: nothing a caller foresees, and no fault of the program.
        place = f"{error.filename}: " if error.filename else ""
        _say(
            f"fairnb: {place}{error.strerror or error}; look at the disk and your rights, then go on [system]"
        )
        return int(ExitCode.FAILED)
    except Exception as error:  # noqa: BLE001 - Python's own exit code 1 would say that a document is not intact
        traceback.print_exc()
        _say(
            f"fairnb: a fault of fairnb itself ({type(error).__name__}); report it with the lines above [fault]"
        )
        return int(ExitCode.FAILED)
    return answer if isinstance(answer, int) else int(ExitCode.DONE)


def entry() -> None:
    """Entry point of the console script."""
    sys.exit(main())
