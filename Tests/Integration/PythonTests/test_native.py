"""The Python declarations of the C library are those of its header."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import audiosession
from audiosession import errors, native, values
from support import ROOT

HEADER = ROOT / "Sources/CAudioSession/include/audiosession/audiosession.h"
STRUCTURES = {
    "asession_error_t": native.Error,
    "asession_state_t": native.State,
    "asession_event_t": native.Event,
    "asession_gate_state_t": native.GateState,
}
PREFIXES = {
    values.Category: "ASESSION_",
    values.Mode: "ASESSION_",
    values.Option: "ASESSION_",
    values.Preference: "ASESSION_",
    values.Activity: "ASESSION_",
    values.EventKind: "ASESSION_EVENT_",
}


def constant(member):
    """Returns the constant of the header for a member of an enumeration."""
    if member is values.Mode.DEFAULT:
        return "ASESSION_MODE_DEFAULT"
    return PREFIXES[type(member)] + member.name


def status(kind):
    """Returns the header's status for a class of exceptions: ASESSION_NO_MEMORY for NoMemoryError."""
    return "ASESSION" + re.sub("([A-Z])", r"_\1", kind.__name__.removesuffix("Error")).upper()


def members(kind):
    return [member for name, member in kind.__members__.items() if (kind, name) != (values.Option, "NONE")]


class NativeTests(unittest.TestCase):
    def test_layout(self):
        """Sizes, offsets and constants, as the C compiler sees them."""
        lines = []
        for name, structure in STRUCTURES.items():
            lines.append((f"sizeof({name})", native.ctypes.sizeof(structure)))
            lines += [(f"offsetof({name}, {field})", getattr(structure, field).offset) for field, _ in structure._fields_]
            lines += [(f"sizeof((({name} *)0)->{field})", getattr(structure, field).size) for field, _ in structure._fields_]
        lines += [(constant(member), int(member)) for kind in PREFIXES for member in members(kind)]
        lines += [(status(kind), number) for number, kind in errors._CLASSES.items()]
        checks = "\n".join(f'_Static_assert({expression} == {value}, "{expression}");' for expression, value in lines)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "layout.c"
            source.write_text(f"#include <audiosession/audiosession.h>\n#include <stddef.h>\n{checks}\n")
            result = subprocess.run(
                ["cc", "-std=c17", "-fsyntax-only", "-I", HEADER.parent.parent, source], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_completeness(self):
        """Every function and every constant of the header has its counterpart, and nothing else."""
        text = HEADER.read_text()
        declared = set(re.findall(r"\b(asession_\w+)\(", text))
        self.assertEqual(declared, set(native._WAITING) | set(native._IMMEDIATE))
        constants = set(re.findall(r"^ +(ASESSION_\w+) = ", text, re.M))
        expected = {constant(member) for kind in PREFIXES for member in members(kind)}
        self.assertEqual(constants, expected | {status(kind) for kind in errors._CLASSES.values()} | {"ASESSION_OK"})

    def test_fields(self):
        """The values that programs see have the members of the C structures."""
        for value, structure in ((values.State, native.State), (values.Event, native.Event), (values.GateState, native.GateState)):
            self.assertEqual(list(value.__dataclass_fields__), [name for name, _ in structure._fields_])

    def test_version(self):
        cmake = re.search(r"project\(swift-audio-session VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        package = re.search(r'^version = "(.*)"', (ROOT / "Bindings/Python/pyproject.toml").read_text(), re.M)[1]
        self.assertEqual((audiosession.__version__, package), (cmake, cmake))
        self.assertEqual(native.SONAME, f"libaudiosession.so.{cmake.rpartition('.')[0]}")


if __name__ == "__main__":
    unittest.main()
