"""The real case: run once, and its texts, scores and mentions without fairnb's code for all tests here."""

from __future__ import annotations

import csv
import hashlib
import html
import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fairnb.case import CASE_FILE, load_case, new_case
from fairnb.errors import FairnbError
from fairnb.lexicon import LexiconSpec, load_lexicon
from fairnb.registry import fetch
from fairnb.report import build_document

SECTIONS = (
    "engagement",
    "system",
    "technical_performance",
    "data_bias",
    "mining",
    "embedding_bias",
    "group_bias",
    "swap",
    "counterfactual",
    "auc_bias",
    "conclusion",
)


def key(row) -> str:
    source, number, *_ = row
    return hashlib.sha256(f"0\t{source}\t{number}".encode()).hexdigest()


@pytest.fixture(scope="session")
def split(real_data):
    """(source, row, text, label) of the train and the test part."""
    rows = []
    with (real_data / "davidson" / "labeled_data.csv").open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.DictReader(stream)):
            rows.append(("davidson", number, row["tweet"], int(row["class"] in ("0", "1"))))
    with (real_data / "olid" / "olid-training-v1.0.tsv").open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)):
            rows.append(("olid", number, row["tweet"], int(row["subtask_a"] == "OFF")))
    positive = sorted((row for row in rows if row[3]), key=key)
    negative = sorted((row for row in rows if not row[3]), key=key)
    return positive[2502:] + negative[1301:], positive[:2502] + negative[:1301]


def _has_vectors() -> bool:
    try:
        fetch("glove-6b-50d")
    except FairnbError as error:
        if error.code != "package-missing":
            raise
        return False
    return True


@pytest.fixture(scope="session")
def case(real_data, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("real-home")))
        for name in ("paper-train", "paper-test"):
            fetch(name, real_data)
        folder = tmp_path_factory.mktemp("cases") / "real"
        new_case(folder, system="toxic-comment-classifier", train="paper-train", test="paper-test")
        if _has_vectors():
            with (folder / CASE_FILE).open("a", encoding="utf-8") as stream:
                stream.write('\n[embeddings]\nuse = "glove-6b-50d"\nrelation = "context only"\n')
        opened = load_case(folder)
        payloads = {name: opened.run(name) for name in SECTIONS}
        results = {name: payload.result for name, payload in payloads.items()}
        evidence = opened.evidence(list(payloads.values()))
        corpora = {role: opened.sources.corpus(role) for role in ("train", "test")}
        scores = opened.sources.scores("test", None, None)
    return results, corpora, dict(zip(scores.classes, scores.values.T, strict=True))["toxic"], evidence


@pytest.fixture(scope="session")
def classifier():
    return pytest.importorskip("toxic_classifier").ToxicCommentClassifier()


@pytest.fixture(scope="session")
def scored(classifier):
    """Texts -> P(toxic), by the package's own network and tokenizer, each text once."""
    from tensorflow.keras.preprocessing.sequence import pad_sequences

    known: dict[str, float] = {}

    def score(texts) -> list[float]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            rows = pad_sequences(classifier.tokenizer.texts_to_sequences(new), maxlen=100)
            found = classifier.model.predict(rows, batch_size=256, verbose=0)[:, 0]
            known.update(zip(new, map(float, found), strict=True))
        return [known[text] for text in texts]

    return score


@pytest.fixture(scope="session")
def rows_of():
    """Texts -> rows by term of Table 4 and by subgroup; hits lost to phrases and to places."""
    return _rows_of


@pytest.fixture(scope="session")
def mentioned(split, rows_of):
    """Texts of the test part, in the split's order, by term of Table 4 and by (attribute, subgroup)."""
    by_term, by_group, _ = rows_of([row[2] for row in split[1]])
    return by_term, {tuple(name.split(": ", 1)): rows for name, rows in by_group.items()}


# ---- what the document prints


class Tables(HTMLParser):
    """Cells of every table, by caption."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[list[str]]]] = []
        self.into: list[str] | None = None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.found.append(("", []))
        elif tag == "tr":
            self.found[-1][1].append([])
        elif tag in ("td", "th"):
            self.found[-1][1][-1].append("")
            self.into = self.found[-1][1][-1]
        elif tag == "caption":
            self.into = [""]
        elif self.into is not None:
            # What stands in an element of its own is set apart.
            self.into[-1] += " "

    def handle_endtag(self, tag):
        if tag == "caption":
            title = re.sub(r"^Table \d+\.\s*", "", self.into[0].strip())
            self.found[-1] = (title, self.found[-1][1])
        if tag in ("td", "th", "caption"):
            if self.into is not None:
                self.into[-1] = self.into[-1].strip()
            self.into = None

    def handle_data(self, data):
        if self.into is not None:
            self.into[-1] += data.replace("\u00a0", " ")


@pytest.fixture(scope="session")
def page(case):
    from fairnb.report._page import render_document

    return render_document(build_document(case[3]), medium="screen")


@pytest.fixture(scope="session")
def tables(page):
    parser = Tables()
    parser.feed(page)
    return parser.found


@pytest.fixture(scope="session")
def printed(tables):
    """First cell -> further cells, by caption."""
    return {title: {row[0].removesuffix(" ▲"): row for row in rows[1:]} for title, rows in tables if title}


# ---- terms, looked up with regular expressions


def written(text: str) -> str:
    text = "".join(sign for sign in html.unescape(text) if unicodedata.category(sign) != "Cf")
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return re.sub(r"\s+", " ", text.replace("\u2019", "'").replace("\u2018", "'").replace("\ufe0f", ""))


def whole(form: str, further: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_]){re.escape(form)}(?![^\W_]{further})")


def expressions(term: str, *, phrase: bool = False) -> list[tuple[str, re.Pattern[str]]]:
    """The ways to write a term, each with what finds it as a whole word."""
    made = []
    for form in {term, term.replace(" ", "-"), term.replace(" ", "_")}:
        made.append((form, whole(form)))
        if (phrase or " " not in term) and form[-1].isalpha() and form[-1] != "s":
            made.append((form + "s", whole(form + "s")))
    if term.endswith("."):
        made.append((term[:-1], whole(term[:-1], r"|\.")))
    return made


PLACES = re.compile(
    r"(?<![^\W_])(?:[a-z][a-z0-9+.-]+://|www\.)\S+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|@\w+"
)


def holds(text: str, span: tuple[int, int], spans) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _rows_of(texts: list[str]) -> tuple[dict, dict, list[int]]:
    """Rows by term of Table 4 and by subgroup; hits lost to phrases and to places."""
    lexicon = load_lexicon(LexiconSpec(), Path())
    groups = {(a, s): terms for a, by in lexicon.attributes.items() for s, terms in by.items()}
    named = [entry.term for entry in lexicon.identity_terms]
    finders = {
        term: expressions(written(term))
        for term in {*named, *(t for terms in groups.values() for t in terms)}
    }
    stops = [(set(s.terms), expressions(written(s.phrase), phrase=True)) for s in lexicon.stop_phrases]
    rows: dict[str, set[int]] = {term: set() for term in finders}
    lost = [0, 0]
    for row, text in enumerate(map(written, texts)):
        places = None
        for term, finder in finders.items():
            hits = {hit.span() for form, found in finder if form in text for hit in found.finditer(text)}
            for span in hits:
                if places is None:
                    places = [hit.span() for hit in PLACES.finditer(text)]
                phrases = (
                    hit.span()
                    for of, forms in stops
                    if term in of
                    for form, found in forms
                    if form in text
                    for hit in found.finditer(text)
                )
                if holds(text, span, places):
                    lost[1] += 1
                elif holds(text, span, phrases):
                    lost[0] += 1
                else:
                    rows[term].add(row)
    by_group = {f"{a}: {s}": set().union(*(rows[term] for term in terms)) for (a, s), terms in groups.items()}
    return {term: rows[term] for term in named}, by_group, lost
