#!/usr/bin/env python3
"""Checks the stages of Scripts/test: the targets and suites that they select exist, and both the default
run and --all run every Swift test target.

Without this check, a filter that matches nothing and a skipped suite that was renamed would go unnoticed.
"""
import importlib.util
import pathlib
import re
import sys

SUITE = re.compile(r"^\s*(?:@Suite\b.*\s)?(?:public |final |private )*(?:struct|class|enum|actor|extension) (\w+)", re.MULTILINE)


def load(path):
    spec = importlib.util.spec_from_file_location("stages", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["stages"] = module
    spec.loader.exec_module(module)
    return module.TABLE


def selections(stage):
    """Yields the --filter and --skip values of each command that runs Swift tests."""
    for command in stage.commands:
        if any("swift-testing" == word for word in command):
            values = lambda option: [value for word, value in zip(command, command[1:]) if word == option]  # noqa: E731
            yield values("--filter"), values("--skip")


def runs(selection, target):
    """Returns whether a command runs a whole target, and not only some of its suites."""
    filters, skip = selection
    return (not filters or f"^{target}" in filters) and f"^{target}" not in skip


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = load(root / "Scripts/testing/stages.py")
    targets, names = set(), set()
    for file in (root / "Tests").rglob("*.swift"):
        names.update(SUITE.findall(file.read_text()))
        targets.update(part for part in file.relative_to(root).parts if part.endswith("Tests"))
    failures = []
    for stage in table:
        for filters, skip in selections(stage):
            for name in (*filters, *skip):
                if name.lstrip("^") not in (targets if name.startswith("^") else names):
                    failures.append(f"'{stage.name}' selects {name}, but no test target or suite has that name")
        for name in stage.needs:
            if not all(any(other.name == name and mode in other.modes for other in table) for mode in stage.modes):
                failures.append(f"'{stage.name}' needs '{name}', which is not a stage of the same run")
    for mode in ("default", "all"):
        for target in sorted(targets):
            if not any(runs(selection, target) for stage in table if mode in stage.modes for selection in selections(stage)):
                failures.append(f"no stage of the mode '{mode}' runs {target}")
    for failure in failures:
        print(f"Scripts/testing/stages.py: {failure}")
    print(f"stages: {len(table)}, {len(targets)} test targets, {len(failures)} failures")
    return 1 if failures or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
