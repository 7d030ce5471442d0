#!/usr/bin/env bash
# install_and_use.sh BUILD SOURCE [FAULT]: installs the libraries to a separate folder and uses them
# as an app would: with pkg-config, with find_package and as a part of its own project, in C11 and
# C++17, with GCC and Clang, shared and static. Then it plays the chord. FAULT injects a fault:
# missing-header, missing-function or stray-name. Tests/Integration/Install/CMakeLists.txt lists
# what must be reported.
set -euo pipefail
build=$1 source=$2 fault=${3:-}
tests=$source/Tests/Integration/Install
work=$(mktemp -d)
server=""
finish() {
    if [[ -n $server ]]; then
        kill "$server" || true
        wait "$server" || true
    fi
    rm -rf "$work"
}
trap finish EXIT

# quietly COMMAND...: shows the command's output only if it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        return 1
    }
}

fail() {
    echo "install_and_use: $*"
    exit 1
}

# The folder to which the installation is moved: nothing in it may contain the original path.
prefix=$work/moved
install_and_move() {
    quietly cmake --install "$build" --prefix "$work/prefix"
    mv "$work/prefix" "$prefix"
    library=$(dirname "$(find "$prefix" -name 'librcore.so')")
    # A copy without shared libraries, so that the linker uses the static ones.
    cp -r "$prefix" "$prefix.static"
    archives=$prefix.static/${library#"$prefix/"}
    rm "$archives"/*.so*
}

inject() {
    case $fault in
    "") ;;
    missing-header) rm "$prefix/include/rcore/rcore_matrix.h" ;;
    missing-function) echo 'void rcore_not_there(void);' >>"$prefix/include/rcore/rcore_base.h" ;;
    stray-name)
        echo 'int stray_name;' | gcc -x c -c - -o "$work/stray.o"
        ar r "$library/librcore_jack.a" "$work/stray.o"
        ;;
    *) fail "unknown fault '$fault'" ;;
    esac
}

# headers_alone COMPILER...: includes each installed header on its own, twice.
headers_alone() {
    local header
    for header in "$prefix"/include/{rcore,audiosession}/*.h; do
        printf '#include <%s>\n%.0s' "${header#"$prefix"/include/}"{,} >"$work/alone.c"
        quietly "$@" -I"$prefix/include" -fsyntax-only "$work/alone.c"
    done
}

# Compares the functions that the headers declare, as preprocessed by the compiler, with those that
# the libraries export. The shared libraries must bind all names when they are loaded.
names() {
    local declared shown
    for header in "$prefix"/include/{rcore,audiosession}/*.h; do
        echo "#include <${header#"$prefix"/include/}>"
    done >"$work/all.c"
    gcc -E -P -I"$prefix/include" "$work/all.c" | tr -s ' \n' ' ' | grep -oE '\b(rcore|sgate|asession)_[a-z0-9_]+ ?\(' |
        tr -d ' (' | sort -u >"$work/declared"
    declared=$(wc -l <"$work/declared")
    [[ $declared -gt 100 ]] || fail "only $declared functions found in the headers"
    nm -D --defined-only "$library"/lib{rcore,rcore_jack,audiosession}.so | awk 'NF == 3 { print $3 }' | sort >"$work/shared"
    nm -g --defined-only "$library"/lib{rcore,rcore_jack,audiosession}.a | awk 'NF == 3 { print $3 }' | sort >"$work/static"
    for shown in shared static; do
        diff "$work/declared" "$work/$shown" || fail "< is declared in the headers, > is exported by the $shown libraries"
    done
    for shown in librcore.so librcore_jack.so libaudiosession.so; do
        readelf -d "$library/$shown" | grep -q BIND_NOW || fail "$shown binds names lazily, on the audio thread"
    done
}

# by_pkg_config COMPILER...: builds and runs the programs, shared and static.
by_pkg_config() {
    local flags package
    for package in rcore:offline rcore-jack:refusal audiosession:alone; do
        read -ra flags <<<"$(PKG_CONFIG_PATH=$library/pkgconfig pkg-config --cflags --libs "${package%:*}")"
        quietly "$@" "$tests/${package#*:}.c" "${flags[@]}" -o "$work/app"
        LD_LIBRARY_PATH=$library quietly "$work/app"
        read -ra flags <<<"$(PKG_CONFIG_PATH=$archives/pkgconfig pkg-config --static --cflags --libs "${package%:*}")"
        quietly "$@" "$tests/${package#*:}.c" "${flags[@]}" -o "$work/app"
        quietly "$work/app"
        if ldd "$work/app" | grep -E "librcore|libaudiosession"; then fail "${package%:*} was not linked statically"; fi
    done
}

by_compilers() {
    local pair strict=(-Wall -Wextra -Werror -pedantic)
    for pair in gcc:g++ clang:clang++; do
        if ! command -v "${pair%:*}" >/dev/null; then
            echo "== no ${pair%:*} here"
            continue
        fi
        echo "== ${pair%:*}: each header alone; pkg-config, shared and static"
        local c=("${pair%:*}" -std=c11 "${strict[@]}") cpp=("${pair#*:}" -std=c++17 "${strict[@]}" -x c++)
        headers_alone "${c[@]}"
        headers_alone "${cpp[@]}"
        if [[ -n $fault ]]; then continue; fi # only the checks above, or the names, detect faults
        by_pkg_config "${c[@]}"
        by_pkg_config "${cpp[@]}"
    done
}

# by_cmake NAME ARGUMENTS...: builds and runs the programs of App.
by_cmake() {
    local app=$work/app-$1 program
    shift
    quietly cmake -S "$tests/App" -B "$app" -G Ninja "$@"
    quietly cmake --build "$app"
    for program in "$app"/app_*; do quietly "$program"; done
    [[ -x $app/app_jack_static ]] || fail "App built no app_jack_static"
}

by_find_package() {
    by_cmake found -DCMAKE_PREFIX_PATH="$prefix"
    if cmake -S "$tests/App" -B "$work/app-found" -DCMAKE_PREFIX_PATH="$prefix" -DVERSION=0.1 >"$work/refusal" 2>&1; then
        fail "find_package accepted version 0.2 for 0.1"
    fi
    grep -q 'requested version "0.1"' "$work/refusal" || fail "find_package: $(<"$work/refusal")"
}

# start_server: starts a server with a fixed name, since a killed server occupies its slot until the
# next one of that name starts. A lock serializes runs of this test. The server ends with this
# script, however that ends.
start_server() {
    export JACK_DEFAULT_SERVER=t-install JACK_NO_AUDIO_RESERVATION=1
    exec {lock}>"${TMPDIR:-/tmp}/t-install.lock"
    flock "$lock"
    setpriv --pdeathsig TERM jackd -n t-install -r -d dummy -r 44100 -p 512 {lock}>&- >"$work/jackd" 2>&1 &
    server=$!
    jack_wait -s t-install -w -t 20 >"$work/wait" 2>&1 || fail "no server: $(cat "$work/jackd" "$work/wait")"
}

chord() {
    quietly cmake -S "$source/Examples/Chord" -B "$work/chord" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
    quietly cmake --build "$work/chord"
    if JACK_DEFAULT_SERVER=t-none "$work/chord/chord" >"$work/refusal" 2>&1; then fail "the chord played without a server"; fi
    [[ $(<"$work/refusal") == "chord: no JACK server runs; start one"* ]] || fail "without a server: $(<"$work/refusal")"
    start_server
    timeout 60 "$work/chord/chord" | tee "$work/heard"
    # Left: the first string at 0.2, and the second at 0.2 / sqrt(2), never exactly in phase.
    grep -qE '^chord: played at 44100 Hz, left peak 0\.3[0-9]+$' "$work/heard" || fail "the output is not the chord"
}

install_and_move
inject
by_compilers
echo "== exported names"
names
if [[ -n $fault ]]; then exit 0; fi # no check has detected it
echo "== find_package, shared and static"
by_find_package
echo "== a part of another project"
by_cmake part -DRCORE_SOURCE="$source"
echo "== the chord"
chord
echo "install_and_use: all checks passed"
