"""Compares the code in the documentation with the code that the build compiles: in pages, and in the comments
of Swift sources. A comment above the code names a whole file, or a part of one. Code without one is refused.

    <!-- Examples/FirstSound/main.swift; Scripts/check examples compares them -->
        the whole file
    <!-- Tests/…/PageTests.swift#activate; Scripts/check examples compares them -->
        the lines from `// [activate]` to `// [end]`; in Python, `# [activate]` to `# [end]`

The old lines of a change, which a page shows as ```diff, must be in a file that the page links.
"""

import pathlib
import re
import sys
import textwrap

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
# Code, also in a list; the comment above it.
CODE = re.compile(r"^( *)```(?:swift|c|cpp|c\+\+|python|rust)\b[^\n]*\n(.*?)^\1```[ \t]*$", re.S | re.M)
OPENING = re.compile(r"^[ \t>*+-]*(?:`{3,}|~{3,})[ \t]*(?:swift|c|cpp|c\+\+|python|rust)\b", re.M)
COMPARED = re.compile(r"<!-- (\S+);[^>]*-->\n\Z")
CHANGE = re.compile(r"^```diff\n(.*?)^```$", re.S | re.M)
LINK = re.compile(r"\]\(([^)#:]+)\)")
COMMENT = re.compile(r"^ *///(?: |$)", re.M)
NAMES = re.compile(r"^ *(?://|#) \[(?!end\])(\S+)\]$", re.M)


def compiled(path, part):
    """Returns the code of a file or of one of its parts; None if it does not exist."""
    file = root / path
    if not file.is_file():
        return None
    if not part:
        return file.read_text()
    found = re.findall(rf"^ *(?://|#) \[{re.escape(part)}\]\n(.*?)^ *(?://|#) \[end\]$", file.read_text(), re.S | re.M)
    return textwrap.dedent(found[0]) if len(found) == 1 else None


def pages():
    """Returns all pages, and the comments of all Swift sources, as their text."""
    for page in [root / "README.md", *sorted((root / "Documentation").rglob("*.md")), *sorted((root / "Sources").rglob("*.docc/*.md"))]:
        yield page, page.read_text()
    for source in sorted((root / "Sources").rglob("*.swift")):
        lines = source.read_text().split("\n")
        yield source, "\n".join(COMMENT.sub("", line) for line in lines if line.lstrip().startswith("///"))


def shown(text):
    """Returns the name above each code, or None, and the code."""
    for match in CODE.finditer(text):
        named = COMPARED.search(text[: match.start()])
        yield named and named[1], re.sub(rf"^{match[1]}", "", match[2], flags=re.M)


def outdated_changes(page, text):
    """Returns the first line of each change that applies to no file that the page links."""
    linked = {page.parent / path for path in LINK.findall(text)}
    sources = [file.read_text() for file in linked if file.is_file()]
    for change in CHANGE.findall(text):
        old = "".join(line[1:] for line in change.splitlines(keepends=True) if line[0] in " -")
        if not old.strip():
            yield change.split("\n")[0]
        elif not any(old in source for source in sources):
            yield old.split("\n")[0]


def main():
    failures, count, seen = [], 0, {}
    for page, text in pages():
        if len(OPENING.findall(text)) != len(CODE.findall(text)):
            failures.append(f"{page.relative_to(root)}: write code as ```LANGUAGE and ``` on lines of their own, with the same indentation")
        for line in outdated_changes(page, text):
            failures.append(f"{page.relative_to(root)}: no file that the page links has the old lines from '{line}'")
        for source, code in shown(text):
            if source is None:
                line = code.split("\n")[0]
                failures.append(f"{page.relative_to(root)}: no comment says which file has the code '{line}'")
                continue
            count += 1
            path, _, part = source.partition("#")
            seen.setdefault(path, set()).add(part)
            actual = compiled(path, part)
            name = page.relative_to(root)
            if actual is None:
                failures.append(f"{name}: the code refers to {source}, which does not exist")
            elif actual != code:
                failures.append(f"{name}: the code differs from {source}; copy one to the other")
    for path, parts in seen.items():
        for part in NAMES.findall((root / path).read_text()) if (root / path).is_file() else []:
            if part not in parts:
                failures.append(f"{path}: no page shows the part [{part}]")
    if not count:
        failures.append("README.md: no code is compared; add a comment that names an example")
    print("\n".join([*failures, f"examples: {count} compared, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
