"""The files of a C target: which file uses which, cycles between them, and functions that a file uses
without including the header that declares them. A source and the header of the same name are one file here.
"""
import re

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
        self.includes = set(INCLUDE.findall(text))
        text = ATTRIBUTE.sub("", COMMENT.sub("", text))
        text = re.sub(r"^\s*#.*$", "", LITERAL.sub('""', text), flags=re.MULTILINE)
        self.defined, self.declared, self.local = set(), set(), set()
        for before, name, _, _, end in FUNCTION.findall(text):
            if "static" in before.split() and file.suffix == ".c":
                self.local.add(name)
            elif end == "{":
                self.defined.add(name)
            else:
                self.declared.add(name)
        # A declaration is no use.
        text = FUNCTION.sub(lambda match: "" if match.group(5) == ";" else match.group(), text)
        self.words = set(re.findall(r"(?<![.>\w])\w+", text))  # members are no functions


def sources_of(folder):
    return [Source(file, folder) for file in sorted([*folder.rglob("*.c"), *folder.rglob("*.h")])]


def uses_between(sources):
    """Returns the names of the files that each file uses a function of, with one such function for each."""
    owner = {name: source.file.stem for source in sources for name in source.defined}
    uses = {source.file.stem: {} for source in sources}
    for source in sources:
        for name in sorted(source.words - source.local):
            if name in owner and owner[name] != source.file.stem:
                uses[source.file.stem].setdefault(owner[name], name)
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
        first = next(source.file for source in sources if source.file.stem == cycle[0])
        yield first, 1, f"{name} has a cycle between files: {steps}"
    headers = {source.path: source for source in sources if source.file.suffix == ".h" and source.path.split("/")[0] != "include"}
    declaring = {function: path for path, header in headers.items() for function in header.declared | header.defined}
    for source in sources:
        own = headers.get(source.path.removesuffix(".c") + ".h")
        included = source.includes | (own.includes if own else set()) | {own.path if own else source.path}
        if source.file.suffix == ".c":
            for function in sorted(source.words - source.local):
                path = declaring.get(function)
                if path and path not in included:
                    yield source.file, 1, f'{name} uses {function} without including "{path}"'
