"""Benchmarks: `python -m vorton.bench`, or `vorton bench`."""

from .command import main, make_parser

__all__ = ["main", "make_parser"]
