"""A real Jupyter server with the extension, below a base URL."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Server:
    """A running server."""

    address: str
    token: str
    root: Path
    log: Path

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: Any = None,
        headers: dict[str, str] | None = None,
        authenticated: bool = True,
    ) -> tuple[int, Any]:
        """Status and parsed answer of one request."""
        sent = dict(headers or {})
        if authenticated:
            sent["Authorization"] = f"token {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.address}fairnb/{path}", data=data, headers=sent, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            said = error.read()
            try:
                return error.code, json.loads(said)
            except ValueError:
                return error.code, said.decode("utf-8", "replace")

    def job(self, kind: str, **body: Any) -> dict[str, Any]:
        """Start a job and wait for its end."""
        status, job = self.ask(f"jobs/{kind}", method="POST", body=body)
        assert status == 202, job
        end = time.monotonic() + 120
        while job["state"] == "running" and time.monotonic() < end:
            time.sleep(0.1)
            _, job = self.ask(f"job/{job['id']}")
        return dict(job)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("jupyter_server")
    below = tmp_path_factory.mktemp("server")
    root = below / "root"
    root.mkdir()
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    token = secrets.token_hex(16)
    log = below / "log.txt"
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", "--debug"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--ServerApp.base_url=/base/"]
    command += [f"--ServerApp.root_dir={root}", f"--IdentityProvider.token={token}"]
    command += ["--ServerApp.jpserver_extensions={'fairnb.lab': True}"]
    folders = ("config", "data", "runtime", "ipython")
    environment = {**os.environ, "FAIRNB_HOME": str(below / "home")}
    for name, folder in zip(
        ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"), folders, strict=True
    ):
        environment[name] = str(below / folder)
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, env=environment, cwd=root)
    made = Server(f"http://127.0.0.1:{port}/base/", token, root, log)
    end = time.monotonic() + 60
    try:
        while True:
            try:
                if made.ask("known")[0] == 200:
                    break
            except (urllib.error.URLError, OSError):
                pass
            if time.monotonic() > end or process.poll() is not None:
                pytest.fail(f"the server did not start:\n{log.read_text('utf-8', 'replace')[-3000:]}")
            time.sleep(0.1)
        yield made
    finally:
        process.terminate()
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
