#!/usr/bin/env python3
"""Tests that the Swift compiler, with the options of Scripts/install, gives the same code each time."""
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The compiler unrolls this loop. What follows uses several of its values; without the options, their
# order varies.
SOURCE = """
public func firstOutside(_ rate: Int?, _ period: Int?) -> String? {
    for (name, value, range) in [("rate", rate, 8_000...384_000), ("period", period, 16...8_192)] {
        guard let value, !range.contains(value) else { continue }
        return "\\(name) \\(value): \\(range.lowerBound) to \\(range.upperBound)"
    }
    return nil
}
"""


def frontend_options():
    """The options of Scripts/install that go to the compiler's passes."""
    found = re.findall(r"-Xswiftc (-Xllvm) -Xswiftc (\S+?)[\s)]", (ROOT / "Scripts/install").read_text())
    return [word for pair in found for word in pair]


class CompilerTest(unittest.TestCase):
    def outputs(self, options, limit):
        """The different outputs of repeated compilations; ends at the second one."""
        seen = set()
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "sample.swift"
            source.write_text(SOURCE)
            for _ in range(limit):
                seen.add(subprocess.run(
                    ["swiftc", "-O", "-whole-module-optimization", "-parse-as-library", *options, "-emit-assembly", source, "-o", "-"],
                    check=True, capture_output=True, timeout=300).stdout)
                if len(seen) > 1:
                    break
        return seen

    def test_the_same_each_time(self):
        self.assertTrue(frontend_options())
        self.assertEqual(len(self.outputs(frontend_options(), 12)), 1)

    def test_the_options_are_still_needed(self):
        if len(self.outputs([], 40)) == 1:
            self.skipTest("this compiler does not need -sil-disable-pass=loop-unroll: remove it from Scripts/install")


if __name__ == "__main__":
    unittest.main()
