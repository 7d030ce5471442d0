"""What the tests of the Python package share: an arbiter of their own, and commands to it."""

import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
PROGRAMS = pathlib.Path(os.environ.get("AUDIO_TEST_PROGRAMS", ROOT / ".build/debug"))


def eventually(condition, seconds=20):
    """Returns whether a condition becomes true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class ArbiterTestCase(unittest.TestCase):
    """A test with an empty folder, in which the library starts an arbiter with the default settings."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.socket = str(self.folder / "arbiter.socket")
        self.use(
            AUDIOSESSION_SOCKET=self.socket, AUDIOSESSIOND=str(PROGRAMS / "audiosessiond"), XDG_CONFIG_HOME=folder.name,
            XDG_STATE_HOME=folder.name, XDG_RUNTIME_DIR=folder.name, HOME=folder.name)
        self.addCleanup(self.end_arbiter, signal.SIGTERM)

    def use(self, **variables):
        """Sets environment variables until the end of the test."""
        for name, value in variables.items():
            before = os.environ.get(name)
            os.environ[name] = value
            if before is None:
                self.addCleanup(os.environ.pop, name, None)
            else:
                self.addCleanup(os.environ.__setitem__, name, before)

    def signal_arbiter(self, number):
        """Sends a signal to the arbiter at the socket, and returns its process; None: there is none."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            try:
                connection.connect(self.socket)
            except OSError:
                return None
            pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        os.kill(pid, number)
        return pid

    def end_arbiter(self, number):
        """Ends the arbiter at the socket by a signal, if there is one."""
        pid = self.signal_arbiter(number)
        self.assertTrue(pid is None or eventually(lambda: has_ended(pid)), "the arbiter has ended")

    def command(self, *arguments):
        """Runs the command line, and returns what it prints."""
        result = subprocess.run(
            [PROGRAMS / "audiosession", *arguments], check=True, capture_output=True, text=True, timeout=60)
        return result.stdout

    def await_event(self, session, kind):
        """Returns the next event of this kind, and skips others."""
        while (event := session.wait(20)) is not None:
            if event.kind == kind:
                return event
        raise AssertionError(f"no event {kind!r} within 20 s")


def has_ended(pid):
    """Returns whether a process has ended; nobody may have reaped it yet."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"
