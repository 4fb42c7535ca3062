"""Systems under assessment: adapters that give a score per class for texts, and the cache of scores."""

from fairnb.system._cache import ScoreCache
from fairnb.system._masked import Tokens
from fairnb.system._open import open_system
from fairnb.system._paper_cnn import PaperCnn, WordVectors, train_paper_cnn
from fairnb.system._save import save_object
from fairnb.system._scores import Scores, Unscored, positive, recorded_scores
from fairnb.system._scoring import score_masked, score_texts
from fairnb.system._spec import KINDS, SystemSpec
from fairnb.system._system import System

__all__ = [
    "KINDS",
    "PaperCnn",
    "ScoreCache",
    "Scores",
    "System",
    "SystemSpec",
    "Tokens",
    "Unscored",
    "WordVectors",
    "open_system",
    "positive",
    "recorded_scores",
    "save_object",
    "score_masked",
    "score_texts",
    "train_paper_cnn",
]
