"""JSON as text: one spelling for hashes, one for people, and errors that are ValueError."""

from __future__ import annotations

import json
import re
from typing import Any


def canonical_json(data: Any) -> str:
    """JSON with one spelling for one content: sorted keys, no blanks, no NaN."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parse_json(text: str | bytes, **options: Any) -> Any:
    """What a JSON text says; ValueError where it is none."""
    try:
        return json.loads(text, **options)
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply") from None


_NUMBERS = re.compile(r"\[\n\s*([^\[\]{}\"]*?)\n\s*\]")


def readable_json(data: Any, indent: int = 2) -> str:
    """JSON for people: indented, with vectors in one line; ends with a new line."""
    text = json.dumps(data, indent=indent, allow_nan=False)
    return _NUMBERS.sub(lambda match: f"[{' '.join(match[1].split())}]", text) + "\n"
