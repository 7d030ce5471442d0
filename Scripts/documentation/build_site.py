"""Builds the site: `Scripts/site` runs this with the Python of Debian, whose packages it needs.

The sources are written to WORK/source, and the site to WORK/new, which replaces OUTPUT at the end.
Whatever a step refuses (a link without a target, a comment that DocC or Doxygen cannot read, a page
that no other page links) fails the build, after all steps have reported.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import c_reference
import check_pages
import guides
import shown_files
import swift_pages
import swift_reference

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Marks a folder that may be replaced.
MARK = ".swift-audio-session-site"
# Folders of WORK that each build removes.
TEMPORARY = ("source", "symbol-graphs", "docc", "doxygen", "doctrees", "rust/doc", "new")
PYTHON_PAGE = """Python
======

:doc:`../Documentation/SessionsInPython` is the guide.

.. automodule:: audiosession
   :imported-members:
"""
RUST_PAGE = """# Rust

The crates have pages of their own, with a search, made by rustdoc:

- <a href="rust/audiosession/index.html">`audiosession`</a>: sessions and gates
- <a href="rust/audiosession_sys/index.html">`audiosession-sys`</a>: the declarations of the C library

[Sessions in Rust](../Documentation/SessionsInRust.md) is the guide.
"""


def refusal(output, work):
    """Returns why a folder cannot be replaced by the site; None if it can."""
    if output.exists() and (not output.is_dir() or (any(output.iterdir()) and not (output / MARK).is_file())):
        return f"{output} has other files than those of an earlier site; remove it, or choose another folder by --output."
    if work.is_relative_to(output) or any(output.is_relative_to(work / name) for name in TEMPORARY):
        return f"{output} is needed to build the site in {work}; choose another folder by --output."
    return None


def remove(folder):
    if folder.exists():
        shutil.rmtree(folder)


def finish_styles(output):
    """Completes the theme of Debian, whose style sheet loads one from a web server's folder, and knows dark colours
    only for readers who have chosen them on the page."""
    file = output / "_static/styles/furo.css"
    text = file.read_text()
    normalize = "/javascript/normalize.css/normalize.css"
    if normalize in text:
        shutil.copyfile(f"/usr/share{normalize}", output / "_static/styles/normalize.css")
        text = text.replace(normalize, "normalize.css")
    if "prefers-color-scheme" not in text:
        # But not the colours of conf.py, which are set on each page.
        colours = re.search(r'body\[data-theme="dark"\] \{(.*?)\}', text, re.S).group(1)
        colours = "\n".join(line for line in colours.splitlines() if "--color-brand-" not in line)
        text += f'\n@media not print {{ @media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {{{colours}\n}} }} }}\n'
    file.write_text(text)


def version():
    return re.search(r"project\(swift-audio-session VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def rust(work, output):
    """Builds the pages of the crates. Returns what rustdoc refuses."""
    environment = {
        # A toolchain of rustup may be there only. No library is needed for the documentation.
        **os.environ, "PATH": f"{os.environ.get('PATH', os.defpath)}:{pathlib.Path.home() / '.cargo/bin'}", "DOCS_RS": "1",
        "RUSTDOCFLAGS": "-D warnings", "CARGO_TARGET_DIR": str(work / "rust"),
    }
    run = subprocess.run(
        ["cargo", "doc", "--offline", "--locked", "--manifest-path", str(ROOT / "Bindings/Rust/Cargo.toml"), "--workspace", "--lib", "--no-deps"],
        env=environment, capture_output=True, text=True)
    if run.returncode:
        return [f"rustdoc refuses the crates:\n{run.stderr}"]
    shutil.copytree(work / "rust/doc", output / "reference/rust", ignore=shutil.ignore_patterns(".lock"))
    return []


def sorted_index(text):
    """Returns a search index in an order of its own: Sphinx's follows a set and its processes, and differs in each build."""
    begin, end = text.index("{"), text.rindex("}") + 1
    index = json.loads(text[begin:end])
    index["alltitles"] = {title: sorted(places) for title, places in index["alltitles"].items()}
    return text[:begin] + json.dumps(index, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + text[end:]


def sphinx(work, sources, output):
    """Writes the pages. Returns Sphinx's warnings, all of which are failures."""
    environment = {**os.environ, "SITE_WORK": str(work), "SITE_VERSION": version(), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-c", str(ROOT / "Scripts/documentation"), "-d", str(work / "doctrees"),
         "-j", "auto", str(sources), str(output)],
        env=environment, capture_output=True, text=True)
    lines = [line.replace(f"{sources}/", "") for line in run.stderr.splitlines() if line.strip()]
    if run.returncode == 0:
        index = output / "searchindex.js"
        index.write_text(sorted_index(index.read_text()))
        # It says with which paths this was built, and serves another build in the same folder only.
        (output / ".buildinfo").unlink(missing_ok=True)
    return lines or ([f"Sphinx ended with the status {run.returncode}:\n{run.stdout}"] if run.returncode else [])


def main():
    parser = argparse.ArgumentParser(prog="Scripts/site")
    parser.add_argument("--modules", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    work, output = options.work.resolve(), options.output.resolve()
    refused = refusal(output, work)
    if refused is None and not (options.modules / "AudioSessions.swiftmodule").exists():
        refused = f"{options.modules} has no Swift modules; build them by 'swift build', or leave out --modules."
    if refused:
        print(f"Scripts/site: {refused}", file=sys.stderr)
        return 65
    sources, new = work / "source", work / "new"
    for name in TEMPORARY:
        remove(work / name)

    files = shown_files.ShownFiles(ROOT, new)
    pages = guides.Guides(ROOT, sources, files)
    failures = pages.copy()
    archives, refused = swift_reference.build(ROOT, options.modules, work)
    failures += refused
    symbols = 0 if refused else swift_pages.write(archives, sources / "reference/swift")
    failures += c_reference.read(ROOT, work)
    headers = c_reference.write(ROOT, sources / "reference/c")
    (sources / "reference/python.rst").write_text(PYTHON_PAGE)
    (sources / "reference/rust.md").write_text(RUST_PAGE)
    if not failures:
        failures += sphinx(work, sources, new)
    if not failures:
        finish_styles(new)
        files.write_style(new / "_static")
        failures += rust(work, new)
        checked, broken = check_pages.check(new)
        failures += broken
    if failures:
        print("\n".join(failures))
        print(f"Scripts/site: {len(failures)} failures")
        return 1
    (new / MARK).touch()
    remove(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(new, output)
    print(f"Scripts/site: {len(pages.pages)} guides, {symbols} Swift symbols, {headers} C headers; {checked} links checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
