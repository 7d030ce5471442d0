#!/usr/bin/env python3
"""A game whose loop pauses while the user telephones, and mixes with the user's music.

usage: game.py [--frames N]
"""

import argparse
import sys

from audiosession import Activity, AudioSessionError, Category, EventKind, Session

FRAME = 1 / 60


# [loop]
def play(session, frames):
    """Runs the game for so many frames."""
    session.set_category(Category.AMBIENT)
    session.set_playing(True)
    session.request_activation()  # waits if the user telephones now
    did_run = True
    while frames > 0:
        event = session.wait(FRAME)  # None when it is time for the next frame
        if event is not None and event.kind in (EventKind.INTERRUPTION_ENDED, EventKind.DEACTIVATED):
            session.request_activation()
        runs = session.unavailable is not None or session.state.activity == Activity.ACTIVE
        if runs != did_run:
            print("game: continues" if runs else "game: paused", flush=True)
        did_run = runs
        if event is None and runs:
            frames -= 1  # a real game updates its world and draws here
# [end]


def main():
    parser = argparse.ArgumentParser(description="A game whose loop pauses while the user telephones.")
    parser.add_argument("--frames", type=int, default=600, help="how long to play (default: %(default)s, 10 s)")
    arguments = parser.parse_args()
    try:
        with Session(required=False) as session:
            print("game: plays", flush=True)
            play(session, arguments.frames)
        return 0
    except AudioSessionError as error:
        print(f"game: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
