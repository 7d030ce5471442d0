#!/usr/bin/env python3
"""Checks that all places state the same version: that of the project in CMakeLists.txt.

With --files, prints the files of these places instead.
"""
import pathlib
import re
import sys

SOURCE = "CMakeLists.txt", r"project\(swift-audio-session VERSION ([\d.]+)"
# Files and patterns. Each pattern must match at least once, and each match is compared.
VERSIONS = [
    ("Sources/CPlatform/include/platform_version.h", r'#define PLATFORM_VERSION "(.*)"'),
    ("Sources/CAudioSession/include/audiosession/version.h", r'#define ASESSION_VERSION "(.*)"'),
    ("Bindings/Python/pyproject.toml", r'(?m)^version = "(.*)"'),
    ("Bindings/Python/audiosession/__init__.py", r'(?m)^__version__ = "(.*)"'),
    ("Bindings/Rust/audiosession/Cargo.toml", r'(?m)(?:^|{ )version = "=?([\d.]+)"'),
    ("Bindings/Rust/audiosession-sys/Cargo.toml", r'(?m)^version = "(.*)"'),
    ("Packaging/arch/PKGBUILD", r"(?m)^pkgver=(.*)$"),
    ("Packaging/fedora/audiosession.spec", r"(?m)^Version: +(.*)$"),
    ("Packaging/fedora/audiosession.spec", r"(?m)\A(?:(?!^%changelog).*\n)*%changelog\n.* - ([\d.]+)-\d+$"),
    ("Packaging/debian/changelog", r"\Aaudiosession \((.*)\)"),
    ("CHANGELOG.md", r"(?m)\A(?:(?!^## ).*\n)*^## ([\d.]+),"),
]
# The same with the major and the minor version only: that of the binary interface.
INTERFACES = [
    ("Sources/CPlatform/include/platform_version.h", r'#define PLATFORM_BINARY_INTERFACE "(.*)"'),
    ("Bindings/Python/audiosession/native.py", r'SONAME = "libaudiosession\.so\.(.*)"'),
    ("Packaging/debian/control", r"(?m)^Package: libaudiosession(?!-)(.*)$"),
]
NUMBERS = "Sources/CAudioSession/include/audiosession/version.h", r"#define ASESSION_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)"


def found(root, file, pattern):
    path = root / file
    return re.findall(pattern, path.read_text()) if path.exists() else []


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if "--files" in sys.argv:
        print("\n".join(sorted({file for file, _ in (SOURCE, NUMBERS, *VERSIONS, *INTERFACES)})))
        return 0
    stated = found(root, *SOURCE)
    version = stated[0] if stated else "none"
    interface = version.rpartition(".")[0]
    failures, compared = [], 0
    for places, expected in ((VERSIONS, version), (INTERFACES, interface)):
        for file, pattern in places:
            matches = found(root, file, pattern)
            compared += len(matches)
            failures += [f"{file} states {match}, {SOURCE[0]} {expected}" for match in matches if match != expected]
            failures += [f"{file} states no version: nothing matches {pattern}"] if not matches else []
    numbers = ".".join(found(root, *NUMBERS))
    if numbers != version:
        failures.append(f"{NUMBERS[0]} has the numbers {numbers}, {SOURCE[0]} {version}")
    print("\n".join([*failures, f"versions: {compared + 1} places compared with {version}, {len(failures)} failures"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
