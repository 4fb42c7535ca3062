from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import rfc8785

from fairnb.case import load_case, payload_schema, read_payload
from fairnb.errors import ExitCode, FairnbError


@pytest.fixture
def data(make_case: Any, tiny: list[str]) -> dict[str, Any]:
    payload = load_case(make_case()).run("counting")
    return json.loads(json.dumps(payload.to_json()))


def test_it_validates_against_the_generated_schema(data: dict[str, Any]) -> None:
    schema = payload_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(data, schema)


@pytest.mark.parametrize("field", ["content", "context", "content_sha256", "schema"])
def test_the_schema_wants_every_part(data: dict[str, Any], field: str) -> None:
    del data[field]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, payload_schema())


def test_its_digest_is_that_of_the_canonical_json_of_its_content(data: dict[str, Any]) -> None:
    assert data["content_sha256"] == sha256(rfc8785.dumps(data["content"])).hexdigest()


def test_it_is_the_same_after_a_round_trip(data: dict[str, Any]) -> None:
    assert read_payload(data).to_json() == data


def test_the_same_case_gives_the_same_content_elsewhere(make_case: Any, tiny: list[str]) -> None:
    first, second = (load_case(make_case(name)).run("counting") for name in ("one", "two"))
    assert tiny == ["counting:positive"] * 2
    assert first.content_sha256 == second.content_sha256


def test_its_context_names_no_path_and_no_machine(data: dict[str, Any], tmp_path: Path) -> None:
    import socket

    said = json.dumps(data["context"])
    assert str(tmp_path) not in said
    assert socket.gethostname() not in said


@pytest.mark.parametrize(
    ("place", "value", "code"),
    [
        (("content", "result", "measures", 0, "value"), 4.0, "altered-payload"),
        (("content", "section"), "other", "altered-payload"),
        (("content_sha256",), "0" * 64, "altered-payload"),
        (("schema",), "fairnb.result/2", "newer-payload"),
        (("schema",), "something", "bad-payload"),
        (("content",), None, "altered-payload"),
        (("context",), None, "bad-payload"),
    ],
)
def test_what_was_altered_is_refused(data: dict[str, Any], place: Any, value: Any, code: str) -> None:
    inner: Any = data
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    with pytest.raises(FairnbError) as caught:
        read_payload(data, "cell 4")
    assert (caught.value.code, caught.value.where) == (code, "cell 4")
    assert caught.value.exit_code is ExitCode.UNFAITHFUL


@pytest.mark.parametrize("data", [None, [], "text", {}, {"schema": 1}])
def test_what_is_no_payload_is_refused(data: Any) -> None:
    with pytest.raises(FairnbError, match="not a result"):
        read_payload(data)


def test_a_replayed_result_is_printed_as_the_computed_one(
    make_case: Any, tiny: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import tiny_sections

    from fairnb.sections import Result

    facts = {"b": 1.0, "a": {"d": 2, "c": [1.0, None]}}
    monkeypatch.setattr(tiny_sections.Closing, "run", lambda *_: Result(facts=facts))
    folder = make_case()
    computed, replayed = (load_case(folder).run("closing").to_json() for _ in range(2))
    assert json.dumps(computed) == json.dumps(replayed)


@pytest.mark.parametrize("live", [False, True])
def test_results_of_every_installed_section_validate(make_case: Any, live: bool) -> None:
    rows = [(f"The woman said {i}", i % 2, 0.1 + 0.8 * (i % 2)) for i in range(60)]
    toml = make_case.toml.replace('scores = "score"', 'python = "scorer:score"') if live else make_case.toml
    folder = make_case(toml=toml, rows=rows, extra='[corpus.train]\npath = "test.csv"\n')
    (folder / "scorer.py").write_text(
        "def score(texts):\n    return [len(text) % 10 / 10 for text in texts]\n"
    )
    case = load_case(folder)
    schema = payload_schema()
    # The case names no word vectors and no language model, and recorded scores cannot score the variants of a text.
    unscored = {"swap", "counterfactual", "local_explanation", "global_explanation", "robustness"}
    absent = {"embedding_bias", "masked_lm", *(() if live else unscored)}
    for identity in case.sections:
        for payload in case.run_all(identity):
            jsonschema.validate(json.loads(json.dumps(payload.to_json())), schema)
            expected = "not_applicable" if identity in absent else "done"
            assert payload.result.status == expected, identity
