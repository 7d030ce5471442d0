#!/usr/bin/env python3
"""miniaudio through its Python package, on its JACK backend.

A callback copies a sound once a flag is set. A peer like those in C (PeerProtocol/include/peer_protocol.h describes the protocol). The callbacks
are miniaudio's own, in Python on its audio thread, so the interpreter is part of the measurement.
"""
import argparse
import array
import socket
import sys
import time

import miniaudio

SOUND_FRAMES, SOUND_LEVEL, COUNT_LENGTH, CHANNELS = 480, 0.5, 1 << 20, 2


class Signal:
    """The signal of the callback: the sound when triggered, or the count."""

    def __init__(self, counts):
        self.counts, self.triggered, self.left, self.position = counts, False, 0, 0

    def fill(self, frames):
        samples = array.array("f", bytes(frames * CHANNELS * 4))
        if self.triggered:
            self.triggered, self.left = False, SOUND_FRAMES
        if self.counts:
            count = array.array("f", [((self.position + i) % COUNT_LENGTH + 1) / COUNT_LENGTH for i in range(frames)])
            self.position = (self.position + frames) % COUNT_LENGTH
            samples[0::2] = samples[1::2] = count
        elif self.left:
            now = min(self.left, frames)
            samples[: now * CHANNELS] = array.array("f", [SOUND_LEVEL]) * (now * CHANNELS)
            self.left -= now
        return samples

    def playback(self):
        """The playback callback, a generator: receives a number of frames and yields their samples."""
        frames = yield b""
        while True:
            frames = yield self.fill(frames)


def through():
    """The duplex callback: receives the input and yields the output."""
    samples = yield b""
    while True:
        samples = yield bytes(samples)


class Stream:
    def __init__(self, options, say):
        self.options, self.say, self.device = options, say, None
        self.signal = Signal(options.task == "count")

    def open(self):
        options = self.options
        settings = {
            "sample_rate": options.rate,
            "buffersize_msec": max(1, options.period * 1000 // options.rate),
            "backends": [miniaudio.Backend.JACK],
            "app_name": options.name,
        }
        float32 = miniaudio.SampleFormat.FLOAT32
        if options.task == "through":
            self.device = miniaudio.DuplexStream(float32, CHANNELS, float32, CHANNELS, **settings)
            callback = through()
        else:
            self.device = miniaudio.PlaybackDevice(float32, CHANNELS, **settings)
            callback = self.signal.playback()
        next(callback)
        self.device.stop_callback = lambda: self.say("notice", "the device has stopped")
        self.device.start(callback)

    def close(self):
        if self.device:
            self.device.stop_callback = None
            self.device.close()
        self.device = None


def main():
    parser = argparse.ArgumentParser(description="The benchmark runs this program, with a socket as descriptor 3.")
    parser.add_argument("--task", choices=["sound", "count", "through"], required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--rate", type=int, required=True)
    parser.add_argument("--period", type=int, required=True)
    parser.add_argument("--way", default="")
    benchmark = socket.socket(fileno=3)

    def say(*fields):
        benchmark.send("\t".join(str(field).replace("\t", " ") for field in fields).encode())

    options = parser.parse_args()
    stream = Stream(options, say)

    def open_stream():
        try:
            stream.open()
        except Exception as error:  # any exception of the library is reported
            say("failed", " ".join(f"{type(error).__name__}: {error}".split()))
            return False
        version = f"miniaudio {miniaudio.lib_version()} (Python package {miniaudio.__version__})"
        say("opened", version, stream.device.backend, options.rate, options.period)
        return True

    if not open_stream():
        sys.exit(69)
    while order := benchmark.recv(64).decode():
        if order == "play":
            begun = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            stream.signal.triggered = True
            say("playing", begun)
        elif order == "status":
            say("status", "runs" if stream.device and stream.device.running else "stands")
        elif order == "reopen":
            stream.close()
            open_stream()
        elif order == "quit":
            break
    stream.close()


main()
