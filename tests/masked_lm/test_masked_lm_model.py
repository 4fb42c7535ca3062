"""Small models made with a seed: equal to a slow implementation, offline, and refused where weights are missing."""

from __future__ import annotations

import difflib
import itertools
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from fairnb.errors import FairnbError
from fairnb.masked_lm import (
    Asked,
    Masked,
    Pair,
    find_model,
    gap_counts,
    langtest_gap,
    load_masked_model,
    mask_gap,
    score_pairs,
)

pytestmark = pytest.mark.torch
KINDS = ("cased", "uncased", "byte-level")


@pytest.fixture(params=KINDS)
def folder(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Path:
    """Each small model in turn."""
    return folders[request.param]


def plainly(folder: Path) -> tuple[Any, Any]:
    """Model and tokenizer without fairnb."""
    import transformers

    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    return model, transformers.AutoTokenizer.from_pretrained(folder)


def slow_scores(pair: Pair, model: Any, tokenizer: Any, *, uncased: bool) -> tuple[float, float]:
    """The published algorithm once more, step by step: one mask at a time, whole sentences, no batches."""
    import torch

    texts = [pair.more, pair.less] if pair.direction == "stereo" else [pair.less, pair.more]
    ids = [tokenizer.encode(text.lower() if uncased else text, return_tensors="pt") for text in texts]
    words = [[str(int(token)) for token in one[0]] for one in ids]
    kept: list[list[int]] = [[], []]
    for kind, a, b, c, d in difflib.SequenceMatcher(None, *words).get_opcodes():
        if kind == "equal":
            kept[0] += range(a, b)
            kept[1] += range(c, d)
    sums = []
    for sentence, positions in zip(ids, kept, strict=True):
        total = 0.0
        for position in positions[1:-1]:
            masked = sentence.clone()
            masked[0, position] = tokenizer.mask_token_id
            with torch.no_grad():
                logits = model(masked).logits[0, position]
            total += torch.log_softmax(logits, dim=0)[sentence[0, position]].item()
        sums.append(total)
    return (sums[0], sums[1]) if pair.direction == "stereo" else (sums[1], sums[0])


def test_scores_equal_the_published_algorithm_done_slowly(folder: Path, own_pairs: tuple[Pair, ...]) -> None:
    opened = load_masked_model(find_model(str(folder)))
    model, tokenizer = plainly(folder)
    for score in score_pairs(own_pairs, opened):
        slow = slow_scores(score.pair, model, tokenizer, uncased=folder.name == "uncased")
        assert (score.more, score.less) == pytest.approx(slow, abs=1e-5)
        assert score.masked > 0


def test_only_masked_rows_pass_the_head(folder: Path) -> None:
    opened = load_masked_model(find_model(str(folder)))
    assert opened._short_cut
    ids = opened.encode(f"The {opened.mask_token} cook lost the keys")
    row = Masked(ids, ids.index(opened.mask_id))
    sizes = []
    head = opened._model.get_output_embeddings()
    head.register_forward_hook(lambda module, given, output: sizes.append(tuple(output.shape)))
    opened.log_probabilities([Asked(row, 5), Asked(row, 6)])
    assert [size[:2] for size in sizes] == [(1, 1)]


def test_without_the_short_cut_the_numbers_are_the_same(folder: Path, own_pairs: tuple[Pair, ...]) -> None:
    opened = load_masked_model(find_model(str(folder)))
    quick = score_pairs(own_pairs, opened)
    opened._short_cut = False
    for one, other in zip(quick, score_pairs(own_pairs, opened), strict=True):
        assert (one.more, one.less) == pytest.approx((other.more, other.less), abs=1e-5)


def test_probabilities_of_the_vocabulary_add_up_to_one(folder: Path) -> None:
    import numpy as np

    opened = load_masked_model(find_model(str(folder)))
    ids = opened.encode(f"Twins {opened.mask_token} share.")
    row = Masked(ids, ids.index(opened.mask_id))
    every = opened.log_probabilities([Asked(row, token) for token in range(opened._vocabulary)])
    assert float(np.exp(every).sum()) == pytest.approx(1, abs=1e-5)


def test_case_is_told_from_the_tokenizer(folders: dict[str, Path]) -> None:
    cases = {kind: load_masked_model(find_model(str(folders[kind]))).uncased for kind in KINDS}
    assert cases == {"cased": False, "uncased": True, "byte-level": False}


def test_the_limit_of_positions_is_the_models(folders: dict[str, Path]) -> None:
    limits = {kind: load_masked_model(find_model(str(folders[kind]))).longest for kind in KINDS}
    assert limits == {"cased": 64, "uncased": 64, "byte-level": 64}
    long = Pair("1", "tall " * 70, "short " * 70, "stereo", "x")
    for kind in KINDS:
        opened = load_masked_model(find_model(str(folders[kind])))
        (score,) = score_pairs([long], opened)
        assert score.reason == "longer than the 64 tokens the model takes"
        text = "y"
        while len(opened.encode(f"{text}y")) <= 64:
            text += "y"
        (score,) = score_pairs([Pair("2", text, text, "stereo", "x")], opened)
        assert score.scored


def as_langtest(pairs: tuple[Pair, ...], folder: Path) -> list[bool]:
    """What LangTest's report counts, with the library's own pipeline; its rule written out again."""
    import transformers

    model, tokenizer = plainly(folder)
    ask = transformers.pipeline("fill-mask", model=model, tokenizer=tokenizer)
    passed = []
    for pair in pairs:
        more, less = pair.more.split(), pair.less.split()
        places = [at for at, (one, other) in enumerate(zip(more, less, strict=False)) if one != other]
        if len(more) != len(less) or len(places) != 1:
            continue
        (at,) = places
        sentence = " ".join([*more[:at], tokenizer.mask_token, *more[at + 1 :]])
        likely = {one["token_str"]: one["score"] for one in ask(sentence)[:5]}
        one, other = likely.get(more[at], 0), likely.get(less[at], 0)
        if one > 0.15 or other > 0.15:
            passed.append(abs(one - other) <= 0.10)
    return passed


def grid(folder: Path) -> tuple[Pair, ...]:
    """Pairs of words that the model itself finds likely, so that some pass, fail and are skipped."""
    import transformers

    model, tokenizer = plainly(folder)
    ask = transformers.pipeline("fill-mask", model=model, tokenizer=tokenizer)
    pairs = []
    for start in ("The", "Old people", "My neighbour", "Twins", "It was"):
        for end in ("is late.", "know it.", "sings.", "and they share."):
            likely = [one["token_str"] for one in ask(f"{start} {tokenizer.mask_token} {end}")]
            words = [word for word in likely if word and not any(map(str.isspace, word))]
            for more, less in itertools.pairwise(words):
                pairs.append(Pair(str(len(pairs)), f"{start} {more} {end}", f"{start} {less} {end}", "", ""))
    return tuple(pairs)


def test_langtests_counts_are_reproduced(folder: Path, own_pairs: tuple[Pair, ...]) -> None:
    pairs = (*own_pairs, *grid(folder))
    expected = as_langtest(pairs, folder)
    counts = gap_counts(langtest_gap(pairs, load_masked_model(find_model(str(folder)))))[0].counts
    assert counts["pass"] == sum(expected)
    assert counts["fail"] == len(expected) - sum(expected)
    assert sum(counts.values()) == len(pairs)
    if folder.name != "byte-level":
        assert counts["fail"] > 0


def test_a_word_after_a_space_is_found_in_a_byte_level_vocabulary(
    folders: dict[str, Path], own_pairs: tuple[Pair, ...]
) -> None:
    """LangTest never finds it: its token begins with the space."""
    model, tokenizer = plainly(folders["byte-level"])
    import torch

    words = {word for pair in own_pairs for word in pair.more.split() if word.isalpha()}
    more, less, *_ = sorted(
        word for word in words if len(tokenizer.encode(f" {word}", add_special_tokens=False)) == 1
    )
    pair = Pair("1", f"It was {more}", f"It was {less}", "", "")
    opened = load_masked_model(find_model(str(folders["byte-level"])))
    (score,) = mask_gap([pair], opened)
    (token,) = tokenizer.encode(f" {more}", add_special_tokens=False)
    ids = tokenizer.encode("It was<mask>", return_tensors="pt")
    with torch.no_grad():
        law = model(ids).logits[0, ids[0].tolist().index(tokenizer.mask_token_id)].softmax(-1)
    assert score.pieces == (1, 1)
    assert score.more == pytest.approx(law[token].item(), rel=1e-5)
    assert langtest_gap([pair], opened)[0].more == 0


def test_a_mask_that_leaves_the_space_before_it_asks_for_the_same_word(
    folders: dict[str, Path], make_roberta: Any, tmp_path: Path, own_pairs: tuple[Pair, ...]
) -> None:
    other = make_roberta(tmp_path / "space", takes_space=False)
    usual, spaced = (load_masked_model(find_model(str(one))) for one in (folders["byte-level"], other))
    text = f"It was {usual.mask_token} late"
    assert len(spaced.encode(text)) == len(usual.encode(text)) + 1
    for one, another in zip(mask_gap(own_pairs, usual), mask_gap(own_pairs, spaced), strict=True):
        assert (one.outcome, one.more, one.less) == (another.outcome, another.more, another.less)


def test_a_folder_never_asks_the_network(
    folder: Path, own_pairs: tuple[Pair, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any, **named: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert score_pairs(own_pairs[:1], load_masked_model(find_model(str(folder))))[0].scored


def test_a_fine_tuned_classifier_is_refused(make_bert: Any, tmp_path: Path) -> None:
    folder = make_bert(tmp_path / "fine-tuned", lowercase=True, kind="BertForSequenceClassification")
    with pytest.raises(FairnbError, match=r"would be random.*name the base model") as error:
        load_masked_model(find_model(str(folder)))
    assert error.value.code == "no-masked-head"
    assert error.value.where == "fine-tuned"


def test_a_bare_encoder_is_refused_also_where_its_head_is_not_tied(make_bert: Any, tmp_path: Path) -> None:
    for tied in (True, False):
        folder = make_bert(
            tmp_path / f"bare-{tied}", lowercase=True, kind="BertModel", tie_word_embeddings=tied
        )
        with pytest.raises(FairnbError) as error:
            load_masked_model(find_model(str(folder)))
        assert error.value.code == "no-masked-head"


@pytest.mark.parametrize(
    ("tied", "weight", "refused"),
    [
        (True, "cls.predictions.bias", True),
        (True, "cls.predictions.transform.dense.weight", True),
        (True, "bert.encoder.layer.1.output.dense.weight", True),
        (False, "cls.predictions.decoder.weight", True),
        # A tied output layer is not in the file, and is not missing.
        (True, "", False),
        (False, "", False),
    ],
)
def test_one_missing_weight_is_enough(
    make_bert: Any, tmp_path: Path, tied: bool, weight: str, refused: bool
) -> None:
    from safetensors.torch import load_file, save_file

    folder = make_bert(tmp_path / "model", lowercase=True, tie_word_embeddings=tied)
    held = load_file(folder / "model.safetensors")
    assert ("cls.predictions.decoder.weight" in held) is not tied
    if weight:
        del held[weight]
        save_file(held, folder / "model.safetensors", metadata={"format": "pt"})
    if refused:
        with pytest.raises(FairnbError) as error:
            load_masked_model(find_model(str(folder)))
        assert error.value.code == "no-masked-head"
    else:
        assert load_masked_model(find_model(str(folder))).facts["architecture"] == "BertForMaskedLM"


def test_pickled_weights_are_read_only_on_trust(folders: dict[str, Path], tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    folder = shutil.copytree(folders["cased"], tmp_path / "pickled")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(FairnbError) as error:
        load_masked_model(find_model(str(folder)))
    assert error.value.code == "pickled-model"
    facts = load_masked_model(find_model(str(folder)), trust=True).facts
    assert facts["weights"] == "a pickle, on trust"


class _Writing:
    """What a pickle can do when it is loaded."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return (Path.touch, (self.file,))


def test_even_a_trusted_pickle_runs_no_program(folders: dict[str, Path], tmp_path: Path) -> None:
    import torch

    folder = shutil.copytree(folders["cased"], tmp_path / "hostile")
    (folder / "model.safetensors").unlink()
    torch.save({"weight": _Writing(tmp_path / "ran")}, folder / "pytorch_model.bin")
    with pytest.raises(FairnbError) as error:
        load_masked_model(find_model(str(folder)), trust=True)
    assert error.value.code == "broken-model"
    assert not (tmp_path / "ran").exists()


def test_code_that_a_model_brings_along_is_never_run(folders: dict[str, Path], tmp_path: Path) -> None:
    import json

    folder = shutil.copytree(folders["cased"], tmp_path / "hostile")
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Own: pass\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.Own", "AutoModelForMaskedLM": "own.Own"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(FairnbError) as error:
        load_masked_model(find_model(str(folder)))
    assert error.value.code == "model-code"
    assert str(tmp_path) not in str(error.value)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("break_it", "code"),
    [
        (lambda f: (f / "config.json").unlink(), "broken-model"),
        (lambda f: (f / "config.json").write_text("{"), "broken-model"),
        (lambda f: (f / "config.json").write_text('{"model_type": "gpt2"}'), "not-masked"),
        (lambda f: (f / "model.safetensors").write_bytes(b"no weights"), "broken-model"),
        (lambda f: (f / "model.safetensors").unlink(), "broken-model"),
        (lambda f: [file.unlink() for file in f.glob("*token*")], "broken-model"),
    ],
)
def test_a_damaged_folder_is_one_sentence(
    folders: dict[str, Path], tmp_path: Path, break_it: Any, code: str
) -> None:
    folder = shutil.copytree(folders["uncased"], tmp_path / "damaged")
    break_it(folder)
    with pytest.raises(FairnbError) as error:
        load_masked_model(find_model(str(folder)))
    assert error.value.code == code
    assert "\n" not in str(error.value)


def test_a_model_that_answers_no_numbers_is_refused(
    folders: dict[str, Path], own_pairs: tuple[Pair, ...], tmp_path: Path
) -> None:
    import torch

    place = tmp_path / "spoilt"
    shutil.copytree(folders["cased"], place)
    model, _ = plainly(place)
    with torch.no_grad():
        model.cls.predictions.bias[7] = float("nan")
    model.save_pretrained(place)
    opened = load_masked_model(find_model(str(place)))
    for test in (score_pairs, mask_gap, langtest_gap):
        with pytest.raises(FairnbError, match="no numbers") as error:
            test(own_pairs, opened)
        assert error.value.code == "broken-model"
        assert error.value.where == "spoilt"


def test_a_missing_shard_is_told_without_the_machines_path(folders: dict[str, Path], tmp_path: Path) -> None:
    place = tmp_path / "sharded"
    shutil.copytree(folders["cased"], place)
    model, _ = plainly(place)
    (place / "model.safetensors").unlink()
    model.save_pretrained(place, max_shard_size="20KB")
    assert load_masked_model(find_model(str(place))).facts["weights"] == "safetensors"
    next(place.glob("*-00002-of-*")).unlink()
    with pytest.raises(FairnbError) as error:
        load_masked_model(find_model(str(place)))
    assert error.value.code == "broken-model"
    assert "00002" in str(error.value)
    assert str(tmp_path) not in str(error.value)


def test_a_package_that_loading_lacks_is_no_damaged_model(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    def fail(*given: Any, **named: Any) -> None:
        raise ImportError("No module named 'something'")

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", fail)
    with pytest.raises(FairnbError, match="something") as error:
        load_masked_model(find_model(str(folders["cased"])))
    assert error.value.code == "package-missing"


def test_a_tokenizer_of_another_model_is_refused(make_bert: Any, tmp_path: Path) -> None:
    import json

    folder = make_bert(tmp_path / "model", lowercase=True)
    held = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    vocabulary = held["model"]["vocab"]
    vocabulary |= {f"new{at}": len(vocabulary) + at for at in range(40)}
    (folder / "tokenizer.json").write_text(json.dumps(held), "utf-8")
    with pytest.raises(FairnbError) as error:
        load_masked_model(find_model(str(folder)))
    assert error.value.code == "tokenizer-mismatch"


def test_progress_may_stop_it_and_threads_are_as_before(folder: Path, own_pairs: tuple[Pair, ...]) -> None:
    import torch

    before = torch.get_num_threads()

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    opened = load_masked_model(find_model(str(folder)))
    with pytest.raises(KeyboardInterrupt):
        score_pairs(own_pairs, opened, stop)
    assert torch.get_num_threads() == before
