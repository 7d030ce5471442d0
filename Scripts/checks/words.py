#!/usr/bin/env python3
"""Refuses words that the glossary replaced (Documentation/Glossary.md): in identifiers, comments, strings and pages.

words.py ROOT          checks all files of the project
words.py ROOT --list   prints every use that words.txt allows

Scripts/checks/words.txt has a line for each word:

    word, word → replacement
    word → replacement | allowed: PATTERN | in: PATH PREFIX … | except: PATH PREFIX …

A word is compared with each part of an identifier (`toldFormat` has `told` and `Format`) and with each word of prose, in
lower case. `allowed` is a regular expression: where it matches around the word, on the same line, the use stands. `in`
limits the word to paths that begin so, `except` leaves such paths out.
"""
import pathlib
import re
import subprocess
import sys

SUFFIXES = {".swift", ".c", ".h", ".rs", ".md", ".txt", ".py", ".yaml", ".sh", ".cmake", ".in", ""}
SKIPPED = ("Benchmarks/results/", "Examples/Media/", "Scripts/checks/words", "Scripts/checks/self-test", "CHANGELOG.md", "Documentation/Decisions/0032")
TOKEN = re.compile(r"[A-Za-z]+")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


class Entry:
    def __init__(self, line, where):
        rule, *conditions = [part.strip() for part in line.split(" | ")]
        words, separator, self.replacement = rule.partition("→")
        if not separator:
            sys.exit(f"{where}: a line is 'word → replacement'")
        self.words = {word.strip() for word in words.split(",")}
        self.allowed, self.paths, self.exceptions = None, (), ()
        for condition in conditions:
            key, _, value = condition.partition(":")
            if key == "allowed":
                self.allowed = re.compile(value.strip())
            elif key == "in":
                self.paths = tuple(value.split())
            elif key == "except":
                self.exceptions = tuple(value.split())
            else:
                sys.exit(f"{where}: unknown condition '{key}'")
        self.replacement = self.replacement.strip()

    def applies(self, path):
        return (not self.paths or path.startswith(self.paths)) and not path.startswith(self.exceptions or ("//",))


def entries(file):
    lines = file.read_text().splitlines() if file.is_file() else []
    return [
        Entry(line, f"{file.name}:{number}") for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")
    ]


def files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else []
    if not names:  # not a repository of its own
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and ".build" not in str(path)]
    for name in sorted(names):
        path = root / name
        if path.suffix in SUFFIXES and not name.startswith(SKIPPED) and path.is_file() and not path.is_symlink():
            try:
                yield name, path.read_text()
            except UnicodeDecodeError:
                continue


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    lists = "--list" in sys.argv[2:]
    by_word = {word: entry for entry in entries(root / "Scripts/checks/words.txt") for word in entry.words}
    failures, allowed = [], []
    for name, text in files(root):
        present = {word: entry for word, entry in by_word.items() if entry.applies(name)}
        for number, line in enumerate(text.splitlines(), 1):
            parts = {part.lower() for token in TOKEN.findall(line) for part in PART.findall(token)}
            for word in sorted(parts & present.keys()):
                entry = present[word]
                rest = entry.allowed.sub(" ", line) if entry.allowed else line
                if word in {part.lower() for token in TOKEN.findall(rest) for part in PART.findall(token)}:
                    failures.append(f"{name}:{number}: '{word}'; use {entry.replacement}")
                else:
                    allowed.append(f"{name}:{number}: {line.strip()[:140]}")
    if lists:
        print("\n".join(allowed))
    print("\n".join([*failures, f"words: {len(by_word)} words refused, {len(allowed)} uses allowed, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
