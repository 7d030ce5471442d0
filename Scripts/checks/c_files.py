"""The files of a C target: which file uses which, cycles between them, and functions that a file uses
without including the header that declares them. A source and the header beside it are one file here.

c_files.py ROOT    checks that every body in the C files under ROOT has braces
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# A function at the left margin: `static inline` functions of headers belong to the header.
FUNCTION = re.compile(r"^((?!typedef\b|struct \w+ \{|enum\b|#)[A-Za-z_][\w \*]*?)\b(\w+)\(([^;{}]*)\)([^;{}()=]*)([;{])", re.MULTILINE)


class Source:
    """One .c or .h file: its text without comments and declarations, what it defines, and what it includes."""

    def __init__(self, file, folder):
        text = file.read_text()
        self.file = file
        self.path = str(file.relative_to(folder))
        self.name = self.path.removesuffix(file.suffix)
        self.includes = set(INCLUDE.findall(text))
        text = ATTRIBUTE.sub("", COMMENT.sub("", text))
        text = re.sub(r"^\s*#.*$", "", LITERAL.sub('""', text), flags=re.MULTILINE)
        self.defined, self.declared, self.local = set(), set(), set()
        for before, name, _, _, end in FUNCTION.findall(text):
            if name.isupper():
                continue  # a macro that makes the name: VERSION(mix)(...)
            if "static" in before.split() and file.suffix == ".c":
                self.local.add(name)
            elif end == "{":
                self.defined.add(name)
            else:
                self.declared.add(name)
        # A declaration is no use.
        text = FUNCTION.sub(lambda match: "" if match.group(5) == ";" else match.group(), text)
        # Members are no functions. In headers, what is declared may have a function's name.
        self.words = set(re.findall(r"(?<![.>\w])\w+" if file.suffix == ".c" else r"(?<![.>\w])\w+(?=\()", text))


def sources_of(folder):
    return [Source(file, folder) for file in sorted([*folder.rglob("*.c"), *folder.rglob("*.h")])]


def uses_between(sources):
    """Returns the names of the files that each file uses a function of, with one such function for each."""
    owner = {function: source.name for source in sources for function in source.defined}
    uses = {source.name: {} for source in sources}
    for source in sources:
        for function in sorted(source.words - source.local):
            if owner.get(function, source.name) != source.name:
                uses[source.name].setdefault(owner[function], function)
    return uses


def cycle_in(uses):
    """Returns the files of one shortest cycle, the first one again at the end; None if there is no cycle."""
    shortest = None
    for start in sorted(uses):
        paths, seen = [[start]], set()
        while paths:
            path = paths.pop(0)
            for following in sorted(uses[path[-1]]):
                if following == start:
                    if shortest is None or len(path) < len(shortest) - 1:
                        shortest = [*path, start]
                    paths = []
                    break
                if following not in seen:
                    seen.add(following)
                    paths.append([*path, following])
    return shortest


def violations(name, folder):
    sources = sources_of(folder)
    uses = uses_between(sources)
    cycle = cycle_in(uses)
    if cycle:
        steps = ", ".join(f"{a} uses {uses[a][b]} of {b}" for a, b in zip(cycle, cycle[1:]))
        first = next(source.file for source in sources if source.name == cycle[0])
        yield first, 1, f"{name} has a cycle between files: {steps}"
    headers = {source.path: source for source in sources if source.file.suffix == ".h" and source.path.split("/")[0] != "include"}
    declaring = {function: path for path, header in headers.items() for function in header.declared | header.defined}
    for source in sources:
        own = headers.get(f"{source.name}.h")
        included = source.includes | (own.includes if own else set()) | {own.path if own else source.path}
        for function in sorted(source.words - source.local):
            path = declaring.get(function)
            if path and path not in included:
                yield source.file, 1, f'{name} uses {function} without including "{path}"'


# ---- Braces -------------------------------------------------------------------------------------

HEAD = re.compile(r"\b(if|for|while|switch|else|do)\b")


def end_of_parentheses(text, begin):
    """Returns the position after the parenthesis that closes the one at `begin`."""
    depth = 0
    for position in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)


def unbraced(text):
    """Yields the positions of the heads whose body has no braces."""
    for match in HEAD.finditer(text):
        position = match.end()
        if match.group(1) not in ("else", "do"):
            opening = re.compile(r"\s*\(").match(text, position)
            if not opening:
                continue
            position = end_of_parentheses(text, opening.end() - 1)
        body = text[position:].lstrip()
        ends_do = match.group(1) == "while" and body.startswith(";") and text[: match.start()].rstrip().endswith("}")
        if not body.startswith("{") and not ends_do and not (match.group(1) == "else" and re.match(r"if\b", body)):
            yield match.start()


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = [file for suffix in ("c", "h") for file in root.rglob(f"*.{suffix}")]
    files = [file for file in files if not any(part == "build" or part.startswith(".") for part in file.relative_to(root).parts)]
    found = 0
    for file in sorted(files):
        text = file.read_text()
        # Keeps the number of lines.
        text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), LITERAL.sub('""', text))
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: "\n" * match.group().count("\n"), text, flags=re.MULTILINE)
        for position in unbraced(text):
            line = text.count("\n", 0, position) + 1
            print(f"{file.relative_to(root)}:{line}: put braces around the body")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
