"""Copies the pages of the repository into the sources of the site.

The copies keep their paths, so that the links between them remain valid; README.md becomes index.md. A
link to any other file of the repository, such as a source file, becomes one to a page that shows it.
"""

import pathlib
import posixpath
import re
import shutil

import contents

# Code, in which nothing is a link, and the targets of links.
CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|``.+?``|`[^`\n]*`", re.M | re.S)
TARGET = re.compile(r"(\]\(<?)([^)\s>]+)(>?(?:\s+\"[^\"]*\")?\))")
EXTERNAL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
IMAGES = {".svg", ".png", ".jpg"}


class Guides:
    """The pages of the repository, and what `files` shows for them."""

    def __init__(self, root, sources, files):
        self.root, self.sources, self.files = root, sources, files
        self.pages, self.failures = [], []

    def copy(self):
        """Copies the README and all pages that can be reached from it. Returns what is wrong."""
        waiting = [pathlib.PurePosixPath("README.md")]
        while waiting:
            page = waiting.pop(0)
            if page in self.pages:
                continue
            self.pages.append(page)
            text, linked = self.rewritten(page)
            orphan = "---\norphan: true\n---\n\n" if str(page) in contents.UNLISTED else ""
            self.write(copied(page), orphan + text + self.trees(page, linked))
            waiting += linked
        listed = {pathlib.PurePosixPath(name) for names in contents.CAPTIONS.values() for name in names}
        listed |= {pathlib.PurePosixPath(name) for name in contents.UNLISTED} | {pathlib.PurePosixPath("README.md")}
        folders = {pathlib.PurePosixPath(folder) for folder in contents.FOLDERS.values()}
        for page in self.pages:
            if page not in listed and page.parent not in folders:
                self.failures.append(f"{page}: not in the contents; add it to Scripts/documentation/contents.py")
        for path in sorted((self.root / "Documentation").rglob("*.md")):
            if pathlib.PurePosixPath(path.relative_to(self.root)) not in self.pages:
                self.failures.append(f"{path.relative_to(self.root)}: no page links it")
        return self.failures

    def rewritten(self, page):
        """Returns the text of a page with the links of its copy, and the pages that it links."""
        text = (self.root / page).read_text()
        linked = []
        masked = CODE.sub(lambda match: re.sub(r"[^\n]", "\0", match.group()), text)

        def link(match):
            target = self.target(page, match.group(2), linked)
            return match.group(1) + target + match.group(3)

        pieces, position = [], 0
        for match in TARGET.finditer(masked):
            pieces += [text[position:match.start()], link(match)]
            position = match.end()
        return "".join(pieces) + text[position:], linked

    def target(self, page, target, linked):
        """Returns the target of a link on the copy of a page."""
        if EXTERNAL.match(target) or target.startswith("#"):
            return target
        path, _, anchor = target.partition("#")
        file = pathlib.PurePosixPath(posixpath.normpath(page.parent / path))
        if not (self.root / file).exists():
            self.failures.append(f"{page}: nothing exists at {target}")
            return target
        if file.suffix == ".md":
            linked.append(file)
            place = copied(file)
        elif file.suffix in IMAGES:
            self.copy_file(file)
            place = file
        elif file == pathlib.PurePosixPath("Documentation/Rules"):
            place = file / "README.md"
        else:
            place = self.files.show(file)
        relative = posixpath.relpath(place, copied(page).parent)
        return f"{relative}#{anchor}" if anchor else relative

    def trees(self, page, linked):
        """Returns the hidden trees of contents that end a page."""
        if page == pathlib.PurePosixPath("README.md"):
            return "".join(tree(names, page.parent, caption) for caption, names in contents.CAPTIONS.items())
        if str(page) in contents.FOLDERS:
            folder = pathlib.PurePosixPath(contents.FOLDERS[str(page)])
            inside = [name for name in dict.fromkeys(linked) if name.parent == folder and name != page]
            return tree(inside, page.parent)
        return ""

    def copy_file(self, file):
        destination = self.sources / file
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / file, destination)

    def write(self, page, text):
        destination = self.sources / page
        destination.parent.mkdir(parents=True, exist_ok=True)
        destination.write_text(text)


def copied(page):
    """Returns the path of a page's copy."""
    return pathlib.PurePosixPath("index.md") if str(page) == "README.md" else page


def tree(pages, folder, caption=None):
    """Returns a tree of contents, which only the sidebar shows."""
    names = [posixpath.relpath(page, folder).removesuffix(".md").removesuffix(".rst") for page in pages]
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["", "```{toctree}", *options, "", *names, "```", ""])
