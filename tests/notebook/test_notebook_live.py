"""Controls in a real kernel, with and without subshells, and cells run by programs."""

from __future__ import annotations

import json
import os
import time
from ast import literal_eval
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from fairnb.case import BUNDLE, CONTROLS, load_case
from fairnb.notebook._kernel import kernel_manager

SYSTEM = """
import time
from pathlib import Path

def score(texts):
    with Path("asked.txt").open("a") as file:
        file.write(f"{len(texts)}\\n")
    time.sleep(0.4)
    return [[0.8 if "silly" in text else 0.1] for text in texts]
"""
TABLE = 'python = "slow:score"\nversion = "1"\nbatch_size = 10'
_PATIENCE = 60.0


class Kernel:
    """A kernel as a front end sees it."""

    def __init__(self, folder: Path, scratch: Path, environment: dict[str, str]) -> None:
        spec = kernel_manager(scratch)._kernel_spec
        self.manager = KernelManager(kernel_name="python3")
        self.manager._kernel_spec = spec
        self.manager.start_kernel(cwd=str(folder), env=environment)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=_PATIENCE)
        self.messages: list[dict[str, Any]] = []
        self.subshell: str | None = None

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def has_subshells(self) -> bool:
        """Ask for a subshell, as JupyterLab does for the messages of widgets."""
        info = self.client.kernel_info(reply=True, timeout=_PATIENCE)["content"]
        if "kernel subshells" not in info.get("supported_features", []):
            return False
        message = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(message)
        self.subshell = self.client.get_control_msg(timeout=_PATIENCE)["content"]["subshell_id"]
        return True

    def begin(self, code: str) -> str:
        """Start a cell without waiting for it."""
        return str(self.client.execute(code, allow_stdin=True))

    def begin_cell(self, cell: str, code: str) -> str:
        """Start a cell as JupyterLab does, which says whose code it is."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": True}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": cell})
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def run(self, code: str, *, allow_stdin: bool = True) -> str:
        """Run a cell; returns what it printed."""
        asked = self.client.execute(code, allow_stdin=allow_stdin)
        return self.ended(asked)

    def ended(self, asked: str) -> str:
        """Read until a cell has ended; returns what it printed."""
        self.until(
            lambda message: _is(message, asked, "status") and message["content"]["execution_state"] == "idle"
        )
        own = [message for message in self.messages if message["parent_header"].get("msg_id") == asked]
        errors = [message["content"]["evalue"] for message in own if message["msg_type"] == "error"]
        assert not errors, errors
        return "".join(m["content"]["text"] for m in own if m["msg_type"] == "stream")

    def until(self, seen: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read what the kernel publishes until one message is the one."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            message = self.client.get_iopub_msg(timeout=_PATIENCE)
            self.messages.append(message)
            if seen(message):
                return message
        raise AssertionError("the kernel did not say it")

    def send(self, widget: str, data: dict[str, Any]) -> None:
        """Send what a front end does when a person moves or presses something."""
        content = {"comm_id": widget, "data": data}
        message = self.client.session.msg("comm_msg", content)
        if self.subshell is not None:
            message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)

    def set(self, widget: str, **state: Any) -> None:
        self.send(widget, {"method": "update", "state": state, "buffer_paths": []})

    def press(self, widget: str) -> None:
        self.send(widget, {"method": "custom", "content": {"event": "click"}})

    def results(self) -> list[list[dict[str, Any]]]:
        """Every result shown so far, first or updated."""
        kinds = ("display_data", "update_display_data")
        return [
            message["content"]["data"][BUNDLE]
            for message in self.messages
            if message["msg_type"] in kinds and BUNDLE in message["content"]["data"]
        ]


def _is(message: dict[str, Any], asked: str, kind: str) -> bool:
    return bool(message["msg_type"] == kind and message["parent_header"].get("msg_id") == asked)


def _updates(message: dict[str, Any]) -> bool:
    return bool(message["msg_type"] == "update_display_data" and BUNDLE in message["content"]["data"])


def _tells(message: dict[str, Any]) -> bool:
    """Whether an output says why there is no result."""
    return "state" in message["content"].get("data", {}).get(CONTROLS, {})


def _states(words: str) -> Callable[[dict[str, Any]], bool]:
    def seen(message: dict[str, Any]) -> bool:
        state = (
            message["content"].get("data", {}).get("state", {}) if message["msg_type"] == "comm_msg" else {}
        )
        return words in str(state.get("value", ""))

    return seen


@pytest.fixture
def kernel(small: Callable[..., Path], tmp_path: Path) -> Iterator[Callable[..., Kernel]]:
    """Start a kernel in a case folder whose system takes 0.4 s for ten texts."""
    made: list[Kernel] = []

    def start(**variables: str) -> Kernel:
        folder = small(system=TABLE)
        (folder / "slow.py").write_text(SYSTEM)
        environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), **variables}
        one = Kernel(folder, tmp_path, environment)
        made.append(one)
        one.run("import fairnb; case = fairnb.open('.')")
        return one

    yield start
    for one in made:
        one.close()


IDS = """
controls = case._controls["technical_performance"]
print(controls._controls["threshold"].input.model_id, controls._line.stop.model_id, controls._line.run.model_id)
"""


@pytest.mark.parametrize("subshells", [True, False])
def test_a_threshold_moved_by_a_message_replaces_the_output(
    kernel: Callable[..., Kernel], subshells: bool
) -> None:
    one = kernel()
    if subshells and not one.has_subshells():
        pytest.skip("this ipykernel has no subshells")
    one.run('case.section("technical_performance")')
    slider, _, _ = one.run(IDS).split()
    one.set(slider, value=0.9)
    shown = one.until(_updates)["content"]
    assert shown["transient"]["display_id"].startswith("fairnb-technical_performance-")
    assert shown["data"][BUNDLE][0]["content"]["parameters"]["threshold"] == 0.9
    assert [len(result) for result in one.results()] == [1, 1]


def test_stop_is_heard_on_a_subshell_while_the_cell_runs(kernel: Callable[..., Kernel]) -> None:
    one = kernel()
    if not one.has_subshells():
        pytest.skip("this ipykernel has no subshells")
    cell = one.begin('case.section("technical_performance")')
    one.until(_states("10 of 60"))
    opened = [m["content"] for m in one.messages if m["msg_type"] == "comm_open"]
    button = next(c["comm_id"] for c in opened if c["data"]["state"].get("description") == "Stop")
    one.press(button)
    one.ended(cell)
    assert one.results() == []
    assert any(_states("scored; Run continues")(message) for message in one.messages)
    one.run('case.section("technical_performance")')
    assert len(one.results()) == 1


def test_a_front_ends_stop_ends_the_cell_at_hand_and_lets_go_what_waits_behind_it(
    kernel: Callable[..., Kernel],
) -> None:
    one = kernel()
    if not one.has_subshells():
        pytest.skip("this ipykernel has no subshells")
    cell = one.begin('case.section("technical_performance")')
    behind = one.begin("from pathlib import Path; Path('behind').touch()")
    one.until(_states("10 of 60"))
    content = {"comm_id": "a-front-end", "target_name": "fairnb", "data": {"ask": "stop"}}
    message = one.client.session.msg("comm_open", content)
    message["header"]["subshell_id"] = one.subshell
    one.client.shell_channel.send(message)
    answer = one.until(lambda sent: sent["content"].get("comm_id") == "a-front-end")
    assert answer["content"]["data"] == {"cell": True}
    replies = {}
    while behind not in replies:
        reply = one.client.get_shell_msg(timeout=_PATIENCE)
        replies[reply["parent_header"]["msg_id"]] = reply["content"]["status"]
    assert (replies[cell], replies[behind]) == ("error", "aborted")
    # The section's output says that it was stopped; there is no traceback.
    one.run("import os; assert not os.path.exists('behind')")
    assert [sent for sent in one.messages if sent["msg_type"] == "error"] == []
    told = [sent["content"]["data"][CONTROLS] for sent in one.messages if _tells(sent)]
    assert [(said["section"], said["state"]) for said in told] == [("technical_performance", "stopped")]
    one.run('case.section("technical_performance")')
    assert len(one.results()) == 1


def test_an_interrupt_is_a_stop_of_the_whole_run(kernel: Callable[..., Kernel]) -> None:
    one = kernel()
    cell = one.begin('case.section("technical_performance")')
    one.until(_states("10 of 60"))
    one.manager.interrupt_kernel()
    one.ended(cell)
    assert [sent["content"]["data"][CONTROLS]["state"] for sent in one.messages if _tells(sent)] == [
        "stopped"
    ]


def test_an_output_that_controls_replace_carries_its_id_and_one_of_a_program_does_not(
    kernel: Callable[..., Kernel],
) -> None:
    one = kernel()
    one.run('case.section("technical_performance")')
    one.run('case.section("technical_performance")', allow_stdin=False)
    live, plain = (m["content"] for m in one.messages if BUNDLE in m["content"].get("data", {}))
    assert live["metadata"] == {"fairnb": {"display": live["transient"]["display_id"]}}
    assert plain["metadata"] == {}


@pytest.mark.parametrize("subshells", [True, False])
def test_stop_is_heard_while_a_run_goes_on_that_a_control_asked_for(
    kernel: Callable[..., Kernel], subshells: bool
) -> None:
    one = kernel()
    if subshells and not one.has_subshells():
        pytest.skip("this ipykernel has no subshells")
    one.run('case.section("technical_performance")')
    _, stop, run = one.run(IDS).split()
    # Another version of the system: nothing is scored yet.
    one.run("from pathlib import Path; p = Path('assessment.toml'); "
            "p.write_text(p.read_text().replace('version = \"1\"', 'version = \"2\"'))")  # fmt: skip
    one.press(run)
    one.until(_states("10 of 60"))
    one.press(stop)
    one.until(_states("scored; Run continues"))
    one.press(run)
    one.until(_updates)
    asked = list(map(int, one.run("print(Path('asked.txt').read_text())").split()))
    # All 60 for the first version and all 60 for the second: none was scored twice.
    assert sum(asked) == 120


def test_a_control_and_a_cell_at_once_leave_what_is_shown_and_what_is_logged_the_same(
    kernel: Callable[..., Kernel],
) -> None:
    one = kernel()
    one.has_subshells()
    one.run('case.section("technical_performance")')
    slider, _, _ = one.run(IDS).split()
    for step in range(6):
        one.set(slider, value=0.6 + step / 20)
        params = {"bins": 12 + step}
        one.run(f"case.case.run_all('technical_performance', params={params}, origin='notebook'); None")
    one.run("assert case.worker.wait(60)")
    folder = Path(one.run("import os; print(os.getcwd())").strip())
    log = load_case(folder).log
    assert [entry["n"] for entry in log] == list(range(1, len(log) + 1))
    runs = [entry for entry in log if entry["event"] in ("run", "replay")]
    digests = {entry["content_sha256"] for entry in runs}
    assert {payload["content_sha256"] for shown in one.results() for payload in shown} <= digests


def test_a_program_that_cannot_ask_gets_the_result_alone(kernel: Callable[..., Kernel]) -> None:
    one = kernel()
    one.run('case.section("technical_performance")', allow_stdin=False)
    assert len(one.results()) == 1
    assert not [message for message in one.messages if message["msg_type"] == "comm_open"]


def test_nbconvert_executes_without_waiting_for_anyone_and_shows_each_result_once(
    small: Callable[..., Path],
) -> None:
    nbconvert = pytest.importorskip("nbconvert.preprocessors")
    import nbformat

    folder = small('import fairnb\ncase = fairnb.open(".")', 'case.section("technical_performance")')
    notebook = nbformat.read(folder / "assessment.ipynb", as_version=4)
    nbconvert.ExecutePreprocessor(timeout=120).preprocess(notebook, {"metadata": {"path": str(folder)}})
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    assert [sorted(output.data) for output in outputs] == [
        sorted([BUNDLE, "image/svg+xml", "text/html", "text/plain"])
    ]
    assert "model not found" not in json.dumps(notebook)


def test_controls_of_two_cases_stand_in_two_cells_and_a_cell_that_runs_again_replaces_its_own(
    kernel: Callable[..., Kernel],
) -> None:
    one = kernel()
    one.run(
        "import shutil\n"
        "for name in 'bcd':\n"
        "    shutil.copytree('.', f'../{name}', dirs_exist_ok=True)\n"
        "shown = {}\n"
        "def show(name):\n"
        "    other = fairnb.open(f'../{name}')\n"
        "    other.section('technical_performance')\n"
        "    shown[name] = other._controls['technical_performance']\n"
    )
    one.ended(one.begin_cell("first", "show('b')"))
    one.ended(one.begin_cell("second", "show('c')"))
    told = "print([(name, one.retired, one.retired or one.panel.model_id) for name, one in shown.items()])"
    (_, first_retired, first), (_, second_retired, second) = literal_eval(one.run(told))
    assert (first_retired, second_retired) == (False, False)
    assert first == "fairnb-controls-technical_performance"
    assert second != first
    one.ended(one.begin_cell("second", "show('d')"))
    assert [retired for _, retired, _ in literal_eval(one.run(told))] == [False, True, False]
