"""Writes pages that show files of the repository: sources, settings, examples.

They are plain pages without the sidebar and the search of the site, which are for documentation.
"""

import html
import posixpath
import subprocess
import urllib.parse

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound
from swift_lexer import Swift

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{root}/_static/files.css">
</head>
<body>
<p><a href="{root}/index.html">swift-audio-session</a> › {title}</p>
{content}
</body>
</html>
"""
STYLE = """
body {{ margin: 1rem; font-family: sans-serif; color-scheme: light dark; }}
pre {{ overflow-x: auto; font-size: 0.85rem; line-height: 1.4; }}
{light}
@media (prefers-color-scheme: dark) {{
  body {{ background: #131416; color: #ffffffcc; }}
  a {{ color: #ff9d5c; }}
  {dark}
}}
"""
# Languages of suffixes that Pygments does not know.
LANGUAGES = {".service": "ini", ".socket": "ini", ".modulemap": "text", ".sfz": "text", ".supp": "text"}


def lexer(path):
    if path.suffix == ".swift":
        return Swift()
    if path.suffix in LANGUAGES:
        return get_lexer_by_name(LANGUAGES[path.suffix])
    try:
        return get_lexer_for_filename(path.name)
    except ClassNotFound:
        return TextLexer()


def is_text(path):
    with path.open("rb") as file:
        return b"\0" not in file.read(4096)


class ShownFiles:
    """The pages of files and folders that the guides link."""

    def __init__(self, root, output):
        self.root, self.output, self.shown = root, output, set()
        self.formatter = HtmlFormatter(lineanchors="L", linenos="inline", anchorlinenos=True, wrapcode=True)

    def show(self, file):
        """Writes the page of a file, or that of a folder and of what is in it. Returns its path on the site."""
        page = f"files/{file}/index.html" if (self.root / file).is_dir() else f"files/{file}.html"
        if file not in self.shown:
            self.shown.add(file)
            path = self.root / file
            destination = self.output / page
            destination.parent.mkdir(parents=True, exist_ok=True)
            content = self.folder(file, page) if path.is_dir() else highlight(
                path.read_text(errors="replace"), lexer(path), self.formatter)
            destination.write_text(PAGE.format(
                title=html.escape(str(file)), root=posixpath.relpath(".", posixpath.dirname(page)), content=content))
        return page

    def folder(self, file, page):
        items = []
        for name in sorted(self.names(file)):
            entry = self.root / file / name
            if entry.is_dir() or (entry.is_file() and is_text(entry)):
                address = posixpath.relpath(self.show(file / name), posixpath.dirname(page))
                items.append(f'<li><a href="{urllib.parse.quote(address)}">{html.escape(name)}</a></li>')
        return f"<ul>{''.join(items)}</ul>"

    def names(self, folder):
        """Returns what belongs to the project, also if it is not committed yet; in an archive of the sources, everything."""
        listed = subprocess.run(
            ["git", "-C", str(self.root / folder), "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
        if listed.returncode:
            return {entry.name for entry in (self.root / folder).iterdir() if not entry.name.startswith((".", "__"))}
        return {name.partition("/")[0] for name in listed.stdout.splitlines()}

    def write_style(self, folder):
        light = HtmlFormatter(style="tango").get_style_defs(".highlight")
        dark = HtmlFormatter(style="monokai").get_style_defs(".highlight")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "files.css").write_text(STYLE.format(light=light, dark=dark))
