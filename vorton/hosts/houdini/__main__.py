"""`python -m vorton.hosts.houdini FOLDER`: install the package file of Houdini."""

import argparse

from .package import install

parser = argparse.ArgumentParser(
    prog="python -m vorton.hosts.houdini",
    description="Write vorton.json, which tells Houdini where this vorton and its shelf are.",
)
parser.add_argument(
    "folder", metavar="FOLDER", help="Houdini's packages, such as ~/houdini21.0/packages"
)
print(install(parser.parse_args().folder))
