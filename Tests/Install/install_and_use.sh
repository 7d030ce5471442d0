#!/usr/bin/env bash
# install_and_use.sh BUILD SOURCE [--without HEADER]: installs the libraries to a folder of their own, and uses them as an app would: by
# pkg-config and by find_package, in C11 and C++17, with GCC and Clang, shared and static. --without plants a fault.
set -euo pipefail
build=$1 source=$2
prefix=$(mktemp -d)/prefix
work=$(mktemp -d)
server=""
finish() {
    if [[ -n $server ]]; then
        kill "$server" || true
        wait "$server" || true
    fi
    rm -rf "$(dirname "$prefix")" "$work"
}
trap finish EXIT

cmake --install "$build" --prefix "$prefix" >"$work/install.log"
# It may be moved: nothing in it names the place that it was made for.
mv "$prefix" "$prefix.moved"
prefix=$prefix.moved
if [[ ${3:-} == --without ]]; then rm "$prefix/include/rcore/$4"; fi
library=$(dirname "$(find "$prefix" -name 'librcore.so')")
export PKG_CONFIG_PATH=$library/pkgconfig
export LD_LIBRARY_PATH=$library

# The same without shared libraries, so that the linker takes the static ones.
cp -r "$prefix" "$prefix.static"
archives=$prefix.static/${library#"$prefix/"}
rm "$archives"/*.so*

echo "== what they show"
for file in librcore.so librcore_jack.so; do
    shown=$(nm -D --defined-only "$library/$file" | awk '{print $3}')
    if grep -vE '^(rcore|sgate)_' <<<"$shown"; then echo "$file shows names that are not ours" && exit 1; fi
    grep -q '^rcore_' <<<"$shown"
done
if nm -g --defined-only "$library"/librcore*.a 2>/dev/null | awk 'NF == 3 {print $3}' | grep -vE '^(rcore|sgate)_'; then
    echo "a static library shows names that are not ours" && exit 1
fi

strict=(-Wall -Wextra -Werror -pedantic)
compilers=(gcc:g++)
if command -v clang >/dev/null; then compilers+=(clang:clang++); fi
for pair in "${compilers[@]}"; do
    c=("${pair%%:*}" -std=c11 "${strict[@]}")
    cpp=("${pair##*:}" -std=c++17 "${strict[@]}" -x c++)
    echo "== ${pair%%:*}: each header alone"
    for header in "$prefix"/include/rcore/*.h; do
        echo "#include <rcore/$(basename "$header")>" >"$work/alone.c"
        read -ra flags <<<"$(pkg-config --cflags rcore-jack)"
        "${c[@]}" "${flags[@]}" -fsyntax-only "$work/alone.c"
        "${cpp[@]}" "${flags[@]}" -fsyntax-only "$work/alone.c"
    done
    echo "== ${pair%%:*}: pkg-config, shared and static"
    read -ra flags <<<"$(pkg-config --cflags --libs rcore)"
    read -ra static <<<"$(PKG_CONFIG_PATH=$archives/pkgconfig pkg-config --static --cflags --libs rcore)"
    for language in c cpp; do
        declare -n compiler=$language
        "${compiler[@]}" "$source/Tests/Install/offline.c" "${flags[@]}" -o "$work/shared"
        "$work/shared"
        "${compiler[@]}" "$source/Tests/Install/offline.c" "${static[@]}" -o "$work/static"
        LD_LIBRARY_PATH="" "$work/static"
    done
done

echo "== find_package, shared and static"
mkdir "$work/app"
cp "$source/Tests/Install/offline.c" "$work/app/offline.c"
cat >"$work/app/CMakeLists.txt" <<'APP'
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C)
find_package(rcore 0.1 REQUIRED)
foreach(kind rcore rcore_static)
    add_executable(app_${kind} offline.c)
    target_link_libraries(app_${kind} PRIVATE rcore::${kind})
endforeach()
add_executable(app_jack_static offline.c)
target_link_libraries(app_jack_static PRIVATE rcore::jack_static)
APP
cmake -S "$work/app" -B "$work/app/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/app.log" || { cat "$work/app.log" && exit 1; }
cmake --build "$work/app/build" >"$work/app.log" || { cat "$work/app.log" && exit 1; }
"$work/app/build/app_rcore"
"$work/app/build/app_rcore_static"
"$work/app/build/app_jack_static"

echo "== the chord"
cmake -S "$source/Examples/Chord" -B "$work/chord" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/app.log" || { cat "$work/app.log" && exit 1; }
cmake --build "$work/chord" >"$work/app.log" || { cat "$work/app.log" && exit 1; }
export JACK_DEFAULT_SERVER=rcore-install-$$ JACK_NO_AUDIO_RESERVATION=1
if "$work/chord/chord" 2>"$work/refusal"; then echo "it plays without a server" && exit 1; fi
grep -q 'no JACK server of that name runs' "$work/refusal"
jackd -n "$JACK_DEFAULT_SERVER" -r -d dummy -r 48000 -p 1024 >"$work/jackd.log" 2>&1 &
server=$!
jack_wait -s "$JACK_DEFAULT_SERVER" -w -t 20 >"$work/wait.log" 2>&1
timeout 60 "$work/chord/chord"
echo "install_and_use: all of it works"
