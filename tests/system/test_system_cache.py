"""Scores once given are kept."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairnb.errors import FairnbError
from fairnb.files import cache_folder
from fairnb.system import ScoreCache, Scores, System, SystemSpec, Unscored, open_system, score_texts

TEXTS = [f"{'word ' * (number % 9)}number {number}" for number in range(50)]


class Counting:
    """A system that counts what it is asked."""

    def __init__(
        self, fails_after: int | None = None, error: type[BaseException] = KeyboardInterrupt
    ) -> None:
        self.asked: list[str] = []
        self.calls = 0
        self.fails_after = fails_after
        self.error = error

    def __call__(self, texts: list[str]) -> Any:
        if self.calls == self.fails_after:
            raise self.error("stopped")
        self.calls += 1
        self.asked += texts
        return np.array([len(text) / 1000 for text in texts], dtype=np.float32)


def system_of(function: Callable[[list[str]], Any], version: str = "1") -> System:
    spec = SystemSpec(python="live", version=version, batch_size=10, name="counting")
    return open_system(spec, Path(), live_object=function)


def test_a_text_is_scored_once_however_often_it_occurs() -> None:
    counting = Counting()
    score_texts(system_of(counting), TEXTS * 3)
    assert sorted(counting.asked) == sorted(TEXTS)


def test_texts_in_the_cache_are_not_asked_for_again() -> None:
    first, second = Counting(), Counting()
    with ScoreCache() as cache:
        before = score_texts(system_of(first), TEXTS, cache=cache)
    with ScoreCache() as cache:
        after = score_texts(system_of(second), [*TEXTS, "one more"], cache=cache)
    assert second.asked == ["one more"]
    assert after.values.dtype == np.float32
    assert after.values[:-1].tobytes() == before.values.tobytes()


def test_another_version_is_another_system() -> None:
    with ScoreCache() as cache:
        score_texts(system_of(Counting()), TEXTS, cache=cache)
        other = Counting()
        score_texts(system_of(other, version="2"), TEXTS, cache=cache)
    assert len(other.asked) == len(TEXTS)


def test_a_system_nobody_vouches_for_is_not_cached() -> None:
    with ScoreCache() as cache:
        for _ in range(2):
            counting = Counting()
            score_texts(system_of(counting, version=""), TEXTS, cache=cache)
            assert len(counting.asked) == len(TEXTS)


def test_a_run_that_is_interrupted_goes_on_where_it_was() -> None:
    stopped = Counting(fails_after=3)
    with ScoreCache() as cache, pytest.raises(KeyboardInterrupt):
        score_texts(system_of(stopped), TEXTS, cache=cache)
    resumed = Counting()
    with ScoreCache() as cache:
        scores = score_texts(system_of(resumed), TEXTS, cache=cache)
    assert len(stopped.asked) == 30
    assert sorted(stopped.asked + resumed.asked) == sorted(TEXTS)
    np.testing.assert_array_equal(scores.values[:, 0], np.float32([len(text) / 1000 for text in TEXTS]))


def test_a_system_that_fails_in_the_middle_keeps_what_it_scored() -> None:
    failing = Counting(fails_after=2, error=TimeoutError)
    with ScoreCache() as cache, pytest.raises(FairnbError, match="TimeoutError"):
        score_texts(system_of(failing), TEXTS, cache=cache)
    resumed = Counting()
    with ScoreCache() as cache:
        score_texts(system_of(resumed), TEXTS, cache=cache)
    assert len(resumed.asked) == 30


def test_a_run_that_is_cancelled_goes_on_where_it_was() -> None:
    counting, resumed = Counting(), Counting()
    with ScoreCache() as cache:
        with pytest.raises(FairnbError, match="after 20 of 50") as caught:
            score_texts(system_of(counting), TEXTS, cache=cache, cancelled=lambda: counting.calls == 2)
        assert "kept" in caught.value.remedy
        score_texts(system_of(resumed), TEXTS, cache=cache)
    assert len(resumed.asked) == 30


def test_a_refusal_is_kept_with_its_reason() -> None:
    asked: list[str] = []

    def refusing(texts: list[str]) -> Any:
        asked.extend(texts)
        return [Unscored("policy §3") for _ in texts]

    with ScoreCache() as cache:
        for _ in range(2):
            kept = score_texts(system_of(refusing), ["a", "b"], cache=cache)
            assert kept.unscored == {0: "policy §3", 1: "policy §3"}
    assert asked == ["a", "b"]


class Dying(SystemExit):
    """Ends the process at once, as a kill does: nothing is closed or flushed."""

    def __init__(self, message: str) -> None:
        os._exit(9)


def _die_in_the_middle(path: str) -> None:
    with ScoreCache(Path(path)) as cache:
        score_texts(system_of(Counting(fails_after=3, error=Dying)), TEXTS, cache=cache)


def test_a_process_that_is_killed_leaves_what_it_scored(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite3"
    worker = multiprocessing.get_context("fork").Process(target=_die_in_the_middle, args=(str(path),))
    worker.start()
    worker.join(timeout=60)
    assert worker.exitcode == 9
    resumed = Counting()
    with ScoreCache(path) as cache:
        score_texts(system_of(resumed), TEXTS, cache=cache)
        assert cache.notes == ()
    assert len(resumed.asked) == 20


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_every_bit_and_the_dtype_come_back(tmp_path: Path, dtype: str) -> None:
    values = np.random.default_rng(1).random((4, 6)).astype(dtype)
    with ScoreCache(tmp_path / "scores.sqlite3") as cache:
        cache.write("f", ["a", "b", "", "\ud800"], Scores(tuple("uvwxyz"), values))
        kept = cache.read("f", ["\ud800", "b", "unknown", ""])
    assert kept.keys() == {0, 1, 3}
    for at, row in ((0, 3), (1, 1), (3, 2)):
        assert kept[at].values.dtype == dtype
        assert kept[at].values.tobytes() == values[row].tobytes()


def test_texts_cannot_be_read_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite3"
    with ScoreCache(path) as cache:
        score_texts(system_of(Counting()), ["a rare and telling word"], cache=cache)
    assert b"telling" not in path.read_bytes()


def _score_in_process(path: str, start: Any, results: Any) -> None:
    counting = Counting()
    with ScoreCache(Path(path)) as cache:
        start.wait()
        scores = score_texts(system_of(counting), TEXTS, cache=cache)
        results.put((scores.values.tobytes(), cache.notes))


def test_two_processes_may_use_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite3"
    context = multiprocessing.get_context("fork")
    start, results = context.Event(), context.Queue()
    workers = [context.Process(target=_score_in_process, args=(str(path), start, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    start.set()
    found = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
        assert worker.exitcode == 0
    expected = np.float32([[len(text) / 1000] for text in TEXTS]).tobytes()
    assert found == [(expected, ())] * 2
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM scores_1").fetchone() == (len(TEXTS),)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite3"
    path.write_bytes(b"this is not a database, whatever its name says" * 100)
    with ScoreCache(path) as cache:
        assert cache.usable
        assert "scores.damaged-1.sqlite3" in cache.notes[0]
        score_texts(system_of(Counting()), TEXTS, cache=cache)
    again = Counting()
    with ScoreCache(path) as cache:
        score_texts(system_of(again), TEXTS, cache=cache)
        assert cache.notes == ()
    assert not again.asked
    assert (tmp_path / "scores.damaged-1.sqlite3").read_bytes().startswith(b"this is not")


def test_damage_found_while_reading_is_set_aside_and_scored_again(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite3"
    many = [f"text {number}" for number in range(3000)]
    with ScoreCache(path) as cache:
        score_texts(system_of(Counting()), many, cache=cache)
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    counting = Counting()
    with ScoreCache(path) as cache:
        scores = score_texts(system_of(counting), many, cache=cache)
        assert len(cache.notes) == 1
    assert counting.asked
    assert scores.values[-1, 0] == np.float32(len(many[-1]) / 1000)


def test_a_changed_bit_in_a_score_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite3"
    with ScoreCache(path) as cache:
        score_texts(system_of(Counting()), ["a", "b"], cache=cache)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE scores_1 SET value = ?", (np.float32([0.99]).tobytes(),))
    again = Counting()
    with ScoreCache(path) as cache:
        score_texts(system_of(again), ["a", "b"], cache=cache)
    assert sorted(again.asked) == ["a", "b"]


def test_without_a_place_to_write_scoring_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    counting = Counting()
    with ScoreCache(tmp_path / "file" / "scores.sqlite3") as cache:
        assert not cache.usable
        assert "not kept" in cache.notes[0]
        assert len(score_texts(system_of(counting), TEXTS, cache=cache)) == len(TEXTS)


def test_a_read_only_file_does_not_stop_scoring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.sqlite3"
    ScoreCache(path).close()
    real = sqlite3.connect

    def read_only(target: Any, **options: Any) -> sqlite3.Connection:
        return real(f"file:{target}?mode=ro", uri=True, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    with ScoreCache(path) as cache:
        assert len(score_texts(system_of(Counting()), TEXTS, cache=cache)) == len(TEXTS)
        assert len(cache.notes) == 1


def test_a_home_that_cannot_be_made_does_not_stop_scoring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRNB_HOME", str(tmp_path / "file"))
    with ScoreCache() as cache:
        assert not cache.usable
        score_texts(system_of(Counting()), TEXTS, cache=cache)


def test_by_default_it_lies_in_the_users_cache_folder() -> None:
    with ScoreCache():
        assert (cache_folder() / "scores.sqlite3").is_file()


def test_a_closed_cache_keeps_nothing(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path / "scores.sqlite3")
    cache.close()
    assert not cache.usable
    assert cache.read("f", ["a"]) == {}
