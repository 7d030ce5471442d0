"""Compiles the documentation of the Swift modules with DocC.

Takes the modules of a finished build: `swift symbolgraph-extract` lists their public symbols with their
comments, and `docc convert` resolves the links between them. Warnings of DocC are errors.
"""

import json
import pathlib
import subprocess

BUNDLE = "swift-audio-session"
# In the order in which a reader needs them.
MODULES = [
    "AudioSessions", "AudioPlayback", "AudioRendering", "AudioInstruments", "AudioDecoding", "InterAppAudio", "AVFAudio", "JackDriver",
    "AudioSessionTypes",
]


def headers(root):
    """Returns the options by which the compiler finds the C modules."""
    folders = [*sorted(root.glob("Sources/*/include")), *sorted(path.parent for path in root.glob("Sources/*/module.modulemap"))]
    return [option for folder in folders for option in ("-I", str(folder), "-Xcc", f"-I{folder}")]


def platform():
    """Returns the target triple of this machine."""
    info = subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    return json.loads(info)["target"]["unversionedTriple"]


def extract(root, modules_folder, output):
    """Writes the symbol graphs of all modules, a folder for each. Returns what the compiler refuses."""
    triple, failures = platform(), []
    for module in MODULES:
        folder = output / module
        folder.mkdir(parents=True, exist_ok=True)
        run = subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-I", str(modules_folder), *headers(root), "-target", triple,
             "-minimum-access-level", "public", "-skip-inherited-docs", "-emit-extension-block-symbols", "-output-dir", str(folder)],
            capture_output=True, text=True)
        if run.returncode:
            failures.append(f"no symbols of the module {module}:\n{run.stdout}{run.stderr}")
    return failures


def convert(root, graphs, output):
    """Compiles the catalog and the symbol graphs of each module. Returns DocC's failures."""
    output.mkdir(parents=True, exist_ok=True)
    failures = []
    for module in MODULES:
        catalog = root / "Sources" / module / f"{module}.docc"
        run = subprocess.run(
            ["docc", "convert", str(catalog), "--additional-symbol-graph-dir", str(graphs / module),
             "--output-dir", str(output / module), "--fallback-bundle-identifier", BUNDLE, "--fallback-display-name", module,
             "--warnings-as-errors"],
            capture_output=True, text=True)
        if run.returncode:
            failures.append(f"DocC refuses the module {module}:\n{run.stdout}{run.stderr}")
    return failures


def build(root, modules_folder, work):
    """Returns the folder with DocC's output, and what failed."""
    graphs, archives = work / "symbol-graphs", work / "docc"
    return archives, extract(root, pathlib.Path(modules_folder), graphs) or convert(root, graphs, archives)
