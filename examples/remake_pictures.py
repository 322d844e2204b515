"""Makes the pictures of PICTURES.md again: all, or those that are named.

python examples/remake_pictures.py
python examples/remake_pictures.py tornado control_swirl campfire.webp

Each by the line of its example's docstring that writes it: NAME.png as pictures/NAME.png, or the
.webp of what pictures/ has as a film. It takes an hour or two of a processor.
"""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

from controls import CONTROLS

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
PROGRAMS = {"python": [sys.executable], "vorton": [sys.executable, "-m", "vorton"]}


def commands():
    """Name of each picture, with its ending, and the command that makes it."""
    found = {}
    for path in sorted(HERE.glob("*.py")):
        text = (ast.get_docstring(ast.parse(path.read_text())) or "").replace("\\\n", " ")
        for line in text.splitlines():
            match = re.match(
                rf"(python|vorton preview) examples/{path.name} (\S+)\.(png|webp)", line
            )
            picture = PICTURES / f"{path.stem}.{match[3]}" if match else None
            if picture is None or not picture.exists() or picture.name in found:
                continue
            program, *words = shlex.split(line, comments=True)
            words[words.index(f"{match[2]}.{match[3]}")] = str(picture)
            found[picture.name] = [*PROGRAMS[program], *words]
    for name in CONTROLS:
        picture = PICTURES / f"control_{name}.png"
        found[picture.name] = [sys.executable, "examples/controls.py", name, str(picture)]
    return found


def main(names):
    known = commands()
    wanted = [name if "." in name else f"{name}.png" for name in names] or list(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"no command makes {', '.join(unknown)}; known are {', '.join(known)}")
    for name in wanted:
        print(name, flush=True)
        subprocess.run(known[name], cwd=HERE.parent, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
