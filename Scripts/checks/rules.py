#!/usr/bin/env python3
"""Lists the tests that cite each rule of Documentation/rules.txt.

Fails if no test cites a due rule, if no page of the documentation describes it, or if a citation names an
unknown rule.
"""
import collections
import pathlib
import re
import sys

SUFFIXES = {".swift", ".c", ".h", ".py", ".sh", ".txt"}


def read_rules(root):
    rules = {}
    for number, line in enumerate((root / "Documentation/rules.txt").read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(maxsplit=2)
        if len(fields) != 3 or fields[1] not in ("yes", "no") or fields[0] in rules:
            sys.exit(f"Documentation/rules.txt:{number}: expected a new id, yes or no, and a title")
        rules[fields[0]] = (fields[1] == "yes", fields[2])
    return rules


def citations(root, folder, pattern, suffixes=SUFFIXES):
    found = collections.defaultdict(list)
    for file in sorted((root / folder).rglob("*")):
        if file.suffix in suffixes and file.is_file():
            for rule in set(pattern.findall(file.read_text(errors="replace"))):
                found[rule].append(str(file.relative_to(root)))
    return found


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    rules = read_rules(root)
    families = sorted({rule.rsplit("-", 1)[0] for rule in rules})
    pattern = re.compile(rf"\b(?:{'|'.join(families)})-\d+\b")
    tests, code = citations(root, "Tests", pattern), citations(root, "Sources", pattern)

    pages = citations(root, "Documentation", pattern, {".md"})

    failures = []
    for rule, (due, title) in rules.items():
        mark = "due  " if due else "later"
        if due or tests[rule] or code[rule]:
            print(f"{rule:9}{mark}  {len(code[rule]):2} in code  {', '.join(tests[rule]) or 'no test'}")
        if due and not tests[rule]:
            failures.append(f"{rule} ({title}) is due, but no test cites it")
        if due and not pages[rule]:
            failures.append(f"{rule} ({title}) is due, but no page of Documentation describes it")
    for where in (tests, code, pages):
        for rule in sorted(set(where) - set(rules)):
            if where[rule]:
                failures.append(f"{', '.join(where[rule])}: {rule} is not a rule of Documentation/rules.txt")
    for failure in failures:
        print(failure)
    due = sum(is_due for is_due, _ in rules.values())
    print(f"rules: {len(rules)}, {due} due, {len(failures)} failures")
    return 1 if failures or not rules else 0


if __name__ == "__main__":
    sys.exit(main())
