"""What a notebook holds: `fairnb.open()`, its sections and their display; executing the notebook."""

from fairnb.notebook._demo import DemoReport, demo
from fairnb.notebook._execute import ExecutionReport, SectionRun, execute
from fairnb.notebook._notebook import NotebookCase, open

__all__ = ["DemoReport", "ExecutionReport", "NotebookCase", "SectionRun", "demo", "execute", "open"]
