"""What a notebook holds: `fairnb.open()`, its sections and their display; executing the notebook."""

from fairnb.notebook._execute import ExecutionReport, SectionRun, execute
from fairnb.notebook._notebook import NotebookCase, open

__all__ = ["ExecutionReport", "NotebookCase", "SectionRun", "execute", "open"]
