#!/usr/bin/env python3
"""Writes the graph of the package's own targets in the language of Graphviz (Scripts/target-graph).

    target_graph.py ROOT
"""
import hashlib
import json
import pathlib
import subprocess
import sys

PICTURE = "Documentation/Images/targets.svg"
COLOURS = {"executable": "#dbe7f6", "swift": "#e3f1dd", "c": "#f6e7d3", "system": "#eeeeee"}


def manifest_of(root):
    dump = subprocess.run(
        ["swift", "package", "--package-path", str(root), "dump-package"], check=True, capture_output=True, text=True
    )
    return json.loads(dump.stdout)


def kind_of(root, target):
    if target["type"] != "regular":
        return target["type"]
    return "swift" if any((root / "Sources" / target["name"]).rglob("*.swift")) else "c"


def graph(root, manifest):
    """Returns the graph of the targets under Sources, without tests and examples."""
    targets = {
        target["name"]: target
        for target in manifest["targets"]
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


def is_current(root, manifest):
    """Returns whether the picture was drawn from the graph of these targets."""
    picture = root / PICTURE
    return picture.exists() and digest(graph(root, manifest)) in picture.read_text()


if __name__ == "__main__":
    package = pathlib.Path(sys.argv[1]).resolve()
    print(graph(package, manifest_of(package)), end="")
