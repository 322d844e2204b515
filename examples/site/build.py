"""Makes the documentation, one static site, from README.md, docstrings, tables, headers, examples.

python examples/site/build.py [OUT]    # default build/site; open OUT/index.html

Needs vorton and `pip install ".[docs]"`. The pages in `pages/` are templates (Jinja): they call the
functions of `sources.py` for what the code says, so that each fact stands in one place. Whatever
Sphinx warns of is an error, and so is a link that leads nowhere.
"""

import shutil
import sys
from pathlib import Path

import jinja2
import sources
from check_links import find_broken
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).resolve().parent


def write_pages(folder):
    """All sources of Sphinx into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(HERE / "conf.py", folder)
    shutil.copytree(sources.ROOT / "examples/pictures", folder / "pictures")
    (folder / "_static").mkdir()
    shutil.copy(HERE / "site.css", folder / "_static")
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "pages"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    templates.globals |= {name: getattr(sources, name) for name in sources.__all__}
    pages = {name: templates.get_template(name).render() for name in templates.list_templates()}
    pages |= sources.reference_pages() | sources.gallery_pages()
    pages |= sources.host_pages() | sources.header_pages()
    for name, picture in sources.assets.items():
        shutil.copy(picture, folder / "pictures" / name)
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main(out):
    """Status 0: the site is whole."""
    out = Path(out).resolve()
    written = out.parent / f"{out.name}-sources"
    write_pages(written)
    shutil.rmtree(out, ignore_errors=True)
    cache = out.parent / f"{out.name}-cache"
    status = sphinx(["-q", "-W", "--keep-going", "-d", str(cache), str(written), str(out)])
    broken = find_broken(out)
    print("\n".join(broken) or f"{out / 'index.html'}: no broken link")
    return status or bool(broken)


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or [sources.ROOT / "build/site"])))
