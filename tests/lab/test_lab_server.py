"""The handlers, asked over HTTP in a real Jupyter server below a base URL."""

from __future__ import annotations

import json
import sysconfig
import urllib.request
import venv
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest

import fairnb
from fairnb.sections import section_ids

ROUTES = [
    ("known", "GET", None),
    ("jobs/new", "POST", {"folder": "x"}),
    ("jobs/verify", "POST", {"path": "x.pdf"}),
    ("jobs/export", "POST", {"path": "x.ipynb", "formats": ["pdf"]}),
    ("jobs/plan", "POST", {"path": "x.ipynb"}),
    ("job/abc", "GET", None),
    ("job/abc", "DELETE", None),
]


@pytest.mark.parametrize(("path", "method", "body"), ROUTES)
def test_nobody_gets_an_answer_without_the_token(server: Any, path: str, method: str, body: Any) -> None:
    status, said = server.ask(path, method=method, body=body, authenticated=False)
    assert status == 403
    assert "version" not in json.dumps(said)
    assert not (server.root / "x").exists()


def test_a_page_of_another_site_cannot_start_a_job_with_the_users_cookie(server: Any) -> None:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    opener.open(f"{server.address}?token={server.token}", timeout=30).read()
    with opener.open(f"{server.address}fairnb/known", timeout=30) as answer:
        assert answer.status == 200
    request = urllib.request.Request(
        f"{server.address}fairnb/jobs/new", data=b'{"folder": "forged"}', method="POST"
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        opener.open(request, timeout=30)
    assert refused.value.code == 403
    assert not (server.root / "forged").exists()


def test_what_is_known_is_told_with_the_version(server: Any) -> None:
    status, known = server.ask("known")
    assert status == 200
    assert known["version"] == fairnb.__version__
    assert [one["id"] for one in known["sections"]] == list(section_ids())
    assert len(known["requirements"]) == 7
    assert "toxic-comment-classifier" in {one["name"] for one in known["systems"]}
    assert "demo-test" in {one["name"] for one in known["corpora"]}


def test_a_case_is_made_below_the_root_and_not_twice(server: Any) -> None:
    job = server.job("new", folder="cases/one", title="A small case", level="third-party")
    assert job["state"] == "done", job
    text = (server.root / "cases/one/assessment.toml").read_text("utf-8")
    assert 'title = "A small case"' in text
    assert 'level = "third-party"' in text
    again = server.job("new", folder="cases/one")
    assert again["state"] == "failed"
    assert again["exit_code"] == 2
    assert again["problems"][0]["code"] == "case-exists"
    assert str(server.root) not in json.dumps(again)


@pytest.mark.parametrize("path", ["../secret.pdf", "link.pdf", ".hidden.pdf", "none.pdf"])
def test_a_path_that_leaves_the_root_is_refused_before_anything_runs(server: Any, path: str) -> None:
    (server.root.parent / "secret.pdf").write_bytes(b"%PDF")
    link = server.root / "link.pdf"
    if not link.is_symlink():
        link.symlink_to(server.root.parent / "secret.pdf")
    status, answer = server.ask("jobs/verify", method="POST", body={"path": path})
    assert status == 400
    assert set(answer) == {"message"}
    assert str(server.root.parent) not in answer["message"]


def test_a_file_that_is_no_document_is_answered_in_a_sentence(server: Any) -> None:
    (server.root / "letter.pdf").write_bytes(b"%PDF-1.7\nnot one of ours")
    job = server.job("verify", path="letter.pdf")
    assert job["state"] == "failed"
    assert job["exit_code"] in (1, 2)
    assert not [line for line in job["said"] if "Traceback" in line]


def test_a_plan_says_the_state_of_each_section(server: Any) -> None:
    folder = server.root / "planned"
    folder.mkdir()
    case = '[engagement]\ntitle = ""\nlevel = ""\nindependence = ""\nassessor = { name = "" }\n'
    case += '[system]\nscores = "score"\n[corpus.test]\npath = "rows.csv"\ntext = "text"\nlabel = "label"\n'
    (folder / "assessment.toml").write_text(case, "utf-8")
    (folder / "rows.csv").write_text("text,label,score\na,1,0.9\nb,0,0.1\n", "utf-8")
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cell |= {"source": 'case.section("technical_performance")'}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "assessment.ipynb").write_text(json.dumps(notebook), "utf-8")
    job = server.job("plan", path="planned/assessment.ipynb")
    assert job["result"] == {"sections": [{"section": "technical_performance", "state": "not run"}]}


def test_neither_answers_nor_the_log_repeat_a_passphrase(server: Any) -> None:
    folder = server.root / "signing"
    folder.mkdir()
    for name in ("assessment.ipynb", "me.p12"):
        (folder / name).write_bytes(b"")
    secret = "battery-staple"
    body = {"path": "signing/assessment.ipynb", "formats": ["pdf"], "identity": "signing/me.p12"}
    job = server.job("export", **body, passphrase=secret)
    assert job["state"] == "failed"
    status, refused = server.ask("jobs/export", method="POST", body={**body, "passphrase": secret * 100})
    assert status == 400
    assert secret not in json.dumps([job, refused])
    assert secret not in server.log.read_text("utf-8", "replace")


def _kernel(server: Any, name: str) -> str:
    request = urllib.request.Request(
        f"{server.address}api/kernels",
        data=json.dumps({"name": name}).encode(),
        headers={"Authorization": f"token {server.token}"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(json.loads(answer.read())["id"])


def _other_environment(server: Any, name: str) -> tuple[Path, Path]:
    """An environment that the server's kernels know, and a file where its interpreter says that it ran fairnb."""
    place = server.root.parent / name
    venv.create(place, with_pip=False)
    said = place / "ran.txt"
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    # All it lacks it takes from this environment, editable packages too.
    (packages / "borrowed.pth").write_text(
        f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    )
    (packages / "sitecustomize.py").write_text(
        "import pathlib, sys\n"
        "if 'fairnb' in sys.orig_argv:\n"
        f"    pathlib.Path({str(said)!r}).write_text(sys.executable)\n"
    )
    python = next(path for path in (place / "bin/python", place / "Scripts/python.exe") if path.exists())
    spec = server.root.parent / "data/kernels" / name
    spec.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(
        json.dumps({"argv": command, "display_name": name, "language": "python"})
    )
    return python, said


def test_the_kernels_own_interpreter_runs_the_job(server: Any) -> None:
    pytest.importorskip("ipykernel")
    (server.root / "other.pdf").write_bytes(b"%PDF")
    python, said = _other_environment(server, "elsewhere")
    assert server.job("verify", path="other.pdf")["state"] == "failed"
    assert not said.exists()
    job = server.job("verify", path="other.pdf", kernel=_kernel(server, "elsewhere"))
    assert job["exit_code"] == 1
    assert said.read_text() == str(python)
    gone = {"path": "other.pdf", "kernel": "no-such-kernel"}
    status, refused = server.ask("jobs/verify", method="POST", body=gone)
    assert status == 400
    assert "kernel" in refused["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b'{"path": 3}', b'{"path": "a", "more": 1}', b"\xff"])
def test_a_request_of_another_shape_is_refused(server: Any, body: bytes) -> None:
    request = urllib.request.Request(
        f"{server.address}fairnb/jobs/verify",
        data=body,
        headers={"Authorization": f"token {server.token}"},
        method="POST",
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    assert refused.value.code == 400


def test_a_huge_request_is_not_read(server: Any) -> None:
    status, _ = server.ask("jobs/verify", method="POST", body={"path": "x" * (1 << 17)})
    assert status == 413


def test_there_is_no_job_of_a_kind_that_is_not_known(server: Any) -> None:
    assert server.ask("jobs/shell", method="POST", body={})[0] == 404
    assert server.ask("job/none")[0] == 404
    assert server.ask("job/none", method="DELETE")[0] == 404


def test_the_extension_is_named_where_jupyter_server_looks() -> None:
    import fairnb.lab

    checkout = Path(fairnb.__file__).resolve().parents[1]
    config = json.loads((checkout / "labextension" / "jupyter_server_config.json").read_text("utf-8"))
    (point,) = fairnb.lab._jupyter_server_extension_points()
    assert config["ServerApp"]["jpserver_extensions"] == {point["module"]: True}
