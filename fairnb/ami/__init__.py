"""The shared task AMI at Evalita 2020: its files, its scores, its baseline, and a synthetic set of its kind."""

from fairnb.ami._files import (
    RawSet,
    SyntheticSet,
    read_raw,
    read_synthetic,
    read_terms,
    write_submission,
)

__all__ = [
    "RawSet",
    "SyntheticSet",
    "read_raw",
    "read_synthetic",
    "read_terms",
    "write_submission",
]
