#!/usr/bin/env python3
"""Takes part in the user's audio sessions without a library; the protocol is in Documentation/Protocol.md.

    session.py [CATEGORY [OPTION...]]        says what it is told and what its gate grants, until Ctrl-C; playback by default

It makes no sound and starts no arbiter. A program that sounds reads its gate in each audio cycle, as `verdict` does.
"""
import json
import mmap
import os
import select
import signal
import socket
import sys


class Arbiter:
    """A connection: requests wait for their replies, and what else comes meanwhile is kept in `told`."""

    def __init__(self, path):
        self.serial, self.told = 0, []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)

    def send(self, **message):
        self.serial += 1
        self.socket.send(json.dumps({"serial": self.serial, **message}).encode())
        return self.serial

    def receive(self):
        packet, descriptors, _, _ = socket.recv_fds(self.socket, 65536, 1)
        message = json.loads(packet or sys.exit("session.py: the arbiter has gone"))
        if "ping" in message:  # at once: who does not answer for some seconds is cut off
            self.send(request="pong", ping=message["ping"])
        return message, descriptors

    def ask(self, **request):
        serial = self.send(**request)
        while (answer := self.receive())[0].get("reply") != serial:
            self.told.append(answer[0])
        if "error" in answer[0]:
            sys.exit(f"session.py: {answer[0]['error']['message']}")
        return answer


def verdict(page):
    """What the gate grants, from one load of 64 bits: what belongs together changes together."""
    word = page[8]
    return "paused" if word >> 32 & 1 else "muted" if word >> 33 & 1 else f"{(word & 0xFFFF) / 256:g} dB down"


def take_part(category="playback", *options):
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = f"{runtime}/audiosession" if runtime else f"/tmp/audiosession-{os.getuid()}"
    arbiter = Arbiter(os.environ.get("AUDIOSESSION_SOCKET") or f"{folder}/arbiter.socket")
    arbiter.ask(request="hello", version=1)
    reply, [descriptor] = arbiter.ask(request="register")
    session, said = reply["session"], None
    page = memoryview(mmap.mmap(descriptor, mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ)).cast("Q")
    try:
        arbiter.ask(action="configure", session=session, category=category, options=options)
        arbiter.ask(action="activate", session=session)
        while True:
            told, arbiter.told = arbiter.told, []
            if not told and select.select([arbiter.socket], [], [], 0.1)[0]:
                told = [arbiter.receive()[0]]
            if verdict(page) != said:
                said = verdict(page)
                print("gate:", said, flush=True)
            for notice in [message["notice"] for message in told if "notice" in message]:
                print("told:", notice["effect"], flush=True)
                if notice["effect"] == "interruptionEnded" and notice["shouldResume"]:
                    arbiter.ask(action="activate", session=session)
    except KeyboardInterrupt:
        arbiter.ask(action="deactivate", session=session, notifyOthers=True)
        arbiter.ask(action="unregister", session=session)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    take_part(*sys.argv[1:])
