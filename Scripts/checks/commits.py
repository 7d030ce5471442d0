#!/usr/bin/env python3
"""Checks the subjects of the commits after the one that added this check. CONTRIBUTING.md describes the form.

commits.py ROOT            checks the commits of the repository at ROOT
commits.py --subject TEXT  checks one subject
"""
import re
import subprocess
import sys

LIMIT = 72
FORM = re.compile(r"^[A-Za-z0-9_./+-]+(?:, [A-Za-z0-9_./+-]+)*: (\S+)( .*)?$")
# Imperatives that look like participles or the third person.
IMPERATIVES = {"embed", "need", "feed", "seed", "speed", "bring", "string", "ring", "bypass", "focus", "bus", "alias", "canvas"}
GENERATED = ("Merge ", "Revert ")


def faults(subject):
    if subject.startswith(GENERATED):
        return []
    found = []
    if len(subject) > LIMIT:
        found.append(f"has {len(subject)} characters; the limit is {LIMIT}")
    form = FORM.match(subject)
    if not form:
        return found + ["does not begin with a subsystem, such as 'JackDriver: restore connections'"]
    verb = form.group(1).lower().strip(".,;:")
    third_person = verb.endswith("s") and not verb.endswith("ss")
    if verb not in IMPERATIVES and (verb.endswith(("ed", "ing")) or third_person):
        found.append(f"'{form.group(1)}' is not imperative: use 'add' instead of 'added', 'adds' or 'adding'")
    if subject.endswith("."):
        found.append("ends with a full stop")
    return found


def git(root, *arguments):
    run = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True)
    return run.stdout.splitlines() if run.returncode == 0 else []


def main():
    if sys.argv[1] == "--subject":
        found = faults(sys.argv[2])
        print("\n".join(found))
        return 1 if found else 0
    root = sys.argv[1]
    first = git(root, "log", "--diff-filter=A", "--format=%H", "--", "Scripts/checks/commits.py")
    commits = git(root, "log", "--format=%h %s", f"{first[-1]}..HEAD") if first else []
    failures = [
        f"{commit} '{subject}' {fault}"
        for commit, _, subject in (line.partition(" ") for line in commits)
        for fault in faults(subject)
    ]
    print("\n".join([*failures, f"commits: {len(commits)} checked, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
