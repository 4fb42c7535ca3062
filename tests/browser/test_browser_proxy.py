"""JupyterLab below a base URL and behind a reverse proxy that puts its own Host in place of the browser's."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser_steps import (
    LONG,
    PASSPHRASE,
    cell_at,
    command,
    confusion,
    counts,
    drawn,
    export,
    exported,
    move_threshold,
    quiet,
    ready,
    redrawn,
    said,
    saved,
    settled,
    states,
    verify,
    write_case,
)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1200)]

# As a hub names the server of ada@bakery.
BASE = "/user/ada%40bakery/"
SECTIONS = ("engagement", "system", "technical_performance", "conclusion")
_HOPS = {"connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"}
"""Headers that are of one connection only."""


@dataclasses.dataclass
class Proxy:
    """A reverse proxy in a thread of its own."""

    address: str = ""
    """Scheme, host and port under which it is reached."""
    upstream: str = ""
    """Host and port that it asks."""
    asked: list[str] = dataclasses.field(default_factory=list)
    """Paths of requests."""
    sockets: list[str] = dataclasses.field(default_factory=list)
    """Paths of websockets."""


def forwarding(proxy: Proxy) -> Any:
    """The handler that passes on every request, and both directions of a websocket."""
    from tornado.httpclient import AsyncHTTPClient, HTTPRequest
    from tornado.httputil import HTTPHeaders
    from tornado.websocket import WebSocketClosedError, WebSocketHandler, websocket_connect

    class Forward(WebSocketHandler):
        def headers(self) -> HTTPHeaders:
            kept = HTTPHeaders()
            for name, value in self.request.headers.get_all():
                if name.lower() not in {"host", *_HOPS} and not name.lower().startswith("sec-websocket"):
                    kept.add(name, value)
            kept["Host"] = proxy.upstream
            kept["X-Forwarded-Host"] = self.request.host
            kept["X-Forwarded-Proto"] = "http"
            kept["X-Forwarded-For"] = kept["X-Real-IP"] = str(self.request.remote_ip)
            return kept

        async def pass_on(self, *_: str) -> None:
            proxy.asked.append(self.request.path)
            answer = await AsyncHTTPClient().fetch(
                HTTPRequest(
                    f"http://{proxy.upstream}{self.request.uri}",
                    method=str(self.request.method),
                    headers=self.headers(),
                    body=self.request.body or None,
                    allow_nonstandard_methods=True,
                    follow_redirects=False,
                    decompress_response=False,
                    request_timeout=600,
                ),
                raise_error=False,
            )
            self.set_status(answer.code, answer.reason)
            for name in ("Content-Type", "Date", "Server"):
                self.clear_header(name)
            for name, value in answer.headers.get_all():
                if name.lower() not in _HOPS:
                    self.add_header(name, value)
            await self.finish(answer.body or None)

        async def get(self, *args: str) -> None:
            if self.request.headers.get("Upgrade", "").lower() == "websocket":
                await super().get(*args)
            else:
                await self.pass_on()

        head = post = put = patch = delete = options = pass_on

        def check_xsrf_cookie(self) -> None:
            """Left to the server."""

        def check_origin(self, origin: str) -> bool:
            return True

        def select_subprotocol(self, subprotocols: list[str]) -> str | None:
            return subprotocols[0] if subprotocols else None

        async def open(self, *_: str) -> None:
            proxy.sockets.append(self.request.path)
            chosen = self.selected_subprotocol
            self.server = await websocket_connect(
                HTTPRequest(f"ws://{proxy.upstream}{self.request.uri}", headers=self.headers()),
                subprotocols=[chosen] if chosen else None,
                max_message_size=1 << 28,
            )
            self.reading = asyncio.ensure_future(self.read())

        async def read(self) -> None:
            try:
                while (message := await self.server.read_message()) is not None:
                    await self.write_message(message, binary=isinstance(message, bytes))
            except WebSocketClosedError:
                pass
            self.close()

        async def on_message(self, message: str | bytes) -> None:
            await self.server.write_message(message, binary=isinstance(message, bytes))

        def on_close(self) -> None:
            if hasattr(self, "server"):
                self.server.close()

    return Forward


@pytest.fixture(scope="module")
def proxy() -> Iterator[Proxy]:
    """A running proxy, whose upstream is still to be named."""
    pytest.importorskip("tornado")
    from tornado.httpclient import AsyncHTTPClient
    from tornado.httpserver import HTTPServer
    from tornado.testing import bind_unused_port
    from tornado.web import Application

    made = Proxy()
    started, loops = threading.Event(), []
    ended: list[asyncio.Event] = []

    async def serve() -> None:
        AsyncHTTPClient.configure(None, max_clients=100, max_body_size=1 << 28)
        site = Application([(r".*", forwarding(made))], websocket_max_message_size=1 << 28)
        server = HTTPServer(site, max_body_size=1 << 28)
        socket, port = bind_unused_port()
        server.add_socket(socket)
        made.address = f"http://127.0.0.1:{port}"
        loops.append(asyncio.get_running_loop())
        ended.append(asyncio.Event())
        started.set()
        await ended[0].wait()
        server.stop()
        await server.close_all_connections()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert started.wait(60)
    yield made
    loops[0].call_soon_threadsafe(ended[0].set)
    thread.join(30)


@pytest.fixture(scope="module")
def proxied(proxy: Proxy, serve: Callable[..., Any]) -> Any:
    """A server below a base URL, as it is seen through the proxy."""
    options = (f"--ServerApp.allow_origin={proxy.address}", "--ServerApp.trust_xheaders=True")
    server = serve(base_url=BASE, options=options)
    proxy.upstream = urlsplit(server.address).netloc
    return dataclasses.replace(server, address=f"{proxy.address}{BASE}")


def test_all_of_it_works_below_a_base_url_and_behind_a_proxy(
    proxied: Any, proxy: Proxy, open_lab: Callable[..., Any]
) -> None:
    from fairnb.report import new_identity

    assert proxy.upstream not in proxied.address
    folder: Path = proxied.root / "case"
    answers = write_case(folder, *(f'case.section("{name}")' for name in SECTIONS))
    new_identity(folder / "me.p12", name="A. Example", passphrase=PASSPHRASE)
    page = open_lab("case/assessment.ipynb", at=proxied)
    assert urlsplit(page.url).netloc == urlsplit(proxy.address).netloc
    ready(page)
    page.wait_for_selector(".fairnb-Section-dot[data-state='not run']", timeout=LONG)
    page.click(".fairnb-Panel-toolbar :text('Run All')")
    settled(page)
    assert set(states(page).values()) == {"fresh"}
    page.wait_for_selector(".fairnb-Panel-foot:has-text('in kernel')", timeout=LONG)

    cell = cell_at(page, 3)
    assert counts(cell, 0.5) == confusion(answers, 0.5)
    pictures = drawn(cell)
    move_threshold(cell, 0.7)
    assert counts(cell, 0.7) == confusion(answers, 0.7)
    redrawn(page, pictures)
    said(cell, "Fresh")
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", timeout=LONG)
    page.click(".fairnb-Panel-toolbar :text('Run Stale')")
    page.wait_for_selector(".fairnb-Section-dot[data-state='stale']", state="detached", timeout=LONG)
    settled(page)
    command(page, "docmanager:save")
    kept = saved(folder / "assessment.ipynb")["technical_performance"]
    assert kept["parameters"]["threshold"] == 0.7

    export(page, identity="case/me.p12", passphrase=PASSPHRASE)
    assert "signed" in exported(page)
    page.click(".Toastify__toast--success button:has-text('Open PDF')")
    page.wait_for_selector(".lm-TabBar-tab:has-text('audit.pdf')")
    page.wait_for_selector(".jp-DirListing-item:has-text('audit.pdf')")
    assert "A. Example" in verify(page, "audit.pdf").inner_text()
    page.click(".jp-Dialog button:has-text('Close')")

    quiet(page)
    assert [path for path in proxy.asked if not path.startswith(BASE)] == []
    assert {f"{BASE}fairnb/known", f"{BASE}fairnb/jobs/export"} <= set(proxy.asked)
    assert any("/channels" in path for path in proxy.sockets)
