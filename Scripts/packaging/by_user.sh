#!/usr/bin/env bash
# Sourced by scripts that may run under sudo. What they build in the checkout belongs to the user who has
# called sudo, who could otherwise not build there again.

# by_user COMMAND...: runs it as that user, with this PATH; without sudo, as who runs the script.
by_user() {
    if [[ $EUID -ne 0 || ${SUDO_UID:-0} == 0 ]]; then
        "$@"
        return
    fi
    setpriv --reuid "$SUDO_UID" --regid "$SUDO_GID" --init-groups \
        env HOME="$(getent passwd "$SUDO_UID" | cut -d: -f6)" "$@"
}

# make_folder FOLDER: makes a folder of that user, where the user may.
make_folder() {
    by_user mkdir -p "$1" 2>/dev/null || mkdir -p "$1"
}
