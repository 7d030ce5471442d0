"""Finds the Swift tests that cite a rule: its id is in their name, in their body or in the comment above them."""

import dataclasses
import re

SUITE = re.compile(r"^(?:@\w+(?:\([^\n]*\))?\s+)*(?:public |final |private )*(?:struct|class|enum|actor|extension) (\w+)", re.MULTILINE)
TEST = re.compile(r"^(?:[ \t]*//[^\n]*\n)*[ \t]*@Test\b", re.MULTILINE)
FUNCTION = re.compile(r"\bfunc (`[^`]+`|\w+)")


@dataclasses.dataclass(frozen=True, order=True)
class Test:
    target: str
    suite: str
    function: str

    @property
    def filter(self):
        """A pattern for `swift test --filter` that selects only this test."""
        suite = f"{re.escape(self.suite)}/" if self.suite else ""
        return rf"^{re.escape(self.target)}\.{suite}{re.escape(self.function)}\("

    def __str__(self):
        return f"{self.suite}.{self.function}" if self.suite else self.function


def tests(root):
    """Yields every Swift test of the project with its text."""
    for file in sorted((root / "Tests").glob("*/*/**/*.swift")):
        text = file.read_text()
        starts = [match.start() for match in TEST.finditer(text)]
        for start, end in zip(starts, [*starts[1:], len(text)]):
            function = FUNCTION.search(text, start, end)
            if not function:
                continue
            suite = None
            for suite in SUITE.finditer(text, 0, start):
                pass
            # The path is Tests/<kind>/<target>/…, for example Tests/Unit/SessionPolicyTests/…
            target = file.relative_to(root / "Tests").parts[1]
            yield Test(target, suite.group(1) if suite else "", function.group(1)), text[start:end]


def citing(root, rule):
    """Returns the tests that cite a rule, sorted."""
    cited = re.compile(rf"\b{re.escape(rule)}(?!\d)")
    return sorted(test for test, text in tests(root) if cited.search(text))
