"""The catalogue of mutations: reads the entries and applies them to the sources.

An entry in one of the `.txt` files in this folder has this form:

    ACT-2 Sources/SessionPolicy/Rules/Precedence.swift
    A primary session interrupts nobody
    - return isPrimary && other.isPrimary ? .act2 : nil
    + return nil

The lines contain the rule and the file, the resulting wrong behavior, the original text (`-`) and its
replacement (`+`; without such a line, the text is removed). White space in the text is ignored, so that a
formatter may change the layout. A blank line ends the entry; a line that begins with `#` is a comment.
"""

import dataclasses
import pathlib
import re

# The mutations must cover the rules that these targets keep.
KEEPERS = ("Sources/AudioSessionTypes", "Sources/SessionPolicy", "Sources/SessionArbiter", "Sources/AudioSessions")


class CatalogueError(Exception):
    """The error of an entry, with its location."""


@dataclasses.dataclass(frozen=True)
class Mutation:
    rule: str
    path: str
    summary: str
    text: str
    replacement: str
    location: str

    def applied(self, root):
        """Returns the file's text with the mutation applied. Raises an error unless the original text occurs exactly once."""
        file = root / self.path
        if not file.is_file():
            raise CatalogueError(f"{self.location}: {self.path} does not exist")
        source = file.read_text()
        pattern = r"\s*".join(re.escape(letter) for letter in self.text if not letter.isspace())
        found = list(re.finditer(pattern, source))
        if len(found) != 1:
            raise CatalogueError(
                f"{self.location}: the original text of this {self.rule} mutation occurs {len(found)} times in {self.path}, not once: "
                f"{self.text.splitlines()[0].strip()}"
            )
        return source[: found[0].start()] + self.replacement + source[found[0].end() :]


def parse(lines, location):
    head, _, path = lines[0].partition(" ")
    old = [line[1:] for line in lines[2:] if line.startswith("-")]
    new = [line[1:] for line in lines[2:] if line.startswith("+")]
    if not path or not re.fullmatch(r"[A-Z]+-\d+", head) or not old or len(old) + len(new) != len(lines) - 2:
        raise CatalogueError(f"{location}: an entry consists of a rule and a file, a sentence, lines with '-' and lines with '+'")
    return Mutation(head, path.strip(), lines[1], "\n".join(old), "\n".join(new).strip(), location)


def read(folder):
    """Returns all mutations, in the order of the files and their lines."""
    mutations = []
    for file in sorted(pathlib.Path(folder).glob("*.txt")):
        entry, begun = [], 0
        for number, line in enumerate([*file.read_text().splitlines(), ""], 1):
            if line.startswith("#"):
                continue
            if line.strip():
                begun = begun if entry else number
                entry.append(line)
            elif entry:
                mutations.append(parse(entry, f"{file.name}:{begun}"))
                entry = []
    return mutations
