"""Reads the public C headers with Doxygen, and writes a page for each one.

Breathe turns Doxygen's XML into Sphinx's. Doxygen's warnings are errors: a parameter that does not exist,
a comment that it cannot read.
"""

import pathlib
import re
import subprocess
import sys

# The libraries: what they are, and their headers by the name under which programs include them.
LIBRARIES = [
    ("libaudiosession", "sessions for programs that have their own engine", "audiosession", ["CAudioSession/include/audiosession"]),
    ("librcore", "the render core", "rcore", ["CRenderCore/include", "CSessionGate/include"]),
    ("librcore-jack", "the render core in the process callback of JACK", "rcore", ["CJackDriver/include"]),
]
# The layout of an opaque type.
PRIVATE = {"session_gate_page.h"}

OPTIONS = """
PROJECT_NAME = c
OUTPUT_DIRECTORY = "{output}"
INPUT = {files}
INPUT_FILTER = "\\"{python}\\" \\"{script}\\" --filter"
FILTER_SOURCE_FILES = NO
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
OPTIMIZE_OUTPUT_FOR_C = YES
EXTRACT_ALL = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = RCORE_RT= ASESSION_AUDIO= SGATE_KEYS_RT=
AUTOLINK_SUPPORT = NO
SORT_MEMBER_DOCS = NO
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
STRIP_FROM_PATH = "{root}"
TAB_SIZE = 4
"""
SECTION = re.compile(r"^// -+ (.*?) -+$")


def headers(root, folders):
    return [
        header
        for folder in folders
        for header in sorted((root / "Sources" / folder).glob("*.h"))
        if header.name not in PRIVATE
    ]


def filtered(text):
    """Returns a header with the commands that Doxygen needs: its first comment describes the file, and its
    sections are groups of members."""
    lines = text.split("\n")
    result, group, guarded = [], False, False
    for number, line in enumerate(lines):
        section = SECTION.match(line)
        if number == 0 and line.startswith("///"):
            result.append("/// @file")
        if line.startswith('extern "C"'):
            guarded = True
        if guarded and line.startswith("#ifdef __cplusplus") and group:
            result.append("/// @}")
            group = False
        if section:
            if group:
                result.append("/// @}")
            result += [f"/// @name {section.group(1)}", "/// @{"]
            group = True
            continue
        if line.lstrip().startswith("/// ") and not any(
                other.lstrip().startswith("///") for other in (lines[number - 1] if number else "", *lines[number + 1:number + 2])):
            # Doxygen would take a comment of one line as a summary, and end it with a full stop.
            result.append(f"{line[:line.index('///')]}///")
        result.append(line)
    if group:
        result.append("/// @}")
    return "\n".join(result)


def read(root, work):
    """Runs Doxygen. Returns what it refuses."""
    output = work / "doxygen"
    output.mkdir(parents=True, exist_ok=True)
    files = [str(header) for *_, folders in LIBRARIES for header in headers(root, folders)]
    configuration = output / "Doxyfile"
    configuration.write_text(OPTIONS.format(
        output=output, files=" ".join(f'"{file}"' for file in files), python=sys.executable, script=pathlib.Path(__file__).resolve(),
        root=root))
    run = subprocess.run(["doxygen", str(configuration)], capture_output=True, text=True)
    return [f"Doxygen refuses the headers:\n{run.stdout}{run.stderr}"] if run.returncode else []


def write(root, output):
    """Writes a page for each header."""
    output.mkdir(parents=True, exist_ok=True)
    names = []
    index = [
        "C libraries", "===========", "",
        "The public headers of the C libraries. C++ and other languages call the same functions. "
        "``pkg-config`` and CMake find each library by its name.", "",
    ]
    for library, purpose, folder, folders in LIBRARIES:
        index += [library, "-" * len(library), "", purpose[0].upper() + purpose[1:] + ".", ""]
        for header in headers(root, folders):
            names.append(f"{folder}/{header.name.removesuffix('.h')}")
            index.append(f"- :doc:`{folder}/{header.name} <{names[-1]}>`")
            title = f"{folder}/{header.name}"
            page = output / f"{names[-1]}.rst"
            page.parent.mkdir(exist_ok=True)
            include = f"``#include <{folder}/{header.name}>``, library ``{library}``."
            page.write_text("\n".join([
                title, "=" * len(title), "", include, "", f".. doxygenfile:: {header.relative_to(root)}", "   :project: c", ""]))
        index.append("")
    index += [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names), ""]
    (output / "index.rst").write_text("\n".join(index))
    return len(names)


if __name__ == "__main__" and sys.argv[1:2] == ["--filter"]:
    print(filtered(pathlib.Path(sys.argv[2]).read_text()), end="")
