#!/usr/bin/env python3
"""Checks that comments of Swift, C and Rust, and the prose of Markdown, wrap at 100 columns; and that comments of members stand
above the member. In Markdown, tables, code, headings, links on a line of their own and generated parts may be wider."""
import pathlib
import re
import sys

LIMIT = 100
COMMENT = re.compile(r'^(?:[^"\n]|"(?:\\.|[^"\\\n])*")*?(///?<?.*)$')


def comments(name, text):
    """Returns the faults of the comments of a file in Swift, C or Rust."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        if not comment:
            continue
        if len(line) > LIMIT and "://" not in line:
            found.append(f"{name}:{number}: the comment ends in column {len(line)}; wrap it at {LIMIT}")
        if comment.group(1).startswith("///<"):
            found.append(f"{name}:{number}: put the comment above the member")
    return found


def prose(name, text):
    """Returns the faults of the prose of a Markdown file. A line that cannot be broken is none."""
    found, is_code, is_generated = [], False, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        if line.startswith("<!--"):
            is_generated = "writes" in line
        if is_code or is_generated or len(line) <= LIMIT or line.startswith(("    ", "<!--")) or line.lstrip().startswith(("|", "#", "!", "[")):
            continue
        # A space within code is no place to break a line.
        if re.sub(r"`[^`]*`", "code", line.strip().lstrip("-*0123456789. ")).count(" ") > 0:
            found.append(f"{name}:{number}: the line ends in column {len(line)}; wrap it at {LIMIT}")
    return found


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    failures, count = [], 0
    for path in sorted(path for suffix in ("swift", "c", "h", "rs", "md") for path in root.rglob(f"*.{suffix}")):
        name = path.relative_to(root)
        if any(part.startswith(".build") or part in ("build", ".git") for part in name.parts):
            continue
        if name == pathlib.Path("Benchmarks/results/report.md"):  # generated
            continue
        count += 1
        failures += (prose if path.suffix == ".md" else comments)(name, path.read_text())
    print("\n".join([*failures, f"comments: {count} files, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
