#!/usr/bin/env python3
"""Tests the packages for Arch Linux and Fedora, and the Flatpak manifest, as far as Debian can.

The packages have the programs in the folder that AUDIOSESSION_PROGRAMS names: prepare and build are not run.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = pathlib.Path(os.environ.get("AUDIOSESSION_PROGRAMS", ".build/debug")).resolve()
VERSION = re.search(r"project\(swift-audio-session VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
PKGBUILD = ROOT / "Packaging/arch/PKGBUILD"
SPEC = ROOT / "Packaging/fedora/audiosession.spec"
MANIFEST = ROOT / "Packaging/flatpak/local.audiosession.Player.yml"
# makepkg sets it.
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "86400"}
# makepkg's part in packaging: calls check, and the function of each package.
MAKE_PACKAGES = """
set -euo pipefail
source "$1"; srcdir=$2 output=$3
cd "$srcdir"
check
for package in "${pkgname[@]}"; do
    pkgdir=$output/$package
    mkdir -p "$pkgdir"
    ("package_$package")
done
"""
LIST_DEPENDENCIES = """
source "$1"; srcdir=/ depends=()
_take() { :; }
_install_all() { :; }
"package_$2" 2>/dev/null
printf '%s\\n' "${depends[@]}"
"""
# Libraries of the programs, and the packages of Arch that have them.
LIBRARIES = {
    "ld-linux-x86-64": "glibc", "libSoundTouch": "soundtouch", "libc": "glibc", "libebur128": "libebur128", "libgcc_s": "gcc-libs",
    "libjack": "jack", "libjackserver": "jack", "libjson-c": "json-c", "libm": "glibc", "libncursesw": "ncurses",
    "libpipewire-0.3": "libpipewire", "libsndfile": "libsndfile", "libsoxr": "libsoxr", "libstdc++": "gcc-libs",
    "libsystemd": "systemd-libs", "libtinfo": "ncurses"}


def needs(program, package):
    return unittest.skipUnless(shutil.which(program), f"'{program}' is not installed; install '{package}' to run this test")


def call(*words, **settings):
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=300, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
        **settings)


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}


def setUpModule():
    """Copies the tree, with the programs where a build would put them."""
    global SOURCES
    temporary = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(temporary.cleanup)
    SOURCES = pathlib.Path(temporary.name)
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    tree = SOURCES / f"swift-audio-session-{VERSION}"
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    (tree / ".build/install").mkdir(parents=True)
    (tree / ".build/install/release").symlink_to(PROGRAMS)


def edited(file, folder, old, new):
    """Returns a copy of a file in the folder, with an injected fault."""
    text = file.read_text()
    if text.count(old) != 1:
        raise AssertionError(f"'{old}' occurs {text.count(old)} times in {file.name}")
    copy = folder / file.name
    copy.write_text(text.replace(old, new))
    return copy


class FolderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)


class ArchTest(FolderTest):
    def make(self, file, output):
        """Returns the files of each package."""
        result = call("bash", "-c", MAKE_PACKAGES, "bash", file, SOURCES, output)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return {package.name: files_below(package) for package in output.iterdir()}

    def test_every_file_is_in_one_package(self):
        packages = self.make(PKGBUILD, self.folder / "packages")
        everything = files_below(SOURCES / "all")
        counts = collections.Counter(file for files in packages.values() for file in files)
        self.assertEqual(counts, collections.Counter(everything))
        self.assertIn("usr/bin/player", packages["audiosession"])
        self.assertIn(f"usr/lib/libaudiosession.so.{VERSION}", packages["libaudiosession"])
        self.assertIn("usr/share/licenses/audiosession/Swift-LICENSE.txt", packages["audiosession"])
        with self.subTest("an injected fault"):
            wrong = edited(PKGBUILD, self.folder, " usr/share/zsh\n", "\n")
            left = everything.difference(*self.make(wrong, self.folder / "wrong").values())
            self.assertTrue(left)
            self.assertTrue(all("/zsh/" in file for file in left), left)
        with self.subTest("dependencies"):
            self.check_dependencies(self.folder / "packages")

    def check_dependencies(self, output):
        """Each package depends on those that have the libraries that it loads."""
        for name in ("audiosession", "libaudiosession"):
            own = {path.name for package in output.iterdir() for path in package.rglob("*.so*")}
            binaries = [path for pattern in ("usr/bin/*", "usr/lib/*.so.*", "usr/lib/audiosession/*.so") for path in (output / name).glob(pattern)]
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", call("readelf", "-d", *binaries).stdout)) - own
            listed = call("bash", "-c", LIST_DEPENDENCIES, "bash", PKGBUILD, name)
            packages = {LIBRARIES[library.partition(".so")[0]] for library in needed}
            self.assertEqual(set(listed.stdout.split()), packages, name)

    @needs("makepkg", "makepkg")
    def test_makepkg_accepts_it(self):
        self.assertEqual(self.source_information(PKGBUILD).returncode, 0)
        text = self.source_information(PKGBUILD).stdout
        self.assertIn(f"\tpkgver = {VERSION}\n", text)
        self.assertEqual(len(re.findall(r"(?m)^pkgname = ", text)), 4)

    @needs("makepkg", "makepkg")
    def test_makepkg_finds_a_fault(self):
        result = self.source_information(edited(PKGBUILD, self.folder, "pkgrel=1\n", "pkgrel=first\n"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("pkgrel", result.stderr)

    def source_information(self, file):
        """makepkg refuses to run as root, and writes to the folder."""
        with tempfile.TemporaryDirectory() as folder:
            for part in (file, ROOT / "Packaging/arch/audiosession.install"):
                shutil.copy(part, folder)
            user = []
            if os.geteuid() == 0:
                os.chown(folder, 65534, 65534)
                user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            # It uses pacman for other purposes only, but refuses to start without it.
            return call(*user, "env", "PACMAN=true", "makepkg", "--printsrcinfo", cwd=folder)

    @needs("shellcheck", "shellcheck")
    def test_shellcheck_finds_nothing(self):
        # makepkg reads the variables (SC2034), and sets srcdir and pkgdir (SC2154).
        words = ["shellcheck", "--shell=bash", "--exclude=SC2034,SC2154"]
        self.assertEqual(call(*words, PKGBUILD, ROOT / "Packaging/arch/audiosession.install").stdout, "")
        wrong = edited(PKGBUILD, self.folder, 'rm -rf "$all"', "rm -rf $all")
        self.assertIn("SC2086", call(*words, wrong).stdout)


@needs("rpmbuild", "rpm")
class FedoraTest(FolderTest):
    def rpmbuild(self, action, spec):
        # The macros of Fedora, and no time for compression.
        return call(
            "rpmbuild", "--load", ROOT / "Packaging/fedora/lint.macros", "--define", f"_topdir {self.folder}", "--define",
            f"_builddir {SOURCES}", "--define", "_binary_payload w1.gzdio", "--nodeps", "--noclean", "--short-circuit", action, spec)

    def test_every_file_is_in_one_package(self):
        # Runs install, check and the comparison of all files with those of the packages.
        result = self.rpmbuild("-bi", SPEC)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for fault, file, text in (
            ("a file in no package", "/usr/bin/recorder", ""),
            ("a file that does not exist", "/usr/bin/drummer", "%{_bindir}/recorder\n%{_bindir}/drummer\n"),
        ):
            with self.subTest(fault):
                result = self.rpmbuild("-bb", edited(SPEC, self.folder, "%{_bindir}/recorder\n", text))
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(file, result.stderr)
        result = self.rpmbuild("-bb", SPEC)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        packages = sorted(self.folder.glob("RPMS/*/*.rpm"))
        self.assertEqual(len(packages), 5)
        listing = call("rpm", "-qp", "--queryformat", "[%{FILEMODES:perms} %{FILENAMES}\n]", *packages).stdout.splitlines()
        counts = collections.Counter(line.partition(" ")[2] for line in listing if not line.startswith("d"))
        self.assertEqual({file: count for file, count in counts.items() if count != 1}, {})
        self.assertIn(f"/usr/lib64/libaudiosession.so.{VERSION}", counts)
        with self.subTest("the Swift runtime is of these programs only"):
            main = next(package for package in packages if package.name.startswith(f"audiosession-{VERSION}"))
            for query in ("--requires", "--provides"):
                self.assertNotRegex(call("rpm", "-qp", query, main).stdout, r"lib(swift|_?Foundation|dispatch|BlocksRuntime)")

    @needs("rpmlint", "rpmlint")
    def test_rpmlint_finds_nothing(self):
        words = ["rpmlint", "--strict", "--config", ROOT / "Packaging/fedora/rpmlint.toml"]
        result = call(*words, SPEC)
        self.assertIn(" 0 errors, 0 warnings,", result.stdout, result.stdout + result.stderr)
        wrong = edited(SPEC, self.folder, "Release:        1%{?dist}\n", "Release:        1\nPackager: somebody\n")
        self.assertIn("hardcoded-packager-tag", call(*words, wrong).stdout)


class FlatpakTest(FolderTest):
    def show(self, manifest):
        """flatpak-builder makes a folder where it is called."""
        return call("flatpak-builder", "--show-manifest", manifest, cwd=self.folder)

    @needs("flatpak-builder", "flatpak-builder")
    def test_manifest(self):
        result = self.show(MANIFEST)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        manifest = json.loads(result.stdout)
        self.assertEqual(manifest["id"], MANIFEST.stem)
        # The page explains each permission.
        page = (ROOT / "Documentation/Flatpak.md").read_text()
        for permission in manifest["finish-args"]:
            self.assertIn(f"`{permission}`", page)

    @needs("flatpak-builder", "flatpak-builder")
    def test_a_wrong_manifest_is_found(self):
        wrong = edited(MANIFEST, self.folder, "sdk-extensions:", "sdk-extension:")
        self.assertIn("sdk-extension", self.show(wrong).stderr)

    def test_its_files_exist(self):
        text = MANIFEST.read_text()
        files = re.findall(r"Packaging/\S+", text.partition("modules:")[2])
        for file in files:
            self.assertTrue((ROOT / file).exists(), file)
        named = dict(re.findall(r"(?m)^(command|rename-desktop-file|rename-icon): (.*)$", text))
        # Each is what a command of the manifest builds and installs.
        self.assertIn(f"--product {named['command']} ", text)
        self.assertIn(f" /app/bin/{named['command']}\n", text)
        self.assertIn(f"Packaging/desktop/{named['rename-desktop-file']}", files)
        self.assertIn(f"Packaging/desktop/{named['rename-icon']}.svg", files)


if __name__ == "__main__":
    unittest.main()
