"""The Python declarations of the C library are those of its headers."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import audiosession
from audiosession import errors, native, values, web
from support import ROOT

HEADERS = ROOT / "Sources/CAudioSession/include/audiosession"
STRUCTURES = {
    "asession_error_t": native.Error,
    "asession_state_t": native.State,
    "asession_event_t": native.Event,
    "asession_port_t": native.Port,
    "asession_now_playing_t": native.NowPlaying,
    "asession_gate_state_t": native.GateState,
}
# What programs see of the structures.
PAIRS = (
    (values.State, native.State),
    (values.Event, native.Event),
    (values.GateState, native.GateState),
    (values.Port, native.Port),
    (values.NowPlaying, native.NowPlaying),
)
PREFIXES = {
    values.Category: "ASESSION_",
    values.Mode: "ASESSION_",
    values.Option: "ASESSION_",
    values.Preference: "ASESSION_",
    values.Activity: "ASESSION_",
    values.RouteSharingPolicy: "ASESSION_ROUTE_SHARING_",
    values.PortList: "ASESSION_",
    values.Permission: "ASESSION_PERMISSION_",
    values.Command: "ASESSION_COMMAND_",
    values.PlaybackState: "ASESSION_PLAYBACK_",
    values.RepeatMode: "ASESSION_REPEAT_",
    values.EventKind: "ASESSION_EVENT_",
    web.WebType: "ASESSION_WEB_",
    web.WebElement: "ASESSION_WEB_",
}


def constant(member):
    """Returns the constant of the headers for a member of an enumeration."""
    if member is values.Mode.DEFAULT:
        return "ASESSION_MODE_DEFAULT"
    return PREFIXES[type(member)] + member.name


def status(kind):
    """Returns the headers' status for a class of exceptions: ASESSION_NO_MEMORY for NoMemoryError."""
    return "ASESSION" + re.sub("([A-Z])", r"_\1", kind.__name__.removesuffix("Error")).upper()


def members(kind):
    return [member for name, member in kind.__members__.items() if (kind, name) != (values.Option, "NONE")]


TYPES = {
    "void": None,
    "bool": native.c_bool,
    "int": native.c_int,
    "unsigned": native.c_uint,
    "uint32_t": native.c_uint32,
    "uint64_t": native.c_uint64,
    "double": native.c_double,
}


def split(arguments):
    return [] if arguments == "void" else [" ".join(each.split()) for each in arguments.split(",")]


def ctypes_type(declared):
    """Returns the type of ctypes for one of C: a name, and a star for each pointer."""
    name = declared.replace("const", "").replace("*", "").strip()
    if declared.count("*") > 1:
        return native.POINTER(native.c_void_p)  # the planes of a gate
    if "*" in declared:
        if name == "char" and "const" in declared:
            return native.c_char_p
        # A text that is not constant has to be freed, so it is an address.
        return native.c_void_p if name in ("char", "asession_t", "asession_gate_t") else native.POINTER(STRUCTURES.get(name, native.c_int))
    if name in TYPES:
        return TYPES[name]
    return STRUCTURES.get(name, native.c_int)  # an enumeration


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
                ["cc", "-std=c17", "-fsyntax-only", "-I", HEADERS.parent, source], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_completeness(self):
        """Every function and every constant of the headers has its counterpart, and nothing else."""
        text = "".join(header.read_text() for header in HEADERS.glob("*.h"))
        declared = set(re.findall(r"\b(asession_\w+)\(", text))
        self.assertEqual(declared, set(native._WAITING) | set(native._IMMEDIATE))
        constants = set(re.findall(r"^ +(ASESSION_\w+) = ", text, re.M))
        expected = {constant(member) for kind in PREFIXES for member in members(kind)}
        self.assertEqual(constants, expected | {status(kind) for kind in errors._CLASSES.values()} | {"ASESSION_OK"})

    def test_signatures(self):
        """Every function has the result and the arguments that the headers declare."""
        text = "".join(header.read_text() for header in HEADERS.glob("*.h"))
        declarations = re.findall(r"^([\w ]+[ *])(asession_\w+)\(([^)]*)\)(?: ASESSION_AUDIO)?;", text, re.M)
        declared = {
            name: (ctypes_type(result), [ctypes_type(each.rpartition(" ")[0] + "*" * each.count("*")) for each in split(arguments)])
            for result, name, arguments in declarations
        }
        self.assertEqual(declared, {**native._WAITING, **native._IMMEDIATE})

    def test_fields(self):
        """The values that programs see have the members of the C structures."""
        for value, structure in PAIRS:
            self.assertEqual(list(value.__dataclass_fields__), [name for name, _ in structure._fields_])

    def test_version(self):
        cmake = re.search(r"project\(swift-audio-session VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        package = re.search(r'^version = "(.*)"', (ROOT / "Bindings/Python/pyproject.toml").read_text(), re.M)[1]
        self.assertEqual((audiosession.__version__, package, audiosession.library_version()), (cmake, cmake, cmake))
        self.assertEqual(native.SONAME, f"libaudiosession.so.{cmake.rpartition('.')[0]}")


if __name__ == "__main__":
    unittest.main()
