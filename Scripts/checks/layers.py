#!/usr/bin/env python3
"""Compares every import and include with the direct dependencies of its target. Allows includes of
`<jack/…>` only in the targets that use JACK, re-exports of whole modules only where listed below, no
cast to a concrete type of another target that hides behind a protocol, no library product that links
what belongs to the service, no target but the decoders' that links FFmpeg, no cycle between the files of
a C target, which include the headers of the functions that they use, and no cycle between the files of
Swift types. The picture of the targets must be current.
"""
import pathlib
import re
import sys

import c_files
import swift_files
import target_graph

SYSTEM_MODULES = {
    "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Musl", "Swift", "Synchronization", "Testing",
}
MAY_INCLUDE_JACK = {"CJack", "CJackDriver", "CMIDIProbe", "audiosession-device", "audiosession-server", "join"}
# Targets that share internal headers of a direct dependency.
SHARES_INTERNALS = {"CAudioSession": "CRenderCore"}
# An app that imports the first module uses the second one as part of its interface. Others re-export
# single types, and tests nothing but what they test.
MAY_REEXPORT = {
    ("AVFAudio", "Foundation"), ("AVFoundation", "AVFAudio"), ("AudioPlayback", "AudioSessions"),
    ("AudioSessions", "AudioRendering"), ("SessionPolicy", "AudioSessionTypes"),
}
# Libraries, which apps link, use none of these, directly or through other targets.
NOT_FOR_APPS = {"ArbiterService", "CDesktopBus", "DesktopBridge", "SessionCommands", "Yams"}
# Only these link FFmpeg, directly or through other targets: an app that plays never does so unasked.
FFMPEG = "CFFmpeg"
MAY_LINK_FFMPEG = {"CFFmpeg", "AudioDecoding", "AudioDecodingTests", "MediaFile"}
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)",
    re.MULTILINE,
)
REEXPORT = re.compile(r"^\s*@_exported\s+(?:(?:public|package)\s+)?import\s+(\w+)\s*$", re.MULTILINE)
PROTOCOL = re.compile(r"^\s*(?:(?:public|package|internal)\s+)?protocol\s+(\w+)", re.MULTILINE)
CONFORMING = re.compile(
    r"^\s*(?:(?:public|package|internal|open|final)\s+)*(?:class|struct|actor|enum)\s+(\w+)(?:<[^>]*>)?\s*:\s*([^{]+){",
    re.MULTILINE,
)
CAST = re.compile(r"\b(?:as[?!]|is)\s+(?:any\s+)?(?:\w+\.)?([A-Z]\w*)")
STRING = re.compile(r'"""\n.*?"""', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def targets_of(root, manifest):
    for target in manifest["targets"]:
        names = set()
        for dependency in target["dependencies"]:
            names.add(next(iter(dependency.values()))[0])
        tests = target["type"] == "test"
        path = root / (target.get("path") or f"{'Tests' if tests else 'Sources'}/{target['name']}")
        yield target["name"], path, names


def reached_from(names, direct):
    """Returns these targets and all that they use, directly or through others."""
    reached, pending = set(), list(names)
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += direct.get(name, ())
    return reached


def product_violations(root, manifest, targets):
    direct = {name: names for name, _, names in targets}
    for name in sorted(direct.keys() - MAY_LINK_FFMPEG):
        if FFMPEG in reached_from([name], direct):
            allowed = ", ".join(sorted(MAY_LINK_FFMPEG - {FFMPEG}))
            yield root / "Package.swift", 1, f"{name} links FFmpeg; only {allowed} may"
    for product in manifest["products"]:
        if "library" not in product["type"]:
            continue
        for name in sorted(reached_from(product["targets"], direct) & NOT_FOR_APPS):
            yield root / "Package.swift", 1, f"the library {product['name']} links {name}, which is not for apps"


def blank_strings(text):
    """Returns the text with empty multi-line strings: code of another language in them may contain imports."""
    return STRING.sub(lambda match: "\n" * match.group().count("\n"), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def swift_violations(name, path, direct):
    for file in sorted(path.rglob("*.swift")):
        text = blank_strings(file.read_text())
        for match in IMPORT.finditer(text):
            module = match.group(1)
            if module not in direct | SYSTEM_MODULES | {name}:
                yield file, line_of(text, match.start(1)), f"{name} imports {module}, which is not a direct dependency"


def reexport_violations(name, path):
    for file in sorted(path.rglob("*.swift")):
        text = blank_strings(file.read_text())
        for match in REEXPORT.finditer(text):
            module = match.group(1)
            if (name, module) not in MAY_REEXPORT:
                yield file, line_of(text, match.start(1)), f"{name} re-exports {module}; the targets above declare it"


def hidden_types(targets):
    """Returns the targets of the types that conform to a protocol of the package, by the types' names."""
    files = [(name, file.read_text()) for name, path, _ in targets for file in sorted(path.rglob("*.swift"))]
    protocols = {protocol for _, text in files for protocol in PROTOCOL.findall(text)}
    return {
        match.group(1): name
        for name, text in files
        for match in CONFORMING.finditer(text)
        if protocols & set(re.findall(r"\w+", match.group(2)))
    }


def cast_violations(name, path, hidden):
    for file in sorted(path.rglob("*.swift")):
        for number, line in enumerate(blank_strings(file.read_text()).split("\n"), 1):
            for cast in CAST.findall(line.split("//")[0]):
                if hidden.get(cast, name) != name:
                    yield file, number, f"{name} casts to {cast} of {hidden[cast]}; add what it needs to the protocol"


def swift_cycle_violations(name, path):
    for group in swift_files.groups_in_cycles(swift_files.uses_between(swift_files.files_of(path))):
        yield path, 1, f"{name} has a cycle between the files of its types: {', '.join(sorted(group))}"


def c_violations(name, path, direct, owners):
    own = {str(file.relative_to(folder)) for folder in (path, path / "include") for file in folder.rglob("*.h")}
    shared = path.parent / SHARES_INTERNALS[name] if name in SHARES_INTERNALS else None
    for file in sorted([*path.rglob("*.c"), *path.rglob("*.h")]):
        text = file.read_text()
        for match in INCLUDE.finditer(text):
            quoted, header = match.group(1) == '"', match.group(2)
            line = line_of(text, match.start(2))
            if header.startswith("jack/"):
                if name not in MAY_INCLUDE_JACK:
                    yield file, line, f"{name} includes <{header}>; only {', '.join(sorted(MAY_INCLUDE_JACK))} may include JACK"
            elif header in own or (shared is not None and (shared / header).is_file()):
                continue
            elif header in owners:
                if owners[header] not in direct:
                    yield file, line, f"{name} includes {header} of {owners[header]}, which is not a direct dependency"
            elif quoted:
                yield file, line, f'{name} includes "{header}", but neither this target nor a direct dependency has that header'


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    manifest = target_graph.manifest_of(root)
    targets = list(targets_of(root, manifest))
    owners = {
        str(header.relative_to(path / "include")): name
        for name, path, _ in targets
        for header in (path / "include").rglob("*.h")
    }
    violations = list(product_violations(root, manifest, targets))
    sources = [target for target in targets if (root / "Sources") in target[1].parents]
    hidden = hidden_types(sources)
    for name, path, _ in sources:
        violations += cast_violations(name, path, hidden)
    for name, path, direct in targets:
        violations += reexport_violations(name, path)
        violations += swift_violations(name, path, direct)
        violations += c_violations(name, path, direct, owners)
    for name, path, _ in sources:
        violations += c_files.violations(name, path)
        violations += swift_cycle_violations(name, path)
    if not target_graph.is_current(root, manifest):
        violations.append((root / target_graph.PICTURE, 1, "the picture does not show the targets of Package.swift; run Scripts/target-graph"))
    for file, line, sentence in violations:
        print(f"{file.relative_to(root)}:{line}: {sentence}")
    print(f"layers: {len(targets)} targets, {len(violations)} violations")
    return 1 if violations or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
