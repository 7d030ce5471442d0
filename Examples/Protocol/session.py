#!/usr/bin/env python3
"""Participates in the user's audio sessions without a library; Documentation/Protocol.md describes the protocol.

    session.py [CATEGORY [OPTION...]]

Activates a session (default category: playback) and prints its notices and the grants in its gate until
Ctrl-C. It plays no sound and does not start an arbiter. A program that plays reads its gate in each audio
cycle, as `grant` does.
"""
import json
import mmap
import os
import select
import signal
import socket
import sys


class Arbiter:
    """A connection to the arbiter. A request waits for its reply; messages that arrive before it are stored in `pending`."""

    def __init__(self, path):
        self.serial, self.pending = 0, []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)

    def send(self, **message):
        self.serial += 1
        self.socket.send(json.dumps({"serial": self.serial, **message}).encode())
        return self.serial

    def receive(self):
        packet, descriptors, _, _ = socket.recv_fds(self.socket, 65536, 1)
        message = json.loads(packet or sys.exit("session.py: the arbiter closed the connection"))
        if "ping" in message:  # answer at once: the arbiter disconnects a client that does not answer for some seconds
            self.send(request="pong", ping=message["ping"])
        return message, descriptors

    def ask(self, **request):
        serial = self.send(**request)
        while (answer := self.receive())[0].get("reply") != serial:
            self.pending.append(answer[0])
        if "error" in answer[0]:
            sys.exit(f"session.py: {answer[0]['error']['message']}")
        return answer


def grant(page):
    """Returns the grant in the gate. One 64-bit load, because all fields change together."""
    word = page[8]
    return "paused" if word >> 32 & 1 else "muted" if word >> 33 & 1 else f"{(word & 0xFFFF) / 256:g} dB down"


def take_part(category="playback", *options):
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = f"{runtime}/audiosession" if runtime else f"/tmp/audiosession-{os.getuid()}"
    arbiter = Arbiter(os.environ.get("AUDIOSESSION_SOCKET") or f"{folder}/arbiter.socket")
    arbiter.ask(request="hello", version=1)
    reply, [descriptor] = arbiter.ask(request="register")
    session, printed = reply["session"], None
    page = memoryview(mmap.mmap(descriptor, mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ)).cast("Q")
    try:
        arbiter.ask(action="configure", session=session, category=category, options=options)
        arbiter.ask(action="activate", session=session)
        while True:
            messages, arbiter.pending = arbiter.pending, []
            if not messages and select.select([arbiter.socket], [], [], 0.1)[0]:
                messages = [arbiter.receive()[0]]
            if grant(page) != printed:
                printed = grant(page)
                print("gate:", printed, flush=True)
            for notice in [message["notice"] for message in messages if "notice" in message]:
                print("notice:", notice["effect"], flush=True)
                if notice["effect"] == "interruptionEnded" and notice["shouldResume"]:
                    arbiter.ask(action="activate", session=session)
    except KeyboardInterrupt:
        arbiter.ask(action="deactivate", session=session, notifyOthers=True)
        arbiter.ask(action="unregister", session=session)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    take_part(*sys.argv[1:])
