"""Each case of `vorton validate`, and what the command writes."""

import html.parser
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import trapezoid

from vorton import cli
from vorton.validation import CASES, Case, Result, report
from vorton.validation.buoyancy import coupling

LONG = {
    "boards: flow along a duct",
    "boards: ring in a room of boards",
    "biot savart: smooth field on the grid",
    "buoyancy: lifted parcel",
    "buoyancy: run of a thermal",
    "buoyancy: wave on a slab",
    "diffusion: core of a straight vortex",
    "diffusion: viscous ring",
    "fire: books of a fire",
    "potential flow: vortex of hill",
    "rings: ring with a gaussian core",
}
"""Kinds whose first case takes more than a tenth of a second."""


def slow_cases():
    """All but the first quick case of each kind that is soon done: the others vary its
    parameters."""
    kinds = set(LONG)
    for case in CASES:
        kind = case.name.split(" (")[0]
        if not case.quick or kind in kinds:
            yield case.name
        else:
            kinds.add(kind)


SLOW = set(slow_cases())


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, id=c.name, marks=pytest.mark.slow if c.name in SLOW else ())
        for c in CASES
    ],
)
def test_it_is_passed(case):
    result = case.run()
    assert result.passed, (
        f"{result.quantity} is {result.computed}, exact {result.exact} {result.unit}:"
        f" error {result.error:.3g}, tolerance {result.tolerance}"
    )
    for line in result.lines:
        assert len(line.x) == len(line.y) > 1 and np.isfinite(line.y).all()
        assert all(result.axes)


def test_they_have_names_of_their_own_and_say_what_they_compare():
    assert len({case.name for case in CASES}) == len(CASES) > 60
    assert all(case.source and case.description for case in CASES)
    assert len({case.subject for case in CASES}) >= 8


@pytest.mark.parametrize(
    "exact, computed, scale, error",
    [(2.0, 2.1, None, 0.05), (-2.0, -2.1, None, 0.05), (0.0, 0.3, 3.0, 0.1), (5.0, 4.0, 2.0, 0.5)],
)
def test_the_error_is_relative_or_over_the_scale(exact, computed, scale, error):
    for tolerance in (1.01 * error, 0.99 * error):
        result = Result("q", exact, computed, tolerance, scale=scale)
        assert result.error == pytest.approx(error)
        assert result.passed == (tolerance > error)
    assert not Result("q", exact, float("nan"), 1e9, scale=scale).passed
    assert not Result("q", exact, float("inf"), 1e9, scale=scale).passed


def test_coupling_is_the_sum_over_waves_across():
    """The formula of the slab's faces, against the integral that it comes from."""
    k, d, core = 0.2, 6.0, 1.7
    q = np.linspace(-40, 40, 400_001)
    sheet = 2 * k / (k**2 + q**2) * np.exp(-(core**2) * (k**2 + q**2) / 2) / (2 * np.pi)
    own, other = coupling(k, d, core)
    assert trapezoid(sheet, q) == pytest.approx(own, rel=1e-6)
    assert trapezoid(sheet * np.cos(q * d), q) == pytest.approx(other, rel=1e-6)
    for new, old in zip(coupling(k, d, 1e-6), coupling(k, d, 0), strict=True):
        assert new == pytest.approx(old, rel=1e-5)


# ---- what the command writes ----


def right():
    """A number that is right."""
    return Result("length", 2.0, 2.001, 1e-3, "m")


def wrong():
    """A number that is wrong & said < so."""
    return Result("length", 2.0, float("nan"), 1e-3, "m")


def broken():
    """An error."""
    raise ValueError("no <grid>")


def made(*functions, **options):
    return [
        Case(function, {}, "an <exact> source", True, options.get("needs", ()))
        for function in functions
    ]


def test_what_fails_is_said(monkeypatch, capsys, tmp_path):
    cases = made(right, wrong, broken) + made(right, needs=("no_such_package",))
    monkeypatch.setattr(report, "CASES", cases)
    path = tmp_path / "v.json"
    assert cli.main(["validate", "--json", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["passed", "FAILED", "FAILED", "not"]
    assert lines[0].endswith("length 2.001 m, exact 2 m, error 0.0005 of 0.001")
    assert "ValueError: no <grid>" in lines[2] and "needs no_such_package" in lines[3]
    assert lines[4] == "1 of 4 cases passed, 2 failed, 1 were not run"
    data = json.loads(path.read_text())
    assert [row["passed"] for row in data["cases"]] == [True, False, False, None]
    assert data["cases"][1]["computed"] is None  # not a number
    monkeypatch.setattr(report, "CASES", made(right))
    assert cli.main(["validate"]) == 0


class Page(html.parser.HTMLParser):
    """Texts of the cells, and how many pictures."""

    def __init__(self, text):
        super().__init__()
        self.cells, self.pictures, self.open = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "td":
            self.cells.append("")
        if tag == "img":
            self.pictures.append(dict(attributes)["src"])

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data


@pytest.mark.slow
def test_page_and_json_hold_what_is_printed(tmp_path, capsys):
    page, data = tmp_path / "v.html", tmp_path / "v.json"
    words = ["validate", "two vortons", "--quick", "--html", str(page), "--json", str(data)]
    assert cli.main(words) == 0
    rows = json.loads(data.read_text())["cases"]
    assert len(rows) == sum("two vortons" in case.name for case in CASES)
    printed, found = capsys.readouterr().out, Page(page.read_text())
    for row in rows:
        assert row["passed"] and f"{row['computed']:.6g}" in printed
        assert f"{row['computed']:.6g}" in found.cells and row["name"] in printed
    pytest.importorskip("matplotlib")
    assert len(found.pictures) == len(rows)
    assert all(picture.startswith("data:image/png;base64,iVBOR") for picture in found.pictures)


def rows_of_the_page():
    """Name of the case, quantity, and what is exact and computed, of `examples/VALIDATION.md`."""
    page = Path(__file__).parents[1] / "examples" / "VALIDATION.md"
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = line.strip("| ").split(" | ")
        if len(cells) == 6 and not cells[0].startswith(("case", "---")):
            name, quantity = re.fullmatch(r"(.*?(?: \(.*?\))?): (.*)", cells[0]).groups()
            yield name, quantity, *(float(cell.split()[0]) for cell in cells[1:3])


def test_the_page_of_examples_names_cases_that_there_are():
    names = [case.name.split(": ", 1)[1] for case in CASES]
    rows = list(rows_of_the_page())
    assert len(rows) > 10
    assert [name for name, *_ in rows if name not in names] == []


@pytest.mark.slow
def test_the_page_of_examples_has_the_numbers_of_now():
    cases = {case.name.split(": ", 1)[1]: case for case in CASES}
    for name, quantity, exact, computed in rows_of_the_page():
        result = cases[name].run()
        assert result.quantity == quantity
        assert (exact, computed) == pytest.approx((result.exact, result.computed), rel=0.01), name


def test_page_names_what_is_markup(monkeypatch, tmp_path):
    monkeypatch.setattr(report, "CASES", made(wrong, broken))
    path = tmp_path / "v.html"
    assert cli.main(["validate", "--html", str(path)]) == 1
    text = " ".join(Page(path.read_text()).cells)
    assert "wrong & said < so" in text and "no <grid>" in text and "an <exact> source" in text


def test_words_that_name_no_case(capsys):
    assert cli.main(["validate", "nothing like that"]) == 1
    said = capsys.readouterr().err
    assert "no case has nothing like that in its name" in said and "rings" in said
