#!/usr/bin/env python3
"""Checks that every mutation of Scripts/mutations still applies exactly once, and that every due rule
that the session targets keep has one.
"""
import pathlib
import re
import sys

import rules

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mutations"))

import catalogue  # noqa: E402


def kept(root):
    """Returns the rules that the sources cite as "keeps ACT-1, ACT-2 and ACT-3", with the first file of each."""
    found = {}
    for folder in catalogue.KEEPERS:
        for file in sorted((root / folder).rglob("*.swift")):
            for sentence in re.findall(r"\b[Kk]eeps ((?:[A-Z]+-\d+(?:, | and )?)+)", file.read_text()):
                for rule in re.findall(r"[A-Z]+-\d+", sentence):
                    found.setdefault(rule, file.relative_to(root))
    return found


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    failures, mutations = [], []
    known = rules.read_rules(root)
    try:
        mutations = catalogue.read(root / "Scripts/mutations")
    except catalogue.CatalogueError as error:
        failures.append(str(error))
    for mutation in mutations:
        try:
            mutation.applied(root)
        except catalogue.CatalogueError as error:
            failures.append(str(error))
        if mutation.rule not in known:
            failures.append(f"{mutation.location}: {mutation.rule} is not a rule of Documentation/rules.txt")
    broken = {mutation.rule for mutation in mutations}
    for rule, file in kept(root).items():
        if known.get(rule, (False,))[0] and rule not in broken:
            failures.append(f"{file}: keeps {rule}, but no mutation of Scripts/mutations breaks it")
    for failure in failures:
        print(f"Scripts/mutations: {failure}")
    print(f"mutations: {len(mutations)} of {len(broken)} rules, {len(failures)} failures")
    return 1 if failures or not mutations else 0


if __name__ == "__main__":
    sys.exit(main())
