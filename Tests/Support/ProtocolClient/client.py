#!/usr/bin/env python3
"""A complete client of the protocol, without a library, for tests of audiosession-conformance.

    client.py [--fault NAME]

Plays in a session until SIGTERM, and restores it with the next arbiter. It makes no sound. With a fault, it violates the protocol
in one point; FAULTS lists them.
"""
import argparse
import atexit
import json
import mmap
import os
import select
import signal
import socket
import sys

FAULTS = {
    "first": "registers before hello",
    "serial": "uses each serial twice",
    "descriptor": "sends a descriptor",
    "silent": "connects, and sends nothing",
    "absent": "never connects",
    "exit": "exits at once",
    "garbage": "sends what is no JSON",
    "long": "sends a packet that is too long",
    "category": "plays with the default category",
    "other": "activates a session that it was not given",
    "idle": "never states that it plays",
    "deaf": "answers no ping",
    "late": "answers pings only after the reply that it waits for",
    "strict": "ends at a message that it does not know",
    "keys": "ends at a key that it does not know",
    "text": "finds replies by searching the text",
    "double": "reads integers as doubles",
    "insist": "repeats a refused activation at once",
    "leave": "ends when its activation is refused",
    "codes": "ends at an error with a code that it does not know",
    "slow-exit": "ends its connection there, and its process half a second later",
    "give-up": "ends its connection when it is interrupted",
    "lose": "does not connect again",
    "forget": "registers a new session instead of restoring",
    "arbiter": "names no arbiter in hello",
    "words": "restores with the gate's words as doubles",
    "stale": "restores the first status",
    "old-page": "goes on reading the first page",
    "again": "sends restore again after an error",
    "hammer": "connects without a pause",
    "hasty": "registers without waiting for the reply to hello",
    "stubborn": "ignores SIGTERM",
}
# The keys of the messages that it receives.
KEYS = {"application", "devices", "error", "grant", "hardware", "notice", "pending", "ping", "reply", "session", "status", "welcome"}
CODES = {"refused", "malformed", "notPermitted", "limit", "unavailable"}


class Lost(Exception):
    """The connection has ended."""


class Stop(Exception):
    """SIGTERM has come."""


class Failed(Exception):
    """A request has failed."""


def stop(number, frame):
    raise Stop


class Client:
    def __init__(self, fault):
        self.fault, self.socket, self.serial = fault, None, 0
        self.session = self.status = self.page = self.arbiter = self.application = None
        self.waiting, self.notices = [], []

    # ---- Messages

    def send(self, **message):
        self.serial += 0 if self.fault == "serial" and self.serial else 1
        packet = json.dumps({"serial": self.serial, **message}).encode()
        if self.fault == "garbage":
            packet = b"{nonsense"
        if self.fault == "long":
            packet += b" " * 70_000
        try:
            if self.fault == "descriptor":
                socket.send_fds(self.socket, [packet], [0])
            else:
                self.socket.send(packet)
        except OSError as error:
            raise Lost from error
        return self.serial

    def receive(self):
        try:
            packet, descriptors, _, _ = socket.recv_fds(self.socket, 65536, 1)
        except OSError as error:
            raise Lost from error
        if not packet:
            raise Lost
        message = json.loads(packet, **({"parse_int": float} if self.fault == "double" else {}))
        if self.fault == "text" and b'"reply":' not in packet:
            message.pop("reply", None)
        if self.fault == "keys" and message.keys() & KEYS and message.keys() - KEYS:
            sys.exit(f"client.py: unknown key in {message}")
        self.handle(message)
        return message, descriptors

    def handle(self, message):
        if "ping" in message:
            self.answer(message["ping"])
        elif "status" in message:
            if not (self.fault == "stale" and self.status):
                self.status = message
        elif "notice" in message:
            self.notices.append(message["notice"]["effect"])
        elif "application" in message:
            self.application = message["application"]
        elif self.fault == "strict" and not message.keys() & {"reply", "devices", "hardware"}:
            sys.exit(f"client.py: unknown message {message}")

    def answer(self, number):
        if self.fault == "late":
            self.waiting.append(number)
        elif self.fault != "deaf":
            self.send(request="pong", ping=number)

    def ask(self, **request):
        serial = self.send(**request)
        while (answer := self.receive())[0].get("reply") != serial:
            pass
        for number in self.waiting:
            self.send(request="pong", ping=number)
        self.waiting = []
        if "error" in answer[0]:
            if self.fault in ("codes", "slow-exit") and answer[0]["error"]["code"] not in CODES:
                sys.exit(f"client.py: unknown code in {answer[0]}")
            raise Failed(answer[0]["error"]["message"])
        return answer

    # ---- Sessions

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.serial = 0
        try:
            self.socket.connect(os.environ["AUDIOSESSION_SOCKET"])
        except OSError as error:
            raise Lost from error
        if self.fault == "silent":
            wait(1000)
        if self.fault == "first":
            self.ask(request="register")
        hello = {"request": "hello", "version": 1, "oldestVersion": 1}
        if self.session and self.fault != "forget":
            hello.update(restoring=1, application=self.application)
            if self.fault != "arbiter":
                hello["arbiter"] = self.arbiter
        if self.fault == "hasty":
            self.send(**hello)
            self.send(request="register")
        record = self.record()
        self.arbiter = self.ask(**hello)[0]["welcome"]["arbiter"]
        if self.session and self.fault != "forget":
            self.restore(record)
        else:
            self.register()

    def record(self):
        if not self.status:
            return None
        status = self.status["status"]
        record = {"session": status["session"], "standing": status["standing"], "grant": self.status["grant"], "app": self.application}
        return record | ({"pending": self.status["pending"]} if "pending" in self.status else {})

    def register(self):
        reply, descriptors = self.ask(request="register")
        self.session = reply["session"]
        self.map(descriptors)
        session = self.session + (1 if self.fault == "other" else 0)
        if self.fault != "category":
            self.ask(action="configure", session=session, category="playback", options=[])
        self.activate(session)

    def activate(self, session):
        while True:
            try:
                self.ask(action="activate", session=session)
                break
            except Failed:
                if self.fault == "leave":
                    sys.exit("client.py: refused")
                if self.fault != "insist":
                    return
        if self.fault != "idle":
            self.ask(action="setRunning", session=session, isRunning=True)

    def restore(self, record):
        grant, volume = self.page[8], self.page[16]
        if self.fault == "words":
            grant = int(float(grant))
        gate = {"verdict": grant, "volume": volume}
        while True:
            try:
                self.map(self.ask(request="restore", record=record, gate=gate)[1])
                return
            except Failed:
                if self.fault != "again":
                    return self.register()

    def map(self, descriptors):
        if self.page is None or self.fault != "old-page":
            self.page = memoryview(mmap.mmap(descriptors[0], mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ)).cast("Q")
        for descriptor in descriptors:
            os.close(descriptor)

    def serve(self):
        while True:
            notices, self.notices = self.notices, []
            if "interruptionBegan" in notices and self.fault == "give-up":
                sys.exit("client.py: interrupted")
            if "interruptionEnded" in notices:
                self.activate(self.session)
            elif not self.notices:
                self.receive()

    def finish(self):
        if self.session and self.socket:
            try:
                self.ask(action="deactivate", session=self.session, notifyOthers=True)
                self.ask(action="unregister", session=self.session)
            except (Failed, Lost):
                pass


def run(client):
    while True:
        try:
            client.connect()
            client.serve()
        except Lost:
            if client.fault == "lose" and client.session:
                wait(1000)
        except Failed as failure:
            print("client.py:", failure, file=sys.stderr)
        client.socket.close()
        wait(0 if client.fault == "hammer" else 0.1)


def wait(seconds):
    select.select([], [], [], seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=FAULTS)
    client = Client(parser.parse_args().fault)
    if client.fault == "slow-exit":
        atexit.register(wait, 0.5)
    if client.fault == "exit":
        sys.exit("client.py: exits")
    signal.signal(signal.SIGTERM, signal.SIG_IGN if client.fault == "stubborn" else stop)
    try:
        if client.fault == "absent":
            wait(1000)
        run(client)
    except Stop:
        client.finish()


if __name__ == "__main__":
    main()
