"""The table of contents of the site: the captions of the sidebar, and the pages below each one.

`Scripts/site` fails if a page of the repository is in none of these lists and in no folder of FOLDERS.
"""

CAPTIONS = {
    "Install": ["Documentation/Packages.md", "Documentation/Flatpak.md", "Documentation/Versions.md"],
    "Audio sessions": [
        "Documentation/Rules/README.md",
        "Documentation/Recipes/README.md",
        "Documentation/Scenarios.md",
        "Documentation/SourceCompatibility.md",
        "Documentation/SessionsInC.md",
        "Documentation/SessionsInPython.md",
        "Documentation/SessionsInRust.md",
        "Documentation/WebAudioSession.md",
        "Documentation/Glossary.md",
    ],
    "The engine": [
        "Documentation/Mixer.md",
        "Documentation/MIDI.md",
        "Documentation/Transport.md",
        "Documentation/MediaFiles.md",
        "Documentation/C.md",
        "Documentation/Threads.md",
    ],
    "The desktop": [
        "Documentation/Commands.md",
        "Documentation/Arbiter.md",
        "Documentation/ForeignPrograms.md",
        "Documentation/Desktop.md",
        "Documentation/Servers.md",
        "Documentation/Devices.md",
        "Documentation/SecondSoundCards.md",
        "Documentation/Network.md",
    ],
    "Reference": [
        "reference/swift/index.md",
        "reference/c/index.rst",
        "reference/python.rst",
        "reference/rust.md",
        "Documentation/Protocol.md",
    ],
    "Project": [
        "Benchmarks/README.md",
        "Documentation/Soak.md",
        "Documentation/CodeTour.md",
        "CONTRIBUTING.md",
        "Documentation/Decisions/README.md",
        "SECURITY.md",
        "CHANGELOG.md",
    ],
}

# Pages that link all pages of a folder, in the order of their links.
FOLDERS = {
    "Documentation/Rules/README.md": "Documentation/Rules",
    "Documentation/Recipes/README.md": "Documentation/Recipes",
    "Documentation/Decisions/README.md": "Documentation/Decisions",
    "Benchmarks/README.md": "Benchmarks/Documentation",
}

# Pages that others link, and that are in no list.
UNLISTED = ["Benchmarks/results/report.md", "Examples/Media/README.md", "Tests/Support/FakeJack/README.md"]
