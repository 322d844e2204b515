"""Links and pictures of a folder of HTML that lead nowhere, also to a place within a page."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def find_broken(folder):
    """A line for each broken link; addresses of other servers are not looked at."""
    pages = {path.resolve(): Page(path) for path in sorted(Path(folder).rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.is_file():
                found.append(f"{path}: {link}: no such file")
            elif address.fragment and target in pages:
                if unquote(address.fragment) not in pages[target].places:
                    found.append(f"{path}: {link}: no such place in it")
    return found


if __name__ == "__main__":
    broken = find_broken(sys.argv[1])
    print("\n".join(broken))
    sys.exit(bool(broken))
