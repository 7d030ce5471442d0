"""Checks the pages of a site: the page and the anchor of every link exist, every picture has a text,
and no page loads anything from another server.

rustdoc's own pages are skipped, but not the links to them.
"""

import functools
import html.parser
import pathlib
import re
import urllib.parse

EXTERNAL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
SKIPPED = ("reference/rust/", "_static/")
# What a browser loads without being asked.
LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "link": "href"}

LOADED_BY_STYLE = re.compile(r"""(?:@import\s+(?:url\()?|url\()\s*["']?([^"')\s;]+)""")


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, what it loads, and its pictures without a text."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded, self.mute = set(), [], [], []
        self.title, self.is_title = "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for key in ("id", "name"):
            if values.get(key) and (key == "id" or tag == "a"):
                self.anchors.add(values[key])
        if tag == "a" and values.get("href") is not None:
            self.links.append(values["href"])
        if tag in LOADED and values.get(LOADED[tag]):
            self.loaded.append(values[LOADED[tag]])
        if tag == "img" and not values.get("alt", "").strip():
            self.mute.append(values.get("src", ""))
        self.is_title = tag == "title"

    def handle_data(self, data):
        if self.is_title:
            self.title += data

    def handle_endtag(self, tag):
        self.is_title = False


def check(root):
    """Returns the number of links, and what is wrong."""
    pages = {path: Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    checked, failures = 0, []

    @functools.cache
    def file_at(folder, name):
        file = (folder / urllib.parse.unquote(name)).resolve()
        file = file / "index.html" if file.is_dir() else file
        return file if file.exists() and file.is_relative_to(root) else None

    def target(path, address):
        """Returns the file, or None, and the anchor that a relative address names."""
        name, _, anchor = address.partition("#")
        name = name.partition("?")[0]
        return file_at(path.parent, name) if name else path, urllib.parse.unquote(anchor)

    for path, page in pages.items():
        name = path.relative_to(root).as_posix()
        if name.startswith(SKIPPED):
            continue
        if not page.title.strip():
            failures.append(f"{name}: has no title")
        failures += [f"{name}: the picture {source} has no text" for source in page.mute]
        for address in page.loaded:
            if EXTERNAL.match(address) and not address.startswith("data:"):
                failures.append(f"{name}: loads {address} from another server")
            elif not address.startswith("data:") and not target(path, address)[0]:
                failures.append(f"{name}: loads {address}, which does not exist")
        for address in page.links:
            if EXTERNAL.match(address):
                continue
            checked += 1
            file, anchor = target(path, address)
            if not file:
                failures.append(f"{name}: nothing exists at {address}")
            elif anchor and file in pages and anchor not in pages[file].anchors and anchor != "top":
                failures.append(f"{name}: {address} names an anchor that does not exist")
    for path in sorted(root.rglob("*.css")):
        for address in LOADED_BY_STYLE.findall(path.read_text()):
            if not address.startswith("data:") and (address.startswith("/") or EXTERNAL.match(address) or not target(path, address)[0]):
                failures.append(f"{path.relative_to(root)}: loads {address}, which is not in the site")
    if not checked:
        failures.append(f"{root}: has no links")
    return checked, failures
