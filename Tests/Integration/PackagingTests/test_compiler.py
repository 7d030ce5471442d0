#!/usr/bin/env python3
"""Tests that the Swift compiler, with the options of Scripts/install, gives the same code each time."""
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
# For each pass that Scripts/install turns off, a source whose code varies with the pass on.
SOURCES = {
    # The compiler unrolls the loop. What follows uses several of its values, in one of several orders.
    "loop-unroll": """
public func firstOutside(_ rate: Int?, _ period: Int?) -> String? {
    for (name, value, range) in [("rate", rate, 8_000...384_000), ("period", period, 16...8_192)] {
        guard let value, !range.contains(value) else { continue }
        return "\\(name) \\(value): \\(range.lowerBound) to \\(range.upperBound)"
    }
    return nil
}
""",
    # Reversing an array of arrays checks an index twice. The second check is usually there, and missing
    # in about one of sixty such functions.
    "bcopts": "\n".join(
        f"""public struct Element{n} {{ public var value: UInt8 }}
public func reversed{n}(_ arrays: [[Element{n}]]) -> [[Element{n}]] {{ arrays.reversed() }}"""
        for n in range(40)),
}
COMPILATIONS = 20


def disabled_passes():
    """The passes that Scripts/install turns off."""
    return re.findall(r"-Xswiftc -Xllvm -Xswiftc -sil-disable-pass=([\w-]+)", (ROOT / "Scripts/install").read_text())


def addresses_vary():
    """Whether processes have random addresses, without which the code does not vary."""
    return len({subprocess.run(["sed", "-n", "/stack/p", "/proc/self/maps"], check=True, capture_output=True).stdout for _ in range(4)}) > 1


class CompilerTest(unittest.TestCase):
    def outputs(self, source, disabled):
        """The different outputs of repeated compilations; ends at the second one."""
        seen = set()
        options = [option for name in disabled for option in ("-Xllvm", f"-sil-disable-pass={name}")]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "sample.swift"
            file.write_text(source)
            for _ in range(COMPILATIONS):
                seen.add(subprocess.run(
                    ["swiftc", "-O", "-whole-module-optimization", "-parse-as-library", *options, "-emit-sil", file, "-o", "-"],
                    check=True, capture_output=True, timeout=300).stdout)
                if len(seen) > 1:
                    break
        return seen

    def test_every_pass_has_a_source(self):
        self.assertEqual(sorted(disabled_passes()), sorted(SOURCES))

    def test_the_same_each_time(self):
        for name, source in SOURCES.items():
            with self.subTest(name):
                self.assertEqual(len(self.outputs(source, disabled_passes())), 1)

    def test_each_option_is_needed(self):
        if not addresses_vary():
            self.skipTest("the addresses of processes are not random here")
        for name, source in SOURCES.items():
            with self.subTest(name):
                others = [other for other in disabled_passes() if other != name]
                self.assertEqual(
                    len(self.outputs(source, others)), 2,
                    f"this compiler does not need -sil-disable-pass={name}: remove it from Scripts/install, and its source from here")


if __name__ == "__main__":
    unittest.main()
