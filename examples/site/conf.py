"""Settings of Sphinx for the pages that build.py writes."""

import re

import vorton

project = "vorton"
author = "The vorton authors"
version = release = vorton.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxarg.ext",
    "sphinx_design",
    "sphinx_copybutton",
]

# Docstrings: NumPy style, `x` is code or the name of a class.
default_role = "py:obj"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_default_options = {"no-value": True}
python_display_short_literal_types = True
add_module_names = False
suppress_warnings = ["ref.python"]  # `frames` may be one of several

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"vorton {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
copybutton_prompt_text = ">>> "


def escape(app, what, name, thing, options, lines):
    """|alpha| and words that end in _ mean themselves; code stays as it is."""
    for n, line in enumerate(lines):
        if not re.match(r"\s*(>>>|\.\.\.)", line):
            parts = re.split(r"(`[^`]*`)", line)
            parts[::2] = [re.sub(r"\||_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
            lines[n] = "".join(parts)
    if what in ("property", "attribute", "data"):
        lines[:0] = ["..", ""]  # or napoleon takes what stands before a colon for a type


def hide_any(app, what, name, thing, options, signature, returned):
    """A signature that only says that there are parameters is left out, and that of a record, which
    users do not make."""
    is_record = what == "class" and name.startswith("vorton.records.")
    return ("", None) if is_record or signature == "(*_values, **named)" else None


def setup(app):
    app.connect("autodoc-process-signature", hide_any)
    app.connect("autodoc-process-docstring", escape, priority=400)  # before napoleon
