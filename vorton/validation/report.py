"""What `vorton validate` runs and writes: a line for each case, JSON, and a page with figures."""

from __future__ import annotations

import base64
import html
import importlib.util
import io
import json
import math
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from . import CASES, Case, Result

Row = dict[str, Any]


def chosen(quick: bool, words: Sequence[str] = ()) -> list[Case]:
    """The quick cases, or all; of these, those whose name has one of the words.

    Raises
    ------
    ValueError
        No case has such a name.
    """
    cases = [case for case in CASES if case.quick or not quick]
    wanted = [c for c in cases if not words or any(w.lower() in c.name.lower() for w in words)]
    if not wanted:
        subjects = ", ".join(dict.fromkeys(case.subject for case in CASES))
        which = "quick case" if quick else "case"
        raise ValueError(f"no {which} has {' or '.join(words)} in its name; subjects: {subjects}")
    return wanted


def run(cases: Sequence[Case]) -> Iterator[tuple[Row, Result | None]]:
    """Runs them one by one; gives the row of each for the report, and its result.

    A case that fails with an error is not passed, and says it; one whose packages are not installed
    is neither passed nor failed: its `passed` is None.
    """
    for case in cases:
        row: Row = {
            "name": case.name,
            "subject": case.subject,
            "description": case.description,
            "source": case.source,
            "passed": None,
            "note": "",
        }
        if case.missing:
            row["note"] = f"not run: needs {', '.join(case.missing)}"
            yield row, None
            continue
        began = time.perf_counter()
        try:
            result = case.run()
        except Exception as error:
            row |= {"passed": False, "note": f"{type(error).__name__}: {error}"}
            yield row, None
            continue
        row |= {
            name: getattr(result, name)
            for name in ("quantity", "unit", "exact", "computed", "error", "tolerance", "passed")
        }
        row |= {"relative": result.scale is None, "seconds": time.perf_counter() - began}
        yield row, result


def line_of(row: Row) -> str:
    """A row as one line of text."""
    if row["note"]:
        return f"{'FAILED' if row['passed'] is False else 'not run':8}{row['name']}: {row['note']}"
    unit = f" {row['unit']}" if row["unit"] else ""
    return (
        f"{'passed' if row['passed'] else 'FAILED':8}{row['name']}: {row['quantity']}"
        f" {row['computed']:.6g}{unit}, exact {row['exact']:.6g}{unit},"
        f" error {row['error']:.2g} of {row['tolerance']:g}"
    )


def count_text(rows: Sequence[Row]) -> str:
    """How many have passed."""
    passed, failed, left = (
        sum(row["passed"] is value for row in rows) for value in (True, False, None)
    )
    text = f"{passed} of {len(rows)} cases passed"
    text += f", {failed} failed" if failed else ""
    return text + (f", {left} were not run" if left else "")


def machine() -> dict[str, str]:
    """Where the numbers come from; those of vorton are the same on every processor."""
    return {
        "vorton": _core.version(),
        "build": _core.build(),
        "simd": _core.simd(),
        "backend": _core.backend(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": platform.platform(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def write_json(path: Path, rows: Sequence[Row]) -> None:
    """All rows and where they come from; numbers that are not finite are null."""
    plain = [{key: _plain(value) for key, value in row.items()} for row in rows]
    path.write_text(json.dumps({"machine": machine(), "cases": plain}, indent=1) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


# ---- page ----

_STYLE = """body { font: 15px/1.45 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; width: 100% } td, th { padding: .25em .6em; text-align: left;
border-bottom: 1px solid #ddd; vertical-align: top } td.n { text-align: right; white-space: nowrap }
.failed { background: #fbe3df } .left { color: #777 } small { color: #555 } img { width: 22em }"""


def write_html(path: Path, rows: Sequence[Row], results: Sequence[Result | None]) -> None:
    """A page that holds all of it; with figures where matplotlib is installed."""
    draws = importlib.util.find_spec("matplotlib") is not None
    parts = [
        f"<!doctype html><meta charset='utf-8'><title>vorton: validation</title>"
        f"<style>{_STYLE}</style><h1>Validation of vorton {html.escape(_core.version())}</h1>",
        f"<p>{html.escape(count_text(rows))}. Error: |computed - exact| over |exact|, or over the "
        "scale of the flow where the exact value is 0 or passes through it.</p>",
        "<p><small>"
        + html.escape("; ".join(f"{key}: {value}" for key, value in machine().items()))
        + "</small></p>",
    ]
    subject = None
    for row, result in zip(rows, results, strict=True):
        if row["subject"] != subject:
            parts.append("</table>" if subject is not None else "")
            subject = row["subject"]
            head = "".join(
                f"<th>{name}</th>"
                for name in ("case", "quantity", "exact", "computed", "error", "tolerance", "")
            )
            parts.append(f"<h2>{html.escape(subject.capitalize())}</h2><table><tr>{head}</tr>")
        parts.append(_html_row(row, result if draws else None))
    path.write_text("\n".join([*parts, "</table>"]) + "\n", encoding="utf-8")


def _html_row(row: Row, result: Result | None) -> str:
    name = row["name"].partition(": ")[2]
    said = f"{html.escape(name)}<br><small>{html.escape(row['description'])} <i>" + (
        f"{html.escape(row['source'])}</i></small>"
    )
    if row["note"]:
        kind = "failed" if row["passed"] is False else "left"
        return (
            f"<tr class='{kind}'><td>{said}</td><td colspan=6>{html.escape(row['note'])}</td></tr>"
        )
    unit = f" {row['unit']}" if row["unit"] else ""
    cells = "".join(
        f"<td class='n'>{text}</td>"
        for text in (
            f"{row['exact']:.6g}{unit}",
            f"{row['computed']:.6g}{unit}",
            f"{row['error']:.2g}",
            f"{row['tolerance']:g}",
            "passed" if row["passed"] else "FAILED",
        )
    )
    figure = f"<br>{_figure(result)}" if result is not None and result.lines else ""
    kind = "" if row["passed"] else " class='failed'"
    return f"<tr{kind}><td>{said}{figure}</td><td>{html.escape(row['quantity'])}</td>{cells}</tr>"


def _figure(result: Result) -> str:
    """The lines of a case as a picture in the page: exact ones dashed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4, 2.6), layout="constrained")
    axes = figure.subplots()
    for line in result.lines:
        exact = line.label.startswith("exact")
        style = {"linestyle": "--", "color": "0.4"} if exact else {"linewidth": 1.5}
        axes.plot(line.x, line.y, label=line.label, **style)
    axes.set(xlabel=result.axes[0], ylabel=result.axes[1])
    if all(
        (np.asarray(line.x) > 0).all() and np.ptp(np.log10(line.x)) > 2 for line in result.lines
    ):
        axes.set(xscale="log", yscale="log")
    axes.legend(frameon=False, fontsize=8)
    out = io.BytesIO()
    FigureCanvasAgg(figure).print_png(out)
    data = base64.b64encode(out.getvalue()).decode()
    return f"<img alt='{html.escape(result.quantity)}' src='data:image/png;base64,{data}'>"


def validate(
    *,
    quick: bool = False,
    words: Sequence[str] = (),
    html_path: Path | None = None,
    json_path: Path | None = None,
) -> int:
    """Runs, prints and writes; 1 where a case has failed, else 0: the command `vorton validate`."""
    rows, results = [], []
    for row, result in run(chosen(quick, words)):
        print(line_of(row))
        sys.stdout.flush()
        rows.append(row)
        results.append(result)
    print(count_text(rows))
    if json_path:
        write_json(json_path, rows)
    if html_path:
        write_html(html_path, rows, results)
    return 1 if any(row["passed"] is False for row in rows) else 0
