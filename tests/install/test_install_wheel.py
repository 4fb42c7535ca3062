"""The wheel carries what it needs, and the demo runs from it in an empty folder."""

from __future__ import annotations

import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]

# A fresh environment takes minutes on a busy machine.
pytestmark = pytest.mark.timeout(1800)


def test_the_wheel_carries_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    carried = {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if not name.partition("/")[0].endswith((".dist-info", ".data"))
    }
    places = {"fairnb": "fairnb", "notebooks": "fairnb/_shared/notebooks"}
    places["report_templates"] = "fairnb/_shared/report_templates"
    wanted = {
        f"{place}/{path.relative_to(CHECKOUT / folder).as_posix()}"
        for folder, place in places.items()
        for path in (CHECKOUT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    assert carried == wanted


def test_the_wheel_carries_the_built_extension_where_jupyterlab_looks(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    carried = {name.partition(".data/data/")[2] for name in names if ".data/data/" in name}
    place = "share/jupyter/labextensions/fairnb-labextension"
    built = CHECKOUT / "labextension" / "build" / "fairnb-labextension"
    wanted = {f"{place}/{path.relative_to(built).as_posix()}" for path in built.rglob("*") if path.is_file()}
    assert carried == wanted | {"etc/jupyter/jupyter_server_config.d/fairnb.json"}
    assert f"{place}/package.json" in carried
    assert any("remoteEntry" in name for name in carried)


def test_the_extension_and_the_package_have_one_version() -> None:
    package = json.loads((CHECKOUT / "labextension" / "package.json").read_text("utf-8"))
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert package["version"] == project["version"]


def test_the_wheel_declares_what_the_project_file_says(wheel: Path) -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    with zipfile.ZipFile(wheel) as archive:
        (folder,) = {name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        metadata = archive.read(f"{folder}/METADATA").decode()
        points = archive.read(f"{folder}/entry_points.txt").decode()
        assert f"{folder}/licenses/LICENSE" in archive.namelist()
    assert f"Version: {project['version']}" in metadata
    for extra in project["optional-dependencies"]:
        assert f"Provides-Extra: {extra}" in metadata
    assert f"fairnb = {project['scripts']['fairnb']}" in points
    assert "audit_pdf = " in points


@pytest.mark.slow
def test_the_demo_leaves_signed_documents_and_says_where(demonstrated: Any) -> None:
    for name in (
        "assessment.toml",
        "assessment.ipynb",
        "audit.html",
        "audit.html.p7s",
        "audit.pdf",
        "evidence.json",
    ):
        path = demonstrated.one(name)
        assert path.stat().st_size > 0
        if name.startswith("a"):
            assert name in demonstrated.said


@pytest.mark.slow
def test_jupyterlab_loads_the_extension_from_the_wheel_without_a_node(
    install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = install(sys.executable, "binder.txt")
    assert not list(environment.folder.glob("bin/node*"))
    monkeypatch.setenv("PATH", "/nowhere")
    for verb, words in (
        (("labextension", "list"), "fairnb-labextension v0.1.0 enabled OK"),
        (("server", "extension", "list"), "fairnb.lab OK"),
    ):
        ran = environment.run("jupyter", *verb, cwd=tmp_path)
        told = re.sub(r"\x1b\[\d*m", "", ran.stdout + ran.stderr)
        assert words in [" ".join(line.split()) for line in told.splitlines()], told


@pytest.mark.slow
@pytest.mark.parametrize("document", ["audit.pdf", "audit.html"])
def test_the_demo_verifies_with_the_certificate_beside_it(demonstrated: Any, document: str) -> None:
    arguments = ("verify", demonstrated.one(document), "--trust", demonstrated.one("*.pem"), "--json")
    ran = demonstrated.environment.run("fairnb", *arguments, cwd=demonstrated.folder)
    status = json.loads(ran.stdout)
    assert status["intact"]
    assert status["trusted"]


@pytest.mark.slow
def test_nothing_is_written_outside_the_case_and_the_users_folders(demonstrated: Any) -> None:
    assert [path.name for path in demonstrated.folder.iterdir()] == ["case"]


@pytest.mark.slow
def test_jupyter_finds_the_exporters(demonstrated: Any) -> None:
    program = "from nbconvert.exporters import get_export_names as names; print(*names())"
    ran = demonstrated.environment.run("python", "-c", program, cwd=demonstrated.folder)
    assert {"audit_html", "audit_pdf"} <= set(ran.stdout.split())
