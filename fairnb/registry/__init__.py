"""Systems, corpora and embeddings known by name: licence, size, address, digests; and fetching them."""

from fairnb.registry._fetch import Status, fetch, fetched, parts, status
from fairnb.registry._known import Kind, Known, KnownFile, all_known, known
from fairnb.registry._packages import check_package

__all__ = [
    "Kind",
    "Known",
    "KnownFile",
    "Status",
    "all_known",
    "check_package",
    "fetch",
    "fetched",
    "known",
    "parts",
    "status",
]
