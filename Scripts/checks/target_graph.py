#!/usr/bin/env python3
"""Writes the graph of the package's own targets in the language of Graphviz; with --check, compares it
with the one that Documentation/Images/targets.svg was drawn from (Scripts/target-graph).

    target_graph.py ROOT [--check]
"""
import hashlib
import json
import pathlib
import subprocess
import sys

PICTURE = "Documentation/Images/targets.svg"
COLOURS = {"executable": "#dbe7f6", "swift": "#e3f1dd", "c": "#f6e7d3", "system": "#eeeeee"}


def kind_of(root, target):
    if target["type"] != "regular":
        return target["type"]
    return "swift" if any((root / "Sources" / target["name"]).rglob("*.swift")) else "c"


def graph(root):
    """Returns the graph of the targets under Sources, without tests and examples."""
    dump = subprocess.run(
        ["swift", "package", "--package-path", str(root), "dump-package"], check=True, capture_output=True, text=True
    )
    targets = {
        target["name"]: target
        for target in json.loads(dump.stdout)["targets"]
        if target["type"] != "test" and (target.get("path") or "Sources/").startswith("Sources/")
        and (root / "Sources" / target["name"]).is_dir()
    }
    lines = [
        "digraph targets {",
        '  rankdir = TB; ranksep = 0.45; nodesep = 0.2; bgcolor = "white"',
        '  node [shape = box, style = "filled,rounded", color = "#888888", fontname = "Helvetica", fontsize = 11]',
        '  edge [color = "#777777", arrowsize = 0.6]',
    ]
    for name in sorted(targets):
        kind = kind_of(root, targets[name])
        extra = ', style = filled, shape = ellipse' if kind == "system" else ""
        lines.append(f'  "{name}" [fillcolor = "{COLOURS[kind]}"{extra}]')
    for name in sorted(targets):
        direct = {next(iter(dependency.values()))[0] for dependency in targets[name]["dependencies"]}
        lines += [f'  "{name}" -> "{other}"' for other in sorted(direct & targets.keys())]
    return "\n".join([*lines, "}", ""])


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    text = graph(root)
    if "--check" not in sys.argv:
        print(text, end="")
        return 0
    picture = root / PICTURE
    if picture.exists() and digest(text) in picture.read_text():
        print("target graph: current")
        return 0
    print(f"{PICTURE} does not show the targets of Package.swift; run Scripts/target-graph")
    return 1


if __name__ == "__main__":
    sys.exit(main())
