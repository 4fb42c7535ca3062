"""Reading a file of the case folder: what is kept, counted, refused."""

from __future__ import annotations

import hashlib

import pytest

from fairnb.corpus import CorpusSpec, corpus_digest, read_corpus
from fairnb.errors import FairnbError

HEADER = "id,text,label\n"


@pytest.fixture
def case(tmp_path):
    """A function that writes a file into the case folder and reads it."""

    def read(content, name="c.csv", role="test", columns=(), **keys):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return read_corpus(CorpusSpec(path=name, **keys), tmp_path, role, columns=columns)

    return read


def refused(case, *args, **keys):
    with pytest.raises(FairnbError) as caught:
        case(*args, **keys)
    return caught.value


def test_text_bytes_are_kept_exactly(case):
    texts = [
        " &amp; &#128514; @me  ",
        "tab\there",
        "e\u0301 is not \u00e9",
        "\u200bzero",
        "RT: \U0001f602",
        "=1+1",
    ]
    rows = "".join(f'{row},"{text}",1\n' for row, text in enumerate(texts))
    assert list(case(HEADER + rows, id="id").texts) == texts


def test_counts_say_what_was_found(case):
    corpus = case(HEADER + "1,goose,1\n2,goose,0\n3,,1\n4,  ,0\n5,duck,\n6,duck,1\n7,swan,0\n")
    assert {
        key: corpus.facts[key]
        for key in ("rows", "empty_texts", "missing_labels", "duplicate_texts", "conflicting_texts", "labels")
    } == {
        "rows": 7,
        "empty_texts": 2,
        "missing_labels": 1,
        "duplicate_texts": 2,
        "conflicting_texts": 2,
        "labels": {"0": 3, "1": 3},
    }
    assert len(corpus) == 7


@pytest.mark.parametrize(
    ("cell", "label"),
    [
        ("1", 1),
        (" 0 ", 0),
        ("-1", -1),
        ("1.0", 1),
        ("01", "01"),
        ("1.5", "1.5"),
        ("OFF", "OFF"),
        (" not hateful ", "not hateful"),
        ("", None),
        ("  ", None),
        ("NA", "NA"),
        ("9" * 30, "9" * 30),
    ],
)
def test_labels_are_whole_numbers_where_the_text_is_one(case, cell, label):
    assert case(f"{HEADER}1,a,{cell}\n").labels == (label,)


def test_rows_are_numbered_without_an_id_column(case):
    assert case("text,label\na,1\nb,0\n").ids == ("1", "2")


def test_a_duplicate_id_names_both_lines(case):
    error = refused(case, HEADER + '1,"a\nb",1\n2,c,0\n1,d,0\n', id="id")
    assert error.code == "duplicate-id"
    assert error.where == "c.csv, line 5, column 'id'"
    assert "c.csv, line 2" in error.found


def test_a_missing_id_is_named(case):
    error = refused(case, HEADER + "1,a,1\n ,b,0\n", id="id")
    assert (error.code, error.where) == ("missing-id", "c.csv, line 3, column 'id'")


def test_a_wrong_column_is_answered_with_the_columns_and_the_nearest(case):
    error = refused(case, "id,tweets,label\n1,a,1\n", text="tweet")
    assert error.code == "missing-column"
    assert "the nearest is 'tweets'" in error.remedy
    assert "'id', 'tweets', 'label'" in error.remedy


def test_a_column_that_occurs_twice_is_refused_only_if_it_is_used(case):
    assert case("x,x,text,label\n1,2,a,1\n").texts == ("a",)
    assert refused(case, "text,text,label\na,b,1\n").code == "column-twice"


def test_a_byte_order_mark_is_no_part_of_the_first_column(case):
    corpus = case(b"\xef\xbb\xbftext,label\na,1\n")
    assert corpus.texts == ("a",)
    assert corpus.facts["byte_order_mark"] is True


def test_latin_1_is_refused_by_line_unless_declared(case):
    data = "text,label\na,1\ncaf\xe9,0\n".encode("latin-1")
    error = refused(case, data)
    assert (error.code, error.where) == ("wrong-encoding", "c.csv, line 3")
    assert "0xE9" in error.found
    assert "encoding =" in error.remedy
    corpus = case(data, encoding="latin-1")
    assert corpus.texts == ("a", "caf\xe9")
    assert corpus.facts["encoding"] == "latin-1"


def test_utf_16_is_read_if_declared_and_told_apart_if_not(case):
    data = "text,label\na,1\n".encode("utf-16")
    assert case(data, encoding="utf-16").texts == ("a",)
    assert refused(case, data).code == "wrong-encoding"
    assert "utf-16" in refused(case, "text,label\na,1\n".encode("utf-16-le")).remedy


@pytest.mark.parametrize("name", ["c.csv", "c.tsv"])
def test_a_nul_byte_is_refused_by_line(case, name):
    error = refused(case, b"text,label\na,1\nb\0c,0\n", name=name)
    assert (error.code, error.where) == ("nul-byte", f"{name}, line 3")


def test_an_escaped_nul_and_half_a_character_are_refused_by_line(case):
    for escape, code in (("\\u0000", "nul-byte"), ("\\ud83d", "bad-character")):
        error = refused(
            case, f'{{"text": "a", "label": 1}}\n{{"text": "b{escape}", "label": 1}}\n', name="c.jsonl"
        )
        assert (error.code, error.where) == (code, "c.jsonl, line 2, column 'text'")


def test_a_number_where_a_text_should_be_is_refused(case):
    error = refused(case, '{"text": 5, "label": 1}\n', name="c.jsonl")
    assert (error.code, error.where) == ("not-a-text", "c.jsonl, line 1, column 'text'")


def test_recorded_scores_keep_numbers_gaps_and_what_is_neither(case):
    corpus = case(
        "text,label,p,q\na,1,0.5,1\nb,0,,0\nc,1,n/a,1e-3\nd,1,nan, 0.25 \n", columns=["p", "q"], score="p"
    )
    assert corpus.recorded == {"p": (0.5, None, "n/a", "nan"), "q": (1.0, 0.0, 0.001, 0.25)}


def test_equal_texts_may_carry_different_scores(case):
    assert case("text,label,p\na,1,0.5\na,1,0.75\n", columns=["p"]).recorded["p"] == (0.5, 0.75)


def test_annotated_subgroups_follow_their_own_limit(case):
    corpus = case(
        "text,label,f,m\na,1,0.5,0\nb,0,,1\nc,1,0.39,0.4\n",
        subgroups={"gender": {"female": "f", "male": "m", "at_least": 0.4}},
    )
    assert corpus.annotated["gender", "female"].tolist() == [1, -1, 0]
    assert corpus.annotated["gender", "male"].tolist() == [0, 1, 1]


def test_an_annotation_that_is_no_number_is_refused(case):
    error = refused(case, "text,label,f\na,1,much\n", subgroups={"gender": {"female": "f"}})
    assert (error.code, error.where) == ("not-a-number", "c.csv, line 2, column 'f'")


def test_one_class_is_read_and_no_row_is_refused(case):
    assert case("text,label\na,1\nb,1\n").facts["labels"] == {"1": 2}
    assert refused(case, "text,label\n").code == "empty-corpus"


def test_a_missing_file_and_an_unknown_format_are_named(case, tmp_path):
    with pytest.raises(FairnbError, match="nowhere") as caught:
        read_corpus(CorpusSpec(path="nowhere.csv"), tmp_path, "test")
    assert caught.value.code == "file-missing"
    error = refused(case, "x", name="c.xlsx")
    assert error.code == "unknown-format"
    assert ".jsonl" in error.remedy


def test_a_folder_is_no_corpus(tmp_path):
    (tmp_path / "c.csv").mkdir()
    with pytest.raises(FairnbError) as caught:
        read_corpus(CorpusSpec(path="c.csv"), tmp_path, "test")
    assert caught.value.code == "file-missing"


@pytest.mark.parametrize("path", ["../c.csv", "/etc/passwd", "a/../../c.csv"])
def test_a_path_out_of_the_case_folder_is_refused(path, tmp_path):
    (tmp_path / "c.csv").write_text("text,label\na,1\n")
    (tmp_path / "case").mkdir()
    for read in (lambda spec, folder: read_corpus(spec, folder, "test"), corpus_digest):
        with pytest.raises(FairnbError) as caught:
            read(CorpusSpec(path=path), tmp_path / "case")
        assert caught.value.code == "path-outside"


def test_the_digest_is_known_without_parsing_and_moves_with_content_and_columns(case, tmp_path):
    content = "text,label,x\na,1,0\n"
    corpus = case(content)
    assert corpus_digest(CorpusSpec(path="c.csv"), tmp_path) == corpus.digest
    assert case(content).digest == corpus.digest
    assert case(content, name="renamed.csv").digest == corpus.digest
    assert case(content, columns=["x"]).digest == corpus.digest
    assert case(content, label="x").digest != corpus.digest
    assert case(content, positive=[1]).digest != corpus.digest
    assert case(content.replace("a,1", "b,1")).digest != corpus.digest


def test_the_files_own_digest_is_told(case):
    content = b"text,label\na,1\n"
    assert case(content).facts["files"] == {"c.csv": hashlib.sha256(content).hexdigest()}


def test_a_place_names_file_and_line(case):
    assert case('text,label\n"a\nb",1\nc,0\n').where(1) == "c.csv, line 4"


def test_a_declared_signature_encoding_is_read_too(case):
    corpus = case(b"\xef\xbb\xbftext,label\na,1\n", encoding="utf-8-sig")
    assert corpus.texts == ("a",)
    assert corpus.facts["byte_order_mark"] is True


def test_numbers_and_truth_values_of_json_are_scores(case):
    lines = ['{"text": "a", "label": true, "p": true}', '{"text": "b", "label": false, "p": 0.5}']
    lines += ['{"text": "c", "label": 0, "p": null}', '{"text": "d", "label": 1.0, "p": 1e999}']
    corpus = case("\n".join(lines), name="c.jsonl", columns=["p"])
    assert corpus.labels == (1, 0, 0, 1)
    assert corpus.recorded["p"] == (1.0, 0.5, None, "inf")
