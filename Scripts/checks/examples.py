"""Compares the code that README.md and Documentation show with the examples that the build compiles."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
failures = 0
compared = 0
pages = [root / "README.md", *sorted((root / "Documentation").rglob("*.md"))]
for page in pages:
    shown = re.findall(r"<!-- (\S+);[^>]*-->\n```swift\n(.*?)```", page.read_text(), re.S)
    name = page.relative_to(root)
    for path, code in shown:
        if not (root / path).is_file():
            print(f"{name}: the code is said to be that of {path}, which does not exist")
            failures += 1
        elif (root / path).read_text() != code:
            print(f"{name}: the code differs from {path}; copy one to the other")
            failures += 1
    compared += len(shown)
    if page.name == "README.md" and page.parent == root and not shown:
        print("README.md: no code is compared with an example")
        failures += 1
print(f"examples: {compared} compared, {failures} failures")
sys.exit(failures > 0)
