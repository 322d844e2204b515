"""What the documentation takes from the code, and its check of links."""

import re
import sys
from pathlib import Path

import pytest

import vorton as vt

SITE = Path(__file__).parents[1] / "examples/site"
HOSTS = Path(vt.__file__).parent / "hosts"


@pytest.fixture(scope="module")
def site():
    sys.path.insert(0, str(SITE))
    try:
        import check_links
        import sources
    finally:
        sys.path.remove(str(SITE))
    return sources, check_links


def test_every_public_name_has_its_place(site):
    text = "\n".join(site[0].reference_pages().values())
    lacking = [
        name for name in vt.__all__
        if f"vorton.{name}\n" not in text
        and f".. automodule:: {getattr(vt, name).__module__}\n" not in text
    ]
    assert lacking == []


def test_every_module_and_host_has_its_place(site):
    text = "\n".join({**site[0].reference_pages(), **site[0].host_pages()}.values())
    hosts = {f"hosts.{path.parent.name}" for path in HOSTS.glob("*/__init__.py")}
    for name in {"archive", "preview", "records", "shares", "testing"} | hosts:
        assert f".. automodule:: vorton.{name}\n" in text, name


def test_every_warning_of_python_is_listed(site):
    shown = site[0].scene_warnings()
    given = [
        path.read_text() for path in HOSTS.parent.rglob("*.py") if path.name != "simulation.py"
    ]
    number = sum(len(re.findall(r"^ +warn\(", text, re.M)) for text in given)
    assert number >= 5 and len(re.findall(r"^\*\*", shown, re.M)) >= number
    assert "no frame holds smoke: " in shown and "holds now, states of" in shown
    assert not re.findall(r"^\*\*\W*\*\*$", shown, re.M)
    assert "---" not in shown and max(map(len, shown.split("\n\n"))) < 600  # no whole docstrings


def test_texts_of_the_repository_have_pages(site):
    assert "vorton sdk" in site[0].header_pages()["c/programs.md"]
    assert "Mantaflow" in site[0].whole("examples/FROM_OTHER_SOLVERS.md")


def test_every_picture_is_shown_with_what_makes_it(site):
    sources, _ = site
    shown = set()
    for name, page in sources.gallery_pages().items():
        pictures = re.findall(r"\(\.\./pictures/(.*?)\)", page)
        assert not pictures or "```sh" in page, f"{name} does not say how to make {pictures}"
        shown.update(pictures)
    others = sources.whole("examples/FROM_OTHER_SOLVERS.md")
    assert "`python tests/beside_mantaflow.py" in others
    shown.update(re.findall(r"\(pictures/(.*?)\)", others))
    assert shown == {path.name for path in sources.PICTURES.iterdir()}


def test_every_warning_of_the_core_is_listed(site):
    sources, _ = site
    header = (sources.ROOT / "csrc/model/warnings.h").read_text()
    kinds = set(re.findall(r"VT_WARN_\w+", header))
    code = "\n".join(path.read_text() for path in (sources.ROOT / "csrc").rglob("*.c"))
    given = re.findall(r"vti_warn\(\s*&s->warnings, (\w+)", code)
    assert set(given) == kinds
    lines = sources.step_warnings().splitlines()
    assert len(lines) == len(given) and all("%" not in line for line in lines)


def test_every_wheel_and_platform_is_told_of(site):
    """macOS is said to be linked alone; each system has a page."""
    sources, _ = site
    rows = {row.split("|")[1].strip(" `"): row for row in sources.wheels_table().splitlines()[2:]}
    assert len(rows) == 5 and all(name.startswith(f"vorton-{vt.__version__}-") for name in rows)
    for name, row in rows.items():
        assert ("never" in row) == ("macosx" in name) and ("Wine" in row) == ("win_" in name)
    pages = {path.stem for path in (SITE / "pages" / "install").glob("*.md")}
    assert pages == {"linux", "windows", "macos"}


def test_links_that_lead_nowhere_are_found(site, tmp_path):
    (tmp_path / "a.html").write_text('<p id="x"></p><a href="b.html#y">')
    (tmp_path / "b.html").write_text(
        '<p id="y"></p><a href="a.html#x"><a href="a.html#z"><img src="c.png">'
        '<a href="https://example.org/none"><a href="#y">'
    )
    broken = [line.split(": ")[1] for line in site[1].find_broken(tmp_path)]
    assert broken == ["a.html#z", "c.png"]


def test_every_function_of_the_library_has_its_place(site):
    sources, _ = site
    headers = (sources.ROOT / "csrc/include").rglob("*.h")
    declared = [re.findall(r"\bVT_API\b[^;{]*?(vt_\w+)\(", p.read_text()) for p in headers]
    pages = "\n".join(sources.header_pages().values())
    assert sorted(re.findall(r"^\(c-(\w+)\)=$", pages, re.M)) == sorted(sum(declared, []))


def test_links_of_texts_lead_to_pages_or_are_text(site):
    sources, _ = site
    text = (
        "see [the list](../../../examples/PICTURES.md), [Blender](../blender/README.md), "
        "`ring.py`, "
        "[web](https://example.org) ![ring](../../../examples/pictures/ring.png) `none.py`"
    )
    assert sources._adapt(text, "vorton/hosts/blender/README.md", 1) == (
        "see the list, [Blender](../hosts/blender.md), [`ring.py`](../gallery/ring.md), "
        "[web](https://example.org) ![ring](../pictures/ring.png) `none.py`"
    )
