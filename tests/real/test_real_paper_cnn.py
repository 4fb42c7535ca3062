"""The paper's own system on the real corpora: trained, saved, scored, and made a case of."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from sklearn.metrics import accuracy_score

from fairnb.files import templates
from fairnb.registry import fetch
from fairnb.system import SystemSpec, open_system, score_texts

pytestmark = pytest.mark.slow

SECONDS, CORES = 300, 2
"""The time it may take on a machine that does nothing else; measured as time of the processor."""


@dataclass(frozen=True)
class Training:
    """What the notebook left in a folder that held nothing else."""

    home: Path
    folder: Path
    printed: str
    seconds: float


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="module")
def trained(real_data, tmp_path_factory):
    home, folder = tmp_path_factory.mktemp("cnn-home"), tmp_path_factory.mktemp("cnn")
    notebook = nbformat.read(templates("notebooks") / "paper_cnn.ipynb", 4)
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(home))
        for name in ("paper-train", "paper-test"):
            fetch(name, real_data)
        before = processor_seconds()
        client.execute()
        seconds = processor_seconds() - before
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return Training(home, folder, "".join(output.get("text", "") for output in outputs), seconds)


@pytest.fixture(scope="module")
def scored(trained, split):
    """Labels and scores of the test part, its texts read without fairnb."""
    texts = [row[2] for row in split[1]]
    system = open_system(SystemSpec(keras="model.keras"), trained.folder)
    return texts, np.array([row[3] for row in split[1]]), score_texts(system, texts).values[:, 0]


def test_training_keeps_to_its_time_and_leaves_the_model_alone(trained):
    assert trained.seconds < CORES * SECONDS
    assert [path.name for path in trained.folder.iterdir()] == ["model.keras"]


def test_accuracy_is_near_the_papers_and_printed_as_it_is(trained, scored):
    _, labels, scores = scored
    accuracy = accuracy_score(labels, scores >= 0.5)
    assert accuracy >= 0.86
    assert f"accuracy {accuracy:.3f}, 95 % interval" in trained.printed


def test_the_system_scores_as_keras_itself_does(trained, scored):
    import keras
    import tensorflow as tf

    texts, _, scores = scored
    model = keras.models.load_model(trained.folder / "model.keras")
    np.testing.assert_allclose(scores, model.predict(tf.constant(texts), verbose=0)[:, 0], atol=1e-6)


def test_the_command_makes_a_case_of_it_that_needs_no_edit(trained, tmp_path):
    shutil.copy(trained.folder / "model.keras", tmp_path)
    new = "new", "case", "--system", "keras:model.keras", "--train", "paper-train", "--test", "paper-test"
    for words in (new, ("check", "case")):
        ran = subprocess.run(
            [Path(sys.executable).with_name("fairnb"), *words],
            cwd=tmp_path,
            env={**os.environ, "FAIRNB_HOME": str(trained.home)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "case" / "model.keras").is_file()
