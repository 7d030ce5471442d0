#!/usr/bin/env bash
# abi.sh SOURCE [--write|FAULT]: compares the binary interface of libaudiosession, as GCC builds it,
# with the one in Packaging/libaudiosession.abi: functions, their arguments, structures and constants.
# --write accepts a change, and stores the new interface. FAULT injects a fault into the stored one:
# other-structure, other-constant or other-function.
set -euo pipefail
source=$1 action=${2:-}
stored=$source/Packaging/libaudiosession.abi
headers=$source/Sources/CAudioSession/include/audiosession
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly COMMAND...: shows the command's output only if it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
}

# Only what programs see, without what differs from one build to the next.
dump() {
    abidw --exported-interfaces-only --headers-dir "$headers" --drop-private-types --no-corpus-path \
        --no-comp-dir-path --no-show-locs --no-elf-needed --no-architecture "$work/build/libaudiosession.so"
}

# replace FROM TO: injects a fault.
replace() {
    sed "s/$1/$2/" "$stored" >"$work/stored.abi"
    if cmp -s "$stored" "$work/stored.abi"; then
        echo "abi: the fault '$action' changes nothing"
        exit 1
    fi
    stored=$work/stored.abi
}

quietly cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF \
    -DCMAKE_C_FLAGS="-ffile-prefix-map=$(cd "$source" && pwd)=."
quietly cmake --build "$work/build" --target audiosession
case $action in
"") ;;
--write)
    dump >"$stored"
    exit
    ;;
other-structure) replace "name='asession_event' size-in-bits='640'" "name='asession_event' size-in-bits='704'" ;;
other-constant) replace "name='ASESSION_EVENT_ACTIVATED' value='11'" "name='ASESSION_EVENT_ACTIVATED' value='12'" ;;
other-function) replace "name='asession_activate' type='func-type'" "name='asession_active' type='func-type'" ;;
*)
    echo "abi: unknown fault '$action'"
    exit 64
    ;;
esac
dump >"$work/built.abi"
if ! abidiff --harmless "$stored" "$work/built.abi"; then
    echo "abi: the binary interface is not the stored one. If the change is intended, note it in CHANGELOG.md,"
    echo "abi: give a released version another soname, and run: Tests/Integration/Install/abi.sh . --write"
    exit 1
fi
echo "abi: the binary interface is the stored one"
