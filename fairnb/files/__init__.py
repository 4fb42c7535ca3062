"""The edge to the disk: atomic writes, locks, user folders, a cache, digests, canonical JSON, memory."""

from fairnb.files._atomic import write_all, write_bytes, write_text
from fairnb.files._cache import Cache, Entry
from fairnb.files._digest import canonical_json, digest_of, plain, sha256, sha256_file
from fairnb.files._folders import cache_folder, data_folder, inside, make_folder, templates
from fairnb.files._locks import hold
from fairnb.files._memory import granted_memory

__all__ = [
    "Cache",
    "Entry",
    "cache_folder",
    "canonical_json",
    "data_folder",
    "digest_of",
    "granted_memory",
    "hold",
    "inside",
    "make_folder",
    "plain",
    "sha256",
    "sha256_file",
    "templates",
    "write_all",
    "write_bytes",
    "write_text",
]
