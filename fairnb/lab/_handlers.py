"""Requests of the browser. Each is authenticated and authorised; none runs in the server's own process."""

from __future__ import annotations

import atexit
import json
import os
import sys
from pathlib import Path
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from pydantic import ValidationError
from tornado.web import HTTPError, authenticated

from fairnb import __version__
from fairnb.errors import FairnbError
from fairnb.lab._interpreter import interpreter
from fairnb.lab._jobs import Jobs
from fairnb.lab._requests import LEVELS, REQUESTS

_LARGEST = 64 << 10
"""Bytes of a request."""


class _Handler(APIHandler):
    auth_resource = "fairnb"

    def initialize(self, jobs: Jobs, root: Path, kernels: dict[str, str]) -> None:
        self.jobs = jobs
        self.root = root
        self.kernels = kernels

    def refuse(self, status: int, error: Exception) -> None:
        """Answer with one sentence."""
        self.set_status(status)
        self.finish(json.dumps({"message": str(error)}))


class KnownHandler(_Handler):
    """What can be named, and the version beside JupyterLab."""

    @authenticated
    @authorized
    def get(self) -> None:
        from fairnb.registry import all_known
        from fairnb.sections import Altai, section, section_ids

        def named(kind: Any) -> list[dict[str, str]]:
            return [{"name": item.name, "title": item.title} for item in all_known(kind)]

        sections = map(section, section_ids())
        self.finish(
            json.dumps(
                {
                    "version": __version__,
                    "systems": named("system"),
                    "corpora": named("corpus"),
                    "levels": LEVELS,
                    "sections": [
                        {"id": one.id, "title": one.title, "requirement": int(one.requirement)}
                        for one in sections
                    ],
                    "requirements": [requirement.title for requirement in Altai],
                }
            )
        )


class StartHandler(_Handler):
    """Start a job."""

    @authenticated
    @authorized
    async def post(self, kind: str) -> None:
        if len(self.request.body) > _LARGEST:
            raise HTTPError(413)
        try:
            asked = REQUESTS[kind].model_validate_json(self.request.body)
            command = asked.command(self.root)
            python = sys.executable
            if asked.kernel:
                python = await interpreter(self.kernel_manager, asked.kernel, self.kernels)
            job = self.jobs.start(
                python,
                command.arguments,
                command.folder,
                seconds=command.seconds,
                passphrase=command.passphrase,
            )
        except ValidationError as error:
            # The value itself may be a passphrase: it is never repeated.
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "request"
            self.refuse(400, ValueError(f"{place}: {first['msg']}"))
        except FairnbError as error:
            self.refuse(429 if error.code == "too-many-jobs" else 400, error)
        else:
            self.set_status(202)
            self.finish(json.dumps(job.to_json()))


class JobHandler(_Handler):
    """Look at a job, or stop it."""

    @authenticated
    @authorized
    def get(self, identity: str) -> None:
        job = self.jobs.get(identity)
        if job is None:
            raise HTTPError(404, "there is no such job")
        self.finish(json.dumps(job.to_json()))

    @authenticated
    @authorized
    async def delete(self, identity: str) -> None:
        job = await self.jobs.cancel(identity)
        if job is None:
            raise HTTPError(404, "there is no such job")
        self.finish(json.dumps(job.to_json()))


def add_handlers(server: Any) -> None:
    """Add the handlers to a Jupyter server, below its base URL."""
    root = Path(server.root_dir)
    jobs = Jobs(os.environ, root)
    atexit.register(jobs.kill)
    base = url_path_join(server.web_app.settings["base_url"], "fairnb")
    kinds = "|".join(REQUESTS)
    given = {"jobs": jobs, "root": root, "kernels": {}}
    server.web_app.add_handlers(
        ".*$",
        [
            (url_path_join(base, "known"), KnownHandler, given),
            (url_path_join(base, f"jobs/({kinds})"), StartHandler, given),
            (url_path_join(base, r"job/([\w-]+)"), JobHandler, given),
        ],
    )
