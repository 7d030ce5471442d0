"""The types of a Swift target: which file uses which, and the groups of files that use each other in cycles.

Files of one type (`Type.swift` and `Type+Part.swift`) are one file here. One file uses another if it names a
type that the other declares.
"""
import re

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LONG_STRING = re.compile(r'"""\n.*?"""', re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|open|final|indirect|private|fileprivate)\s+)*"
    r"(?:class|struct|enum|protocol|actor|typealias)\s+(\w+)",
    re.MULTILINE,
)


def files_of(folder):
    """Returns the text of each file, without comments and strings, by its name; parts of a type are joined."""
    texts = {}
    for file in sorted(folder.rglob("*.swift")):
        text = STRING.sub('""', LONG_STRING.sub('""', COMMENT.sub("", file.read_text())))
        name = file.stem.split("+")[0]
        texts[name] = texts.get(name, "") + "\n" + text
    return texts


def uses_between(texts):
    """Returns the names of the files that each file uses a type of, with one such type for each."""
    owner = {}
    for name, text in texts.items():
        for declared in DECLARATION.findall(text):
            owner.setdefault(declared, name)
    uses = {name: {} for name in texts}
    for name, text in texts.items():
        for word in sorted(set(re.findall(r"\b[A-Z]\w*", text))):
            if owner.get(word, name) != name:
                uses[name].setdefault(owner[word], word)
    return uses


def groups_in_cycles(uses):
    """Returns the sets of files that all use each other, directly or through others (Tarjan)."""
    index, low, stack, groups = {}, {}, [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        for used in uses[name]:
            if used not in index:
                visit(used)
                low[name] = min(low[name], low[used])
            elif used in stack:
                low[name] = min(low[name], index[used])
        if low[name] == index[name]:
            group = set()
            while name not in group:
                group.add(stack.pop())
            if len(group) > 1:
                groups.append(group)

    for name in uses:
        if name not in index:
            visit(name)
    return groups
