"""The rules of the house: fails with a line for everything that breaks one.

    python .ci/layers.py [--source csrc] [--objects build/objects] [--package vorton]

1. Direction: a file includes headers of its own folder and of lower ones; with --objects the same
   for the symbols that they need. The table of csrc/README.md has the folders, bottom to top.
2. No circle: neither by includes nor by symbols do units (x.c with x.h) need each other.
3. Symbols: what objects export begins with vt_ where a public header declares it and with vti_
   elsewhere (kernels, compiled once for each target: vti_TARGET_).
4. Memory: blocks come from base/memory alone, which asks the host.
5. Sizes: 3 to 25 units in a folder, 600 lines in a file, 80 lines in a function.
6. Python modules keep 1, 2 and 5, too, by the table of vorton/README.md: imports within functions
   count, those for types alone do not; __init__ and __main__ are no modules of a folder, docstrings
   no lines of a function.
7. No file that git tracks is larger than 1 MB.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LEAST_UNITS, MOST_UNITS, MOST_LINES, MOST_FUNCTION_LINES = 3, 25, 600, 80
MOST_BYTES = 1_000_000
ALLOCATES = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "strdup", "free"}


def read_layers(source):
    """Folders from bottom to top: the rows of the table of README.md that begin with a folder."""
    rows = re.findall(r"^\| `([\w/]+)/` \|", (source / "README.md").read_text(), re.MULTILINE)
    return {folder: height for height, folder in enumerate(rows)}


def unit_of(path):
    """x.c and x.h are one unit; the headers of the public interface are one together."""
    return "include" if path.parts[0] == "include" else str(path.with_suffix(""))


def folder_of(unit):
    return unit.rsplit("/", 1)[0] if "/" in unit else unit


def find_includes(source):
    """(unit, unit of the header that it includes), each with where that stands."""
    for path in sorted(source.rglob("*.[ch]")):
        inside = path.relative_to(source)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not found:
                continue
            name = Path(found.group(1))
            where = f"{inside}:{number} includes {name}"
            if (source / name).exists():
                yield unit_of(inside), unit_of(name), where
            elif (source / "include" / name).exists():
                yield unit_of(inside), "include", where
            else:
                yield unit_of(inside), None, where


def list_symbols(objects, source):
    """Of each unit: symbols that its newest objects define, and those that they need."""
    home = {}  # object: source
    for rule in objects.glob("*.d"):
        text = rule.read_text().replace("\\\n", " ")
        path = Path(text.split(": ", 1)[1].split()[0]).resolve()
        made = rule.with_suffix(".o")
        if source.resolve() in path.parents and path.exists() and made.exists():
            home[made] = path
    newest = {}  # (source, target that it is compiled for): symbols that it has, that it needs
    for made, symbols in sorted(run_nm(home).items(), key=lambda row: row[0].stat().st_mtime):
        there = {name for name, kind in symbols if kind != "U"}
        target = {m.group(1) for m in map(re.compile("_(scalar|avx2|avx512)_").search, there) if m}
        newest[home[made], frozenset(target)] = there, {n for n, kind in symbols if kind == "U"}
    defined, needed = defaultdict(set), defaultdict(set)
    for (path, _), (there, missing) in newest.items():
        unit = unit_of(path.relative_to(source.resolve()))
        defined[unit] |= there
        needed[unit] |= missing
    return defined, needed


def run_nm(objects):
    """(name, kind) of the symbols of each object."""
    found = {made: [] for made in objects}
    if objects:
        command = ["nm", "-g", "-P", "-A", *map(str, objects)]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for made, name, kind in re.findall(r"^(.+?): (\S+) (\w)", shown, re.MULTILINE):
            found[Path(made)].append((name, kind))
    return found


def find_uses(defined, needed):
    """(unit, unit that defines a symbol which it needs), each with the symbol."""
    home = {name: unit for unit, names in defined.items() for name in names}
    for unit in sorted(needed):
        for name in sorted(needed[unit]):
            if home.get(name, unit) != unit:
                yield unit, home[name], f"{unit} needs {name} of {home[name]}"


def check_direction(edges, layers, table="csrc/README.md"):
    for one, other, where in edges:
        if other is None:
            yield f"{where}: there is no such header"
            continue
        low, high = folder_of(one), folder_of(other)
        if low not in layers or high not in layers:
            missing = low if low not in layers else high
            yield f"{where}: {missing}/ is not in the table of {table}"
        elif layers[high] > layers[low]:
            yield f"{where}: upward, from {low}/ to {high}/"


def find_circles(edges):
    """Sets of units that need each other (Tarjan's algorithm)."""
    after = defaultdict(set)
    for one, other, _ in edges:
        if other and one != other:
            after[one].add(other)
    index, low, stack, circles = {}, {}, [], []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        for other in sorted(after[unit]):
            if other not in index:
                visit(other)
                low[unit] = min(low[unit], low[other])
            elif other in stack:
                low[unit] = min(low[unit], index[other])
        if low[unit] == index[unit]:
            circle = stack[stack.index(unit) :]
            del stack[stack.index(unit) :]
            if len(circle) > 1:
                circles.append(sorted(circle))

    for unit in sorted(after):
        if unit not in index:
            visit(unit)
    return circles


def check_symbols(defined, source):
    headers = "\n".join(path.read_text() for path in (source / "include").rglob("*.h"))
    public = set(re.findall(r"\b(vt_\w+)\s*\(", headers))
    for unit, names in sorted(defined.items()):
        if folder_of(unit) == "python":
            continue
        for name in sorted(names):
            if name.startswith("vti_") or (name.startswith("vt_") and name in public):
                continue
            kind = "with the public prefix" if name.startswith("vt_") else "without vti_"
            yield f"{unit} exports {name}, {kind}, which no public header declares"


def check_memory(needed):
    for unit, names in sorted(needed.items()):
        if unit != "base/memory" and folder_of(unit) != "python":
            for name in sorted(ALLOCATES & names):
                yield f"{unit} needs {name}; memory comes from base/memory"


def check_sizes(source):
    units = defaultdict(set)
    for path in sorted(source.rglob("*.[ch]")):
        inside = path.relative_to(source)
        if len(inside.parts) == 1:
            yield f"{inside} lies at the root of csrc"
        if inside.parts[0] != "include":
            units[str(inside.parent)].add(inside.stem)
        lines = path.read_text().splitlines()
        yield from check_length(inside, lines)
        yield from check_functions(inside, lines)
    yield from check_folders(units)


def check_length(inside, lines):
    if len(lines) > MOST_LINES:
        yield f"{inside}: {len(lines)} lines; at most {MOST_LINES}"


def check_folders(units):
    """How many units each folder has; one that holds folders may have few of its own."""
    for folder, names in sorted(units.items()):
        is_leaf = not any(other.startswith(folder + "/") for other in units)
        if len(names) > MOST_UNITS or (is_leaf and len(names) < LEAST_UNITS):
            yield f"{folder}/: {len(names)} units; allowed are {LEAST_UNITS} to {MOST_UNITS}"


def check_functions(inside, lines):
    """A body is what stands between { and } in the first column."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line.startswith("}") and begin is not None:
            if number - begin > MOST_FUNCTION_LINES:
                name = lines[begin - 2].strip()
                yield f"{inside}:{begin}: {number - begin} lines: {name}"
            begin = None


def list_imports(path, package):
    """Names of all that a module imports from its own package, longer ones first."""
    inside = path.relative_to(package.parent).with_suffix("").parts
    home = inside[:-1]
    waiting = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = home[: len(home) - node.level + 1] if node.level else ()
            name = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                yield f"{name}.{alias.name}"
                yield name


def find_modules(package):
    """Path of each module by its dotted name; None of what is compiled and has a stub alone."""
    modules = {}
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")]):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name not in modules:
            modules[name] = path if path.suffix == ".py" else None
    return modules


def module_unit(path, package):
    """FOLDER/module; what lies in no folder is of that of the package."""
    inside = path.relative_to(package).with_suffix("")
    return str(inside if len(inside.parts) > 1 else package.name / inside)


def find_module_imports(package):
    """(module, module that it imports), each with where that stands; of what is compiled none."""
    modules = find_modules(package)
    for module, path in modules.items():
        last = None  # of `from a import b` that b is no module of: a
        for name in list_imports(path, package) if path else ():
            found = modules.get(name)
            if found and found != path and not f"{last}".startswith(f"{name}."):
                units = module_unit(path, package), module_unit(found, package)
                yield *units, f"{module} imports {name}"
            last = name if name in modules else None


def check_module_sizes(package):
    units = defaultdict(set)
    for path in sorted(package.rglob("*.py")):
        folder, name = module_unit(path, package).rsplit("/", 1)
        units[folder] |= {name} - {"__init__", "__main__"}
        inside = path.relative_to(package.parent)
        yield from check_length(inside, path.read_text().splitlines())
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = node.end_lineno - node.lineno + 1
                if ast.get_docstring(node) is not None:
                    lines -= node.body[0].end_lineno - node.body[0].lineno + 1
                if lines > MOST_FUNCTION_LINES:
                    yield f"{inside}:{node.lineno}: {lines} lines: {node.name}"
    yield from check_folders(units)


def list_tracked(root):
    """Files that git tracks; none where it knows nothing of the folder."""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    try:
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return [Path(root, name) for name in shown.split("\0") if name]


def check_bytes(paths):
    for path in paths:
        size = path.stat().st_size if path.is_file() else 0
        if size > MOST_BYTES:
            yield f"{path}: {size} bytes; at most {MOST_BYTES}"


def check(source, objects=None):
    """All that breaks a rule, as lines of text."""
    layers = read_layers(source)
    edges = list(find_includes(source))
    faults = list(check_direction(edges, layers)) + list(check_sizes(source))
    if objects:
        defined, needed = list_symbols(objects, source)
        uses = list(find_uses(defined, needed))
        if not uses:
            faults.append(f"{objects}: no objects of {source}")
        faults += [*check_direction(uses, layers), *check_symbols(defined, source)]
        faults += check_memory(needed)
        edges += uses
    return faults + [f"circle: {' - '.join(circle)}" for circle in find_circles(edges)]


def check_modules(package):
    """All that breaks a rule of the modules, as lines of text."""
    edges = list(find_module_imports(package))
    faults = list(check_direction(edges, read_layers(package), f"{package.name}/README.md"))
    faults += check_module_sizes(package)
    return faults + [f"circle of modules: {' - '.join(each)}" for each in find_circles(edges)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=Path("csrc"))
    parser.add_argument("--objects", type=Path)
    parser.add_argument("--package", type=Path, default=Path("vorton"))
    given = parser.parse_args()
    faults = check(given.source, given.objects) + check_modules(given.package.resolve())
    faults += check_bytes(list_tracked("."))
    print("\n".join(faults) or f"{given.source}: no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
