"""Opening a masked language model, and refusing what would silently be made of random weights."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fairnb.errors import FairnbError
from fairnb.masked_lm._folder import INSTALL, ModelFolder

if TYPE_CHECKING:
    from fairnb.masked_lm._transformer import MaskedModel

_BASE = "name the base model it was fine-tuned from"
_SHOWN = 3
_VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json")


def load_masked_model(folder: ModelFolder, *, trust: bool = False) -> MaskedModel:
    """Open a masked language model from its folder; nothing is fetched and no code from there is run.

    Parameters
    ----------
    folder : ModelFolder
        See `find_model`.
    trust : bool
        Read weights from a pickle (``.bin``) where there are no safetensors; PyTorch then unpickles tensors only.

    Raises
    ------
    FairnbError
        ``package-missing``; ``broken-model`` for what cannot be read; ``model-code`` for a kind that only code of
        its own knows; ``pickled-model`` for weights that are a
        pickle only; ``no-masked-head`` if a weight of the model with its masked-language head is not in the files,
        as in a fine-tuned classifier; ``not-masked`` if its kind has no such head or its tokenizer no mask;
        ``tokenizer-mismatch``.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise FairnbError(
            "package-missing", f"masked language models need transformers and PyTorch ({error})", INSTALL
        ) from error
    from fairnb.masked_lm._transformer import MaskedModel

    safe = _refuse_pickles(folder, trust)
    where = folder.name
    _refuse_no_vocabulary(folder)
    with _quiet():
        try:
            config = transformers.AutoConfig.from_pretrained(
                folder.path, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            _refuse_own_code(folder)
            raise _broken("its configuration", error, folder) from error
        if type(config) not in transformers.AutoModelForMaskedLM._model_mapping:
            raise FairnbError(
                "not-masked",
                f"a model of the kind {config.model_type} has no masked-language head",
                "name a masked language model, such as one of the BERT or RoBERTa family",
                where=where,
            )
        try:
            model, loading = transformers.AutoModelForMaskedLM.from_pretrained(
                folder.path,
                config=config,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=safe,
                weights_only=True,
                output_loading_info=True,
                dtype=torch.float32,
            )
        except Exception as error:
            raise _broken("its weights", error, folder) from error
        _refuse_missing(loading, where)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder.path, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            raise _broken("its tokenizer", error, folder) from error
    _refuse_tokenizer(tokenizer, model, where)
    facts = {
        "name": folder.name,
        "revision": folder.revision,
        "digest": folder.digest,
        "architecture": type(model).__name__,
        "declared_architectures": list(config.architectures or ()),
        "vocabulary": int(config.vocab_size),
        "parameters": int(model.num_parameters()),
        "weights": "safetensors" if safe else "a pickle, on trust",
        "versions": {"transformers": transformers.__version__, "torch": str(torch.__version__)},
    }
    return MaskedModel(model, tokenizer, facts)


def _refuse_pickles(folder: ModelFolder, trust: bool) -> bool:
    """Whether the weights are safetensors."""
    if not (folder.path / "config.json").is_file():
        raise FairnbError(
            "broken-model",
            "the folder holds no config.json",
            "name the folder that the model was saved into",
            where=folder.name,
        )
    if any(folder.path.glob("*.safetensors")):
        return True
    if not any(folder.path.glob("*.bin")):
        raise FairnbError(
            "broken-model",
            "the folder holds no weights",
            "put model.safetensors into it",
            where=folder.name,
        )
    if not trust:
        raise FairnbError(
            "pickled-model",
            "its weights are a pickle, and loading one can run a program",
            "save it as safetensors, or say that you trust it (trust = true, --trust)",
            where=folder.name,
        )
    return False


def _refuse_no_vocabulary(folder: ModelFolder) -> None:
    """Without these files the library makes a tokenizer up that knows its own marks only, and says nothing."""
    if not any(file.name in _VOCABULARIES or file.suffix == ".model" for file in folder.files()):
        raise FairnbError(
            "broken-model",
            "the folder holds no vocabulary",
            "put the tokenizer's files, such as tokenizer.json, into it",
            where=folder.name,
        )


def _refuse_missing(loading: dict[str, Any], where: str) -> None:
    """Refuse a model of which a weight was made up: its answers would be those of random numbers.

    Weights that are tied to others are not reported as missing where those are there.
    """
    absent = sorted({*map(str, loading["missing_keys"]), *map(str, loading["mismatched_keys"])})
    if absent:
        more = len(absent) - _SHOWN
        named = ", ".join(absent[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
        raise FairnbError(
            "no-masked-head",
            f"its files hold no {named}: these weights would be random, as when a fine-tuned classifier is opened "
            "as a masked language model",
            _BASE,
            where=where,
        )


def _refuse_tokenizer(tokenizer: Any, model: Any, where: str) -> None:
    if tokenizer.mask_token is None:
        raise FairnbError(
            "not-masked", "its tokenizer has no mask", "name a masked language model", where=where
        )
    rows = model.get_input_embeddings().num_embeddings
    if len(tokenizer) > rows:
        raise FairnbError(
            "tokenizer-mismatch",
            f"its tokenizer knows {len(tokenizer):,} tokens, the model {rows:,}",
            "put the tokenizer that belongs to the model beside it",
            where=where,
        )


def _refuse_own_code(folder: ModelFolder) -> None:
    """Tell a kind that the library does not know from a damaged configuration."""
    try:
        held = json.loads((folder.path / "config.json").read_bytes())
    except ValueError:
        return
    if isinstance(held, dict) and "auto_map" in held:
        raise FairnbError(
            "model-code",
            "it is of a kind that only code of its own can open, and code that a model brings along is not run",
            "name a model of a kind that transformers knows, such as BERT or RoBERTa",
            where=folder.name,
        )


def _broken(what: str, error: Exception, folder: ModelFolder) -> FairnbError:
    where = folder.name
    told = (str(error).strip().split("\n", 1)[0] or type(error).__name__).removesuffix(".")[:200]
    if isinstance(error, ImportError):
        return FairnbError("package-missing", f"{what} need another package ({told})", INSTALL, where=where)
    told = told.replace(f"{folder.path}{os.sep}", "").replace(str(folder.path), where)
    return FairnbError(
        "broken-model",
        f"{what} cannot be read ({told})",
        "fetch or save the model again, whole",
        where=where,
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' reports and bars off the terminal: what they say is raised as an error."""
    from transformers.utils import logging as its_logging

    level, bars = its_logging.get_verbosity(), its_logging.is_progress_bar_enabled()
    its_logging.set_verbosity(logging.CRITICAL)
    its_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        its_logging.set_verbosity(level)
        if bars:
            its_logging.enable_progress_bar()  # type: ignore[no-untyped-call]
