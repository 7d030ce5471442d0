#!/usr/bin/env python3
"""Checks that the targets of relative links in Markdown files exist."""
import pathlib
import re
import sys
import urllib.parse

LINK = re.compile(r"!?\[[^\]\n]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def skipped(path, root):
    return any(part.startswith((".build", ".git")) or part == "build" for part in path.relative_to(root).parts)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    checked, broken = 0, []
    for file in sorted(root.rglob("*.md")):
        if skipped(file, root):
            continue
        text = CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), file.read_text())
        for match in LINK.finditer(text):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target) or target.startswith("#"):
                continue
            checked += 1
            path = urllib.parse.unquote(target.split("#")[0].split("?")[0])
            found = root / path.lstrip("/") if path.startswith("/") else file.parent / path
            if not found.exists():
                line = text.count("\n", 0, match.start()) + 1
                broken.append(f"{file.relative_to(root)}:{line}: nothing exists at {target}")
    print("\n".join([*broken, f"links: {checked} relative links, {len(broken)} broken"]))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
