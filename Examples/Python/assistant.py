#!/usr/bin/env python3
"""A voice assistant: says a text, and lowers what other programs play while it speaks.

usage: assistant.py [--command 'espeak-ng -s 150'] TEXT
"""

import argparse
import asyncio
import contextlib
import shlex
import sys

from audiosession import AsyncSession, AudioSessionError, Category, EventKind, Mode, Option


# [speak]
async def speak(command, text):
    """Returns whether the text was spoken to its end."""
    async with AsyncSession(required=False) as session:
        await session.set_category(Category.PLAYBACK, Mode.VOICE_PROMPT, Option.DUCK_OTHERS)
        await session.activate()
        await session.set_playing(True)
        speaker = await asyncio.create_subprocess_exec(*command, text)
        obeying = asyncio.create_task(obey(session, speaker))
        try:
            return await speaker.wait() == 0
        finally:
            obeying.cancel()
            stop(speaker)


async def obey(session, speaker):
    """Stops speaking when a call interrupts the session."""
    async for event in session:
        if event.kind == EventKind.INTERRUPTION_BEGAN:
            print("assistant: interrupted", flush=True)
            stop(speaker)


def stop(speaker):
    if speaker.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            speaker.terminate()
# [end]


def main():
    parser = argparse.ArgumentParser(description="Says a text, and lowers what other programs play meanwhile.")
    parser.add_argument("--command", default="espeak-ng", help="the program that speaks its last argument (default: %(default)s)")
    parser.add_argument("text")
    arguments = parser.parse_args()
    try:
        return 0 if asyncio.run(speak(shlex.split(arguments.command), arguments.text)) else 1
    except (AudioSessionError, OSError) as error:
        print(f"assistant: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
