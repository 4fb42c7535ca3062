"""`python -m fairnb`: the command, run by a chosen interpreter."""

from fairnb.cli import entry

__all__: list[str] = []

if __name__ == "__main__":
    entry()
