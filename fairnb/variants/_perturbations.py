"""Texts written another way without saying another thing: what evaders and hasty writers do.

Every change is drawn from the seed and the text alone, so that a text is changed in the same way wherever it
stands. Links, addresses, handles, hashtags and HTML entities stay as they are. Whether the label stays, too, is
an assumption; each perturbation states its own.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fairnb.errors import FairnbError
from fairnb.text import personal_data

# Letters of scripts that have capitals. Words of other scripts, and those with combining marks, stay.
_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ͽͿ-ϿЀ-ҁҊ-ӿ"
_WORD = re.compile(
    rf"(?<![\w#@&\uff03\uff20'’])[{_LETTER}]++(?:['’][{_LETTER}]++)*+(?![\w\u0300-\u036f\u200d])"
)
_ENTITY = re.compile(r"&#?\w+;")

_FEW, _HALF = 0.2, 0.5
"""Shares of the words that can be changed; of each text at least one is."""
_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_LOOK_ALIKE = str.maketrans("aceopxyijsACEHIJKMOPSTXY", "асеорхуіјѕАСЕНІЈКМОРЅТХУ")
_ZERO_WIDTH = "\u200b"
_VOWEL = re.compile(r"[aeiouyAEIOUY]")
_BENIGN = {
    "en": ("have a nice day", "thank you", "love and peace", "good morning everyone"),
    "it": ("buona giornata", "grazie mille", "pace e amore", "buongiorno a tutti"),
}

Edits = Iterable[tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class Perturbed:
    """One text after a perturbation."""

    original: str
    text: str

    @property
    def unchanged(self) -> bool:
        """Whether nothing could be changed: such a text is in no denominator."""
        return self.text == self.original


@dataclass(frozen=True)
class Perturbation:
    """One way to write a text differently."""

    name: str
    title: str
    """What is done, as a table names it."""
    description: str
    assumption: str
    """Why the label is taken to stay, and when that fails."""
    change: Callable[[_Draft], Edits]
    """Pieces of a text to replace: start, end, new."""

    def apply(self, text: str, *, seed: int = 0, language: str = "en") -> Perturbed:
        """Change one text.

        Parameters
        ----------
        text : str
            The raw text.
        seed : int
        language : str
            Code of the text's language; only added words depend on it.

        Returns
        -------
        Perturbed
            The same for the same text, seed and language, whatever other texts there are.
        """
        draft = _Draft(
            text, _Draws(f"{seed}\0{self.name}\0{text}"), language.split("-")[0].casefold() or "en"
        )
        pieces: list[str] = []
        done = 0
        for start, end, new in self.change(draft):
            pieces += (text[done:start], new)
            done = end
        return Perturbed(text, "".join((*pieces, text[done:])))


def perturbations() -> tuple[Perturbation, ...]:
    """Every perturbation, in the order in which results name them."""
    return _ALL


def find_perturbation(name: str) -> Perturbation:
    """The perturbation with a name.

    Raises
    ------
    FairnbError
        ``unknown-perturbation``, with the known names.
    """
    known = {one.name: one for one in _ALL}
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise FairnbError(
            "unknown-perturbation",
            f"there is no perturbation {name!r}",
            f"{hint}use some of {', '.join(known)}",
        )
    return known[name]


class _Draws:
    """Numbers that depend on a sentence alone, the same on every machine."""

    def __init__(self, of: str) -> None:
        self._of = hashlib.sha256(of.encode("utf-8", "surrogatepass")).digest()
        self._drawn = 0

    def number(self) -> int:
        """A whole number of 64 bits."""
        self._drawn += 1
        return int.from_bytes(hashlib.sha256(self._of + self._drawn.to_bytes(8, "big")).digest()[:8], "big")

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return self.number() % n

    def some(self, items: Sequence[_Word], share: float) -> list[_Word]:
        """A share of the items, at least one if there are any, in their order."""
        ranked = sorted(range(len(items)), key=lambda _: self.number())
        return [items[place] for place in sorted(ranked[: max(1, round(share * len(items)))])]


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str


class _Draft:
    """A text about to be changed: its words, and the draws."""

    def __init__(self, text: str, draws: _Draws, language: str) -> None:
        self.text = text
        self.draws = draws
        self.language = language

    def words(self) -> list[_Word]:
        """Words that may be changed."""
        kept = sorted(
            [(found.start, found.end) for found in personal_data(self.text)]
            + [found.span() for found in _ENTITY.finditer(self.text)]
        )
        starts = [start for start, _ in kept]
        words = []
        for found in _WORD.finditer(self.text):
            before = bisect_right(starts, found.end() - 1) - 1
            if before < 0 or kept[before][1] <= found.start():
                words.append(_Word(found.start(), found.end(), found.group()))
        return words

    def runs(self) -> list[list[_Word]]:
        """Words with nothing but one space between them."""
        runs: list[list[_Word]] = []
        for word in self.words():
            if runs and self.text[runs[-1][-1].end : word.start] == " ":
                runs[-1].append(word)
            else:
                runs.append([word])
        return runs


def _lower(draft: _Draft) -> Edits:
    return [(word.start, word.end, word.text.lower()) for word in draft.words()]


def _upper(draft: _Draft) -> Edits:
    return [(word.start, word.end, word.text.upper()) for word in draft.words()]


def _missing_spaces(draft: _Draft) -> Edits:
    followed = [word for run in draft.runs() for word in run[:-1]]
    return [(word.end, word.end + 1, "") for word in draft.draws.some(followed, _FEW)]


def _typos(draft: _Draft) -> Edits:
    """Two neighbouring letters inside a word change places, or one is left out."""
    long = [word for word in draft.words() if len(word.text) >= 4 and word.text.isalpha()]
    for word in draft.draws.some(long, _FEW):
        place = word.start + 1 + draft.draws.below(len(word.text) - 3)
        first, second = draft.text[place], draft.text[place + 1]
        dropped = draft.draws.below(2) or first == second
        yield place, place + 2, second if dropped else second + first


def _repeated(draft: _Draft) -> Edits:
    """The last vowel of a word, or its last letter, is written four times."""
    for word in draft.draws.some([word for word in draft.words() if len(word.text) >= 2], _FEW):
        vowels = [found.start() for found in _VOWEL.finditer(word.text)]
        place = word.start + (vowels[-1] if vowels else len(word.text) - 1)
        yield place, place + 1, 4 * draft.text[place]


def _look_alikes(draft: _Draft) -> Edits:
    """One letter of a word becomes the Cyrillic one that looks like it."""
    able = [word for word in draft.words() if word.text.translate(_LOOK_ALIKE) != word.text]
    for word in draft.draws.some(able, _HALF):
        places = [place for place, letter in enumerate(word.text) if ord(letter) in _LOOK_ALIKE]
        place = word.start + places[draft.draws.below(len(places))]
        yield place, place + 1, draft.text[place].translate(_LOOK_ALIKE)


def _zero_width(draft: _Draft) -> Edits:
    for word in draft.draws.some([word for word in draft.words() if len(word.text) >= 2], _HALF):
        place = word.start + 1 + draft.draws.below(len(word.text) - 1)
        yield place, place, _ZERO_WIDTH


def _leetspeak(draft: _Draft) -> Edits:
    able = [word for word in draft.words() if word.text.translate(_LEET) != word.text]
    return [(word.start, word.end, word.text.translate(_LEET)) for word in draft.draws.some(able, _HALF)]


def _benign_words(draft: _Draft) -> Edits:
    phrases = _BENIGN.get(draft.language, ())
    if not phrases or not draft.text.strip():
        return ()
    phrase = phrases[draft.draws.below(len(phrases))]
    end = len(draft.text)
    return ((0, 0, f"{phrase} "),) if draft.draws.below(2) else ((end, end, f" {phrase}"),)


def _joined_hashtags(draft: _Draft) -> Edits:
    """Two or three words that follow each other become one hashtag."""
    runs = [run for run in draft.runs() if len(run) >= 2]
    if not runs:
        return ()
    run = runs[draft.draws.below(len(runs))]
    length = min(len(run), 2 + draft.draws.below(2))
    first = draft.draws.below(len(run) - length + 1)
    chosen = run[first : first + length]
    joined = "".join(letter for word in chosen for letter in word.text if letter.isalpha())
    return ((chosen[0].start, chosen[-1].end, f"#{joined}"),)


_ALL = (
    Perturbation(
        "lower_case",
        "All in lower case",
        "every word in small letters",
        "Small letters carry the same words; emphasis by capitals is lost, and a name may read as a word (Mark).",
        _lower,
    ),
    Perturbation(
        "upper_case",
        "All in capitals",
        "every word in capitals",
        "Capitals carry the same words; they can read as shouting, which makes a rude text ruder but hardly a "
        "friendly one offensive.",
        _upper,
    ),
    Perturbation(
        "missing_spaces",
        "Missing spaces",
        "one in five spaces between words is left out, at least one",
        "A reader still sees where words end; now and then two words make a third (man age, manage).",
        _missing_spaces,
    ),
    Perturbation(
        "typos",
        "Typing errors",
        "inside one in five words of four letters or more, two letters change places or one is missing",
        "A reader corrects the slip without noticing; now and then it makes another word (form, from).",
        _typos,
    ),
    Perturbation(
        "repeated_letters",
        "Repeated letters",
        "in one in five words one letter is written four times",
        "Drawn-out words say the same with more feeling; in ironic texts the feeling may be the point.",
        _repeated,
    ),
    Perturbation(
        "look_alikes",
        "Look-alike characters",
        "in half of the words one letter is the Cyrillic one that looks like it",
        "On the screen the text is the same to a reader; only software, or a screen reader, sees another.",
        _look_alikes,
    ),
    Perturbation(
        "zero_width",
        "Zero-width characters",
        "half of the words hold a space without width",
        "On the screen the text is the same to a reader; only software sees the difference.",
        _zero_width,
    ),
    Perturbation(
        "leetspeak",
        "Digits for letters",
        "in half of the words 4, 3, 1, 0, 5 and 7 stand for a, e, i, o, s and t",
        "Readers used to it read the same words; others may not, and the disguise itself hints at bad intent.",
        _leetspeak,
    ),
    Perturbation(
        "benign_words",
        "Added kind words",
        "a friendly phrase stands before or after the text",
        "Kind words beside an insult do not take it back, and do not make a friendly text offensive; they can "
        "turn a blunt text into irony.",
        _benign_words,
    ),
    Perturbation(
        "joined_hashtags",
        "Words joined to a hashtag",
        "two or three words that follow each other become one hashtag",
        "A reader takes the hashtag apart; as a hashtag the words may also name a topic rather than say something.",
        _joined_hashtags,
    ),
)
