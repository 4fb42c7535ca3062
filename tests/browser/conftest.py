"""A real JupyterLab of this environment, and a real browser that notes what goes wrong in it.

`lab` starts one server for all tests of the session, `serve` others that a module needs; `open_lab` opens pages
on them, each in a browser profile of its own, whose `watch` holds the console's errors and every request that
left the server. What a person does on a page is in browser_steps.py.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

pytest.register_assert_rewrite("browser_steps")
CHROMIUM = os.environ.get("FAIRNB_TEST_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_THEMES = "@jupyterlab/apputils-extension:themes"
_PATIENCE = 90.0
"""Seconds a server may take to answer: the machine may be busy."""


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab server."""

    address: str
    """Such as ``http://127.0.0.1:8899/base/``; ends in a slash."""
    token: str
    root: Path
    """Folder that the server shows; tests make their cases in folders of their own below it."""
    home: Path
    """What FAIRNB_HOME is for its kernels."""

    def url(self, path: str = "", *, workspace: str = "", front: str = "lab") -> str:
        """Address of Lab, or of a file below `root` opened in it or in Jupyter Notebook."""
        if front == "notebooks":
            return f"{self.address}notebooks/{quote(path)}?token={self.token}"
        place = f"lab/workspaces/{workspace}" if workspace else "lab"
        tree = f"/tree/{quote(path)}" if path else ""
        return f"{self.address}{place}{tree}?token={self.token}&reset"

    def request(self, path: str, *, method: str = "GET", body: Any = None, token: str | None = None) -> Any:
        """Ask the server's own interface; returns parsed JSON (None if the answer is empty)."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        sent = self.token if token is None else token
        if sent:
            headers["Authorization"] = f"token {sent}"
        asked = urllib.request.Request(self.address + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(asked, timeout=30) as answer:
            said = answer.read()
        return json.loads(said) if said else None

    def stop_kernels(self) -> None:
        """End every kernel, so that one test's do not slow the next."""
        for session in self.request("api/sessions"):
            self.request(f"api/sessions/{session['id']}", method="DELETE")


@dataclass
class Watch:
    """What a page did that it should not have."""

    lab: Lab
    errors: list[str] = field(default_factory=list)
    """Console errors and uncaught exceptions."""
    outside: list[str] = field(default_factory=list)
    """Addresses of requests to any other server."""
    dialogs: list[str] = field(default_factory=list)
    """Messages of alert() and its like: what a hostile text would call."""

    def listen(self, page: Any) -> None:
        """Attach to a page."""
        home = urlsplit(self.lab.address).netloc

        def on_console(message: Any) -> None:
            if message.type == "error":
                self.errors.append(f"{message.text} ({message.location.get('url', '')})")

        def on_request(request: Any) -> None:
            parts = urlsplit(request.url)
            if parts.scheme not in ("data", "blob", "about") and parts.netloc != home:
                self.outside.append(request.url)

        def on_dialog(dialog: Any) -> None:
            self.dialogs.append(dialog.message)
            dialog.dismiss()

        page.on("console", on_console)
        page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        page.on("request", on_request)
        page.on("dialog", on_dialog)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def start_lab(
    root: Path,
    below: Path,
    *,
    python: str = sys.executable,
    options: tuple[str, ...] = (),
    base_url: str = "/",
    environment: dict[str, str] | None = None,
    disabled: tuple[str, ...] = (),
) -> tuple[Lab, subprocess.Popen[bytes]]:
    """Start JupyterLab; the caller ends the process.

    Parameters
    ----------
    root : Path
        Folder that it shows.
    below : Path
        Folder in which its settings, data and log are kept, away from the user's own.
    python : str
        Interpreter whose JupyterLab is started.
    options : tuple of str
        Further command-line options.
    base_url : str
        Path below which everything is served.
    environment : dict, optional
        Variables to add.
    disabled : tuple of str
        Extensions of JupyterLab that are switched off.
    """
    config, home = below / "config", below / "fairnb-home"
    (config / "labconfig").mkdir(parents=True, exist_ok=True)
    home.mkdir(exist_ok=True)
    off = [
        "@jupyterlab/apputils-extension:announcements",
        "@jupyterlab/extensionmanager-extension",
        *disabled,
    ]
    (config / "labconfig" / "page_config.json").write_text(
        json.dumps({"disabledExtensions": dict.fromkeys(off, True)})
    )
    port, token = free_port(), secrets.token_hex(16)
    variables = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_DATA_DIR": str(below / "data"),
        "JUPYTER_RUNTIME_DIR": str(below / "runtime"),
        "IPYTHONDIR": str(below / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(below / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(below / "workspaces"),
        "FAIRNB_HOME": str(home),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **(environment or {}),
    }
    command = [
        python,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--ServerApp.allow_root=True",
        "--expose-app-in-browser",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={root}",
        f"--ServerApp.base_url={base_url}",
        f"--IdentityProvider.token={token}",
        *options,
    ]
    log = below / "server.log"
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, env=variables, cwd=root)
    lab = Lab(f"http://127.0.0.1:{port}{base_url}", token, root, home)
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            lab.request("api/status")
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return lab, process
    stop(process)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a server and wait for it."""
    process.terminate()
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def lab_options() -> tuple[str, ...]:
    """Further options of the session's server; a module with needs of its own starts its own server."""
    return ()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory, lab_options: tuple[str, ...]) -> Iterator[Lab]:
    """The session's JupyterLab."""
    pytest.importorskip("jupyterlab")
    below = tmp_path_factory.mktemp("lab")
    root = below / "root"
    root.mkdir()
    made, process = start_lab(root, below, options=lab_options)
    yield made
    stop(process)


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Lab]]:
    """Start a server of a module's own, with the options of `start_lab`; it ends with the module."""
    pytest.importorskip("jupyterlab")
    started: list[subprocess.Popen[bytes]] = []

    def start(**options: Any) -> Lab:
        below = tmp_path_factory.mktemp("own")
        root = below / "root"
        root.mkdir()
        made, process = start_lab(root, below, **options)
        started.append(process)
        return made

    yield start
    for process in started:
        stop(process)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium of the system.

    Of a module only: while Playwright is open, its event loop runs in this thread, and other modules need
    loops of their own.
    """
    api = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).is_file():
        pytest.skip("there is no Chromium (set FAIRNB_TEST_CHROMIUM to its program)")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_lab(lab: Lab, browser: Any) -> Iterator[Callable[..., Any]]:
    """Open JupyterLab on a file below the server's root; returns the page, whose `watch` notes its faults.

    With `dark` the page is in the dark theme; with `at` it is of another server than the session's; with
    `front` "notebooks" the file is opened in Jupyter Notebook. Each page has a profile of its own; at the end
    all pages are closed and all kernels ended.
    """
    contexts: list[Any] = []
    servers = [lab]

    def open_page(
        path: str = "",
        *,
        dark: bool = False,
        width: int = 1280,
        height: int = 900,
        at: Lab | None = None,
        front: str = "lab",
    ) -> Any:
        server = at or lab
        servers.append(server)
        # By its settings, before the page is there: a theme changed while Lab starts is an error of its own.
        theme = json.dumps({"theme": "JupyterLab Dark" if dark else "JupyterLab Light"})
        server.request(f"lab/api/settings/{_THEMES}", method="PUT", body={"raw": theme})
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        # A click may wait as long as what it waits for: the machine may be busy.
        context.set_default_timeout(1000 * _PATIENCE)
        page = context.new_page()
        page.watch = Watch(server)
        page.watch.listen(page)
        page.goto(server.url(path, front=front), wait_until="domcontentloaded")
        page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=60_000)
        page.wait_for_function("() => window.jupyterapp && window.jupyterapp.shell", timeout=60_000)
        page.wait_for_selector(f"body[data-jp-theme-light='{str(not dark).lower()}']", state="attached")
        if path.endswith(".ipynb"):
            page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    for server in {server.address: server for server in servers}.values():
        server.stop_kernels()
