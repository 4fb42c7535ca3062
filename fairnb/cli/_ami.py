"""Verbs about the AMI shared task."""

from __future__ import annotations

from cyclopts import App

from fairnb.cli._app import app

ami_app = App(name="ami", help="The AMI shared task at Evalita 2020.", help_format="plaintext")
app.command(ami_app)
