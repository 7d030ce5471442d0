"""Compares the code that README.md shows with the example that the build compiles."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
failures = 0
text = (root / "README.md").read_text()
shown = re.findall(r"<!-- (\S+);[^>]*-->\n```swift\n(.*?)```", text, re.S)
for path, code in shown:
    if (root / path).read_text() != code:
        print(f"README.md: the code differs from {path}; copy one to the other")
        failures += 1
if not shown:
    print("README.md: no code is compared with an example")
    failures += 1
print(f"examples: {len(shown)} compared, {failures} failures")
sys.exit(failures > 0)
