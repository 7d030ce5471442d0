"""The catalogue of mutations: what each is, how it is found in the sources and put in.

An entry of a `.txt` file beside this one is:

    ACT-2 Sources/SessionPolicy/Rules/Precedence.swift
    A primary session interrupts nobody
    - return isPrimary && other.isPrimary ? .act2 : nil
    + return nil

The rule and the file, what is wrong afterwards, the text as it is (`-`), what takes its place (`+`; none: it goes). White space of
the text does not count, so that a formatter may lay it out anew. A blank line ends the entry; a line with `#` is a comment.
"""

import dataclasses
import pathlib
import re

# What the mutations are to cover: the targets that keep the rules.
KEEPERS = ("Sources/SessionPolicy", "Sources/SessionArbiter", "Sources/AudioSessions")


class CatalogueError(Exception):
    """What is wrong with an entry, with the place."""


@dataclasses.dataclass(frozen=True)
class Mutation:
    rule: str
    path: str
    summary: str
    text: str
    replacement: str
    place: str

    def applied(self, root):
        """The file's text with the mutation in it; an error unless what is replaced occurs exactly once."""
        file = root / self.path
        if not file.is_file():
            raise CatalogueError(f"{self.place}: there is no {self.path}")
        source = file.read_text()
        pattern = r"\s*".join(re.escape(letter) for letter in self.text if not letter.isspace())
        found = list(re.finditer(pattern, source))
        if len(found) != 1:
            raise CatalogueError(
                f"{self.place}: the text of this {self.rule} occurs {len(found)} times in {self.path}, not once: "
                f"{self.text.splitlines()[0].strip()}"
            )
        return source[: found[0].start()] + self.replacement + source[found[0].end() :]


def parse(lines, place):
    head, _, path = lines[0].partition(" ")
    old = [line[1:] for line in lines[2:] if line.startswith("-")]
    new = [line[1:] for line in lines[2:] if line.startswith("+")]
    if not path or not re.fullmatch(r"[A-Z]+-\d+", head) or not old or len(old) + len(new) != len(lines) - 2:
        raise CatalogueError(f"{place}: an entry is a rule and a file, a sentence, lines with '-' and lines with '+'")
    return Mutation(head, path.strip(), lines[1], "\n".join(old), "\n".join(new).strip(), place)


def read(folder):
    """All mutations, in the order of the files and of their lines."""
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
