"""What the pages take from the code: sections of files, docstrings, tables, headers, messages."""

import ast
import functools
import importlib
import inspect
import os
import re
import runpy
from pathlib import Path

import vorton as vt
from vorton import _core, cli
from vorton.bench import make_parser
from vorton.records import HEALTH_LIMITS

__all__ = [
    "bench_text",
    "block",
    "cards",
    "columns",
    "default",
    "document",
    "exit_statuses",
    "health_table",
    "methods_table",
    "picture",
    "read",
    "scene_warnings",
    "section",
    "stages",
    "statuses",
    "step_warnings",
    "timed_stages",
    "top",
    "wheel_name",
    "wheels_table",
    "whole",
]

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "examples/pictures"


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


# ---- pieces of Markdown ----


assets = {}
"""Pictures that texts show from elsewhere in the repository, by their names in the site."""


def _place(match, folder, up):
    """A link of Markdown, where its text stands on a page: pictures are taken along, hosts have
    pages, other files of the repository are named alone."""
    mark, text, target = match.groups()
    path = (ROOT / folder / target.partition("#")[0]).resolve()
    if re.match(r"\w+:|#", target) or not path.exists():
        return match[0]
    if path.parent == PICTURES:
        return f"{mark}[{text}]({up}pictures/{path.name})"
    if mark:
        name = "-".join(path.relative_to(ROOT).parts)
        assets[name] = path
        return f"![{text}]({up}pictures/{name})"
    if path.name == "README.md" and path.parent.parent == ROOT / "vorton/hosts":
        return f"[{text}]({up}hosts/{path.parent.name}.md)"
    return text


def _adapt(text, path, depth=0):
    """A text of the repository, for a page `depth` folders down: its links and pictures, and the
    examples that it names."""
    up = "../" * depth
    folder = (ROOT / path).parent
    text = re.sub(r'<img src="(.*?)".*? alt="(.*?)">', r"![\2](\1)", text)
    text = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", lambda m: _place(m, folder, up), text)
    known = {example.stem for example in examples()}

    def link(match):
        if match[1] in known:
            return f"[{match[0]}]({up}gallery/{match[1]}.md)"
        if match[2] and (ROOT / "vorton/hosts" / match[2] / "README.md").is_file():
            return f"[{match[0]}]({up}hosts/{match[2]}.md)"
        return match[0]

    names = r"`(?:(?:examples/)?(\w+)\.py|vorton/hosts/(\w+)/README\.md)`"
    return re.sub(names, link, text)


def section(path, heading, depth=0, titled=False):
    """A section of a Markdown file, without its heading or with it as the title of a page."""
    level = "#" * (len(heading) - len(heading.lstrip("#")))
    body = read(path).split(f"\n{heading}\n", 1)[1]
    body = re.split(rf"\n#{{1,{len(level)}}} ", body)[0].strip()
    title = f"# {heading.lstrip('# ')}\n\n" if titled else ""
    return title + _adapt(body, path, depth)


def top(path, depth=0):
    """What a Markdown file says before its first section, without the title."""
    body = re.split(r"\n## ", read(path))[0]
    return _adapt(re.sub(r"\A# .*\n", "", body).strip(), path, depth)


def whole(path, depth=0):
    """A Markdown file as a page."""
    return _adapt(read(path), path, depth)


def block(path, words):
    """The block of code of a Markdown file that has these words in it."""
    blocks = re.findall(r"^```.*?^```", read(path), re.M | re.S)
    (found,) = (text for text in blocks if words in text)
    return found


def picture(name, text):
    """A picture of examples/pictures, for a page at the top."""
    assert (PICTURES / name).is_file(), name
    return f"![{text}](pictures/{name})"


# ---- tables of the core ----


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines)


def default(definition, name):
    """Default of a parameter, with its unit."""
    row = _core.DEFINITIONS[definition][name]
    return f"{row['default']:g} {row['unit']}".strip()


def health_table():
    """Numbers of `Simulation.health` that have a limit."""
    rows = [(f"`{name}`", f"{row.limit:g}", row.meaning, row.remedy)
            for name, row in HEALTH_LIMITS.items()]  # fmt: skip
    return _table(("number", "bad above", "what is wrong", "what to change"), rows)


def methods_table():
    """The choices of `Method`."""
    rows = []
    for row in _core.DEFINITIONS["method"].values():
        allowed = ", ".join(row["choices"] or ()) or f"{row['least']:g} to {row['most']:g}"
        rows.append((f"`{row['name']}`", row["default"], allowed, row["doc"]))
    return _table(("choice", "default", "allowed", "what it does"), rows)


def columns(kind):
    """Columns of the "vortons" or "tracers", or the fields at the nodes of the "grid"."""
    kinds = {"vortons": _core.VORTON_COLUMNS, "tracers": _core.TRACER_COLUMNS}
    rows = []
    for row in kinds.get(kind, _core.GRID_FIELDS):
        many = f" x {row['components']}" if row["components"] > 1 else ""
        unit = f", {row['unit']}" if row.get("unit") else ""
        rows.append((f"`{row['name']}`", row["dtype"] + many, row["description"] + unit))
    return _table(("name", "type", "what it is"), rows)


def timed_stages():
    """The parts of a frame that `Simulation.timings` measures, in order."""
    rows = [(f"`{row['name']}`", row["description"]) for row in _core.TIMED_STAGES]
    return _table(("part", "what it does"), rows)


# ---- wheels ----


@functools.cache
def _builder():
    """What .ci/wheels.py defines, by name."""
    return runpy.run_path(str(ROOT / ".ci" / "wheels.py"))


def wheel_name(platform):
    """File of the wheel for a platform."""
    assert platform in _builder()["PLATFORMS"], platform
    return _builder()["wheel_name"](vt.__version__, platform)


def wheels_table():
    """The wheels, and how each has been run."""
    how = {"qemu-aarch64": "by QEMU", "wine64": "by Wine", "": "where it is built"}
    rows = []
    for name, platform in sorted(_builder()["PLATFORMS"].items()):
        ran = "never: linked and checked"
        if platform.runner is not None:
            ran = how[Path(platform.runner[0]).name if platform.runner else ""]
        rows.append((f"`{wheel_name(name)}`", ran))
    return _table(("wheel", "has been run"), rows)


# ---- messages ----


def document(name):
    """What the docstring of a public name says before its lists, as one paragraph."""
    text = re.split(r"\n\w+\n---", inspect.getdoc(getattr(vt, name)))[0]
    return " ".join(text.split())


def exit_statuses():
    """Of the command."""
    return inspect.getdoc(cli).split("\n\n")[1]


def _joined(node):
    """Text of a string or an f-string; what is put in stands as an ellipsis."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_joined(value) for value in node.values)
    return "…"


GIVEN_BY_OTHERS = {"changed_origin"}
"""Functions whose texts another one gives as a warning, as they are."""


def scene_warnings():
    """Texts of the warnings of Python, with the docstrings of what gives them."""
    found = []
    names = ("scenes/scene_advice", "scenes/fire_advice", "scenes/key_advice", "preview/film")
    names += ("simulations/saved", "bakes/bake_folders", "bakes/gathering", "bakes/origin")
    files = [f"vorton/{name}.py" for name in names]
    for function in (node for file in files for node in ast.parse(read(file)).body):
        if not isinstance(function, ast.FunctionDef):
            continue
        nodes = list(ast.walk(function))
        if function.name in GIVEN_BY_OTHERS:
            given = [n.value for n in nodes if isinstance(n, ast.Return)]
            texts = [_joined(value) for value in given if isinstance(value, ast.JoinedStr)]
            found += [_message(text, ast.get_docstring(function)) for text in texts]
        calls = [n for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == "warn"]
        if not calls:
            continue
        texts = [
            _joined(n.value) for n in nodes
            if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "text"
        ]  # fmt: skip
        texts += [_joined(call.args[0]) for call in calls if ast.unparse(call.args[0]) != "text"]
        texts = [text for text in texts if re.search(r"\w", text)]  # else it is another's
        found += [_message(text, ast.get_docstring(function)) for text in texts]
    return "\n\n".join(found)


def _message(text, doc):
    """A text, and why it is given: what the docstring tells of warnings, or before its lists."""
    told = re.search(r"\nWarns\n-+\nSceneWarning\n(.*?)(?:\n\n|$)", doc or "", re.S)
    why = told[1] if told else re.split(r"\n\w+\n---", doc or "")[0]
    return f"**{text}**\n\n: {' '.join(why.split())}"


def step_warnings():
    """Texts of the warnings that the core gives while it steps."""
    found = []
    for path in sorted((ROOT / "csrc").rglob("*.c")):
        for call in re.findall(r"vti_warn\(\s*&.*?\);", path.read_text(), re.S):
            text = re.search(r'(?:"(?:[^"\\]|\\.)*"\s*)+', call)[0]  # before what is put in
            strings = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
            text = re.sub(r"%[-.\d]*(?:ll)?[a-zA-Z]", "…", "".join(strings)).replace('\\"', '"')
            found.append(f"- {text}")
    return "\n".join(found)


def statuses():
    """The kinds of failure of the library, and the exceptions of Python."""
    rows = re.findall(r"(VT_\w+) = (\d+),?\s*/\* (.*?) \*/", read("csrc/include/vorton/base.h"))
    return _table(("status", "number", "meaning"), [(f"`{n}`", v, t) for n, v, t in rows])


def bench_text():
    """What `vorton bench --help` says after its options."""
    return make_parser().epilog


# ---- classes ----


def _first_line(thing):
    return " ".join(inspect.getdoc(thing).split("\n\n")[0].split())


def reference_pages():
    """A page for each module that public names come from, and those that are used by themselves."""
    modules = {}
    for name in vt.__all__:
        module = getattr(vt, name).__module__
        modules.setdefault("vorton" if module == "vorton._core" else module, []).append(name)
    pages, entries = {}, []
    for module, names in sorted(modules.items()):
        title = _first_line(importlib.import_module(module)).split(":")[0].rstrip(".")
        if module == "vorton":
            title = "Errors and paths"
        page = module.rpartition(".")[2]
        text = [f"# {title}", ""]
        for name in names:
            kind = "class" if inspect.isclass(getattr(vt, name)) else "function"
            kind = "exception" if name.endswith(("Error", "Warning")) else kind
            options = (
                ":members:\n:inherited-members: Exception, Warning, IntFlag, int, dict, tuple\n"
            )
            options = options if kind == "class" else ""
            text += ["```{eval-rst}", f".. auto{kind}:: vorton.{name}",
                     *("   " + line for line in options.splitlines()), "```", ""]  # fmt: skip
        pages[f"reference/{page}.md"] = "\n".join(text)
        entries.append((page, title, names))
    rows = []
    for *_, names in entries:
        rows += [(f"{{py:obj}}`{n} <vorton.{n}>`", _first_line(getattr(vt, n))) for n in names]
    for name in ("archive", "preview", "records", "shares", "simulations.views", "testing"):
        module, page = importlib.import_module(f"vorton.{name}"), name.rpartition(".")[2]
        pages[f"reference/{page}.md"] = "\n".join([
            f"# {_first_line(module).split(':')[0].rstrip('.')}", "", "```{eval-rst}",
            f".. automodule:: {module.__name__}", "   :members:", "```", "",
        ])  # fmt: skip
        entries = [entry for entry in entries if entry[0] != page]
        entries.append((page, module.__name__, []))
    toc = [f"{', '.join(names[:3]) + ', …' * (len(names) > 3) or title} <{page}>"
           for page, title, names in entries]  # fmt: skip
    pages["reference/index.md"] = "\n".join([
        "# Python reference", "",
        _table(("name", "what it is"), sorted(rows)), "",
        "```{toctree}", ":hidden:", *toc, "```", "",
    ])  # fmt: skip
    return pages


# ---- gallery ----


@functools.cache
def examples():
    """The scripts of examples/ that are shown."""
    return [p for p in sorted((ROOT / "examples").glob("*.py")) if not p.name.startswith("test_")]


def _pictures_of(stem):
    names = {"controls": "control_*", "blender_campfire": "campfire_cycles.*"}
    return sorted(PICTURES.glob(names.get(stem, f"{stem}.*")))


def _of_docstring(path):
    """Title, text and commands."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    commands = [line.strip() for line in text.splitlines()
                if re.match(r"\s*(vorton|python|blender) ", line)]  # fmt: skip
    paragraphs = [p for p in text.split("\n\n") if not re.match(r"\s*(vorton|python|blender) ", p)]
    return path.stem.replace("_", " ").capitalize(), "\n\n".join(paragraphs), commands


def cards(words=()):
    """The gallery: a card for each example with a picture, or for those named."""
    made = ["::::{grid} 2 2 3 3", ":gutter: 2", ""]
    for path in examples():
        found = _pictures_of(path.stem)
        if not found or (words and path.stem not in words):
            continue
        title, text, _ = _of_docstring(path)
        first = re.split(r"[.:](?:\s|$)", text)[0]
        up, down = ("", "gallery/") if words else ("../", "")
        made += [
            f":::{{grid-item-card}} {title}",
            f":img-top: {up}pictures/{found[0].name}",
            f":link: {down}{path.stem}",
            ":link-type: doc",
            "",
            " ".join(first.split()),
            ":::",
            "",
        ]
    return "\n".join([*made, "::::"])


def gallery_pages():
    """A page for each example: what it is, its pictures, the commands, the scene."""
    pages = {}
    for path in examples():
        title, text, commands = _of_docstring(path)
        lines = [f"# {title}", "", _adapt(text, path, 1), ""]
        lines += [f"![{p.stem.replace('_', ' ')}](../pictures/{p.name})\n"
                  for p in _pictures_of(path.stem)]  # fmt: skip
        if commands:
            lines += ["```sh", *commands, "```", ""]
        source = os.path.relpath(path, ROOT)
        lines += [f"`{source}`:", "", "```python", path.read_text(encoding="utf-8"), "```", ""]
        pages[f"gallery/{path.stem}.md"] = "\n".join(lines)
    return pages


# ---- hosts ----


def host_pages():
    """A page for each host that has a README."""
    pages, names = {}, []
    for path in sorted((ROOT / "vorton/hosts").glob("*/README.md")):
        name = path.parent.name
        names.append(name)
        pages[f"hosts/{name}.md"] = "\n".join([
            _adapt(path.read_text(encoding="utf-8"), path, 1), "", "## Functions of Python", "",
            "```{eval-rst}", f".. automodule:: vorton.hosts.{name}", "   :members:",
            "   :imported-members:", "```", "",
        ])  # fmt: skip
    pages["hosts/index.md"] = "\n".join([
        "# Hosts", "", importlib.import_module("vorton.hosts").__doc__ or "", "",
        "```{toctree}", ":maxdepth: 2", *names, "```", "",
    ])  # fmt: skip
    return pages


# ---- the C library ----


def _comment(text):
    """A comment of C as plain text; formulas, which are indented, as blocks."""
    lines = [re.sub(r"^\s*/?\*+/? ?|\s*\*+/\s*$", "", line) for line in text.strip().splitlines()]
    out, inside = [], False
    for line in lines:
        formula = bool(re.match(r"\s{2,}\S", line))
        if formula != inside and line.strip():
            out += ["", "```text"] if formula else ["```", ""]
            inside = formula
        out.append(line if inside else re.sub(r"([*_<|$\\])", r"\\\1", line))
    return "\n".join([*out, *(["```"] if inside else [])])


def _definition_table(name):
    rows = []
    for row in _core.DEFINITIONS[name].values():
        rows.append((f"`{row['name']}`", row["type"], row["default"], row["unit"], row["doc"]))
    return _table(("member", "type", "default", "unit", "meaning"), rows)


NOT_SHOWN = r"""(?mx)
    ^\#(?:ifndef|define)[ ]VORTON_\w+_H.*\n | ^VT_(?:BEGIN|END)_C.*\n
    | ^\#include[ ][<"].*\.h[>"].*\n
    | ^\#ifdef[ ]__cplusplus\n(?:extern.*|\})\n\#endif\n | ^\#endif\n\Z
"""
"""Lines of a header that say nothing to readers: guards, other headers, the language of C."""


def _declarations(text):
    """The body of a header in Markdown, and the functions in it."""
    lines, functions = [], []
    for piece in re.split(r"\n{2,}", re.sub(NOT_SHOWN, "", text).strip()):
        heading = re.fullmatch(r"/\* -+ (.*?) -+ \*/", piece.strip())
        if heading:
            lines += [f"## {heading[1].capitalize()}", ""]
            continue
        match = re.match(r"\s*(/\*.*?\*/)\n(.*)\Z", piece, re.S)
        comment, code = match.groups() if match else ("", piece)
        declared = re.findall(r"^VT_API [^;(]*?(vt_\w+)\(", code, re.M)
        functions += declared
        lines += ["", *(f"(c-{name})=" for name in declared)]
        lines += [_comment(comment), "", "```c", code.strip(), "```", ""]
        for table in re.findall(r'#include "vorton/(\w+)\.def"', code):
            if table in _core.DEFINITIONS:
                lines += [_definition_table(table), ""]
    return lines, functions


def header_pages():
    """A page for each public header: what it declares, with the comments, and its tables."""
    folder = ROOT / "csrc/include/vorton"
    order = re.findall(r'#include "vorton/(\w+)\.h"', read("csrc/include/vorton.h"))
    order += sorted(p.stem for p in folder.glob("*.h") if p.stem not in order)
    pages, rows = {}, []
    for name in order:
        text = (folder / f"{name}.h").read_text(encoding="utf-8")
        head, rest = re.match(r"(/\*.*?\*/)\s*(.*)\Z", text, re.S).groups()
        lines, functions = _declarations(rest)
        pages[f"c/{name}.md"] = "\n".join([f"# vorton/{name}.h", "", _comment(head), "", *lines])
        if functions:
            links = ", ".join(f"{{ref}}`{f} <c-{f}>`" for f in functions)
            rows.append((f"[{name}.h]({name}.md)", links))
    head = re.match(r"/\*.*?\*/", read("csrc/include/vorton.h"), re.S)[0]
    lines = ["# The C library", "", _comment(head), "", "## Functions", ""]
    lines += [_table(("header", "functions"), rows), "", "## A program that links it", ""]
    lines += ["```c", read("examples/c/ring.c"), "```", ""]
    lines += ["```{toctree}", ":hidden:", "programs", *order, "```", ""]
    pages["c/programs.md"] = whole("examples/c/README.md", 1)
    pages["c/index.md"] = "\n".join(lines)
    return pages


# ---- numerics ----


def stages():
    """What the header of each unit says, folder by folder as csrc/README.md orders them."""
    rows = re.findall(r"^\| `([\w/]+)/` \| (.*) \|$", read("csrc/README.md"), re.M)
    lines = []
    for folder, about in rows:
        headers = sorted((ROOT / "csrc" / folder).glob("*.h"))
        heads = [(p.stem, re.match(r"/\*.*?\*/", p.read_text(), re.S)) for p in headers]
        heads = [(stem, match[0]) for stem, match in heads if match]
        if folder in ("include", "base", "python", "api") or not heads:
            continue
        lines += [f"### `{folder}/`", "", about, ""]
        for stem, head in heads:
            lines += [f"#### {stem.replace('_', ' ')}", "", _comment(head), ""]
    return "\n".join(lines)
