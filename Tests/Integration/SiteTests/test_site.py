#!/usr/bin/env python3
"""Tests the site that Scripts/site has built in the folder SITE (build/site/html), and what refuses a wrong one."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SITE = pathlib.Path(os.environ.get("SITE", ROOT / "build/site/html"))
GRAPHS = ROOT / "build/site/symbol-graphs"
sys.path.insert(0, str(ROOT / "Scripts/documentation"))

import build_site  # noqa: E402
import c_reference  # noqa: E402
import check_pages  # noqa: E402
import contents  # noqa: E402
import guides  # noqa: E402
import shown_files  # noqa: E402
import swift_pages  # noqa: E402
import swift_reference  # noqa: E402


def page(name):
    return (SITE / f"{name}.html").read_text()


class FolderTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class PageCheckTest(FolderTest):
    """What check_pages finds in pages with injected faults."""

    def failures(self, body):
        self.write("other.html", '<title>Other</title><p id="here">')
        self.write("page.html", f'<title>Page</title>{body}<a href="other.html#here">other</a>')
        return check_pages.check(self.folder)[1]

    def test_a_page_without_faults(self):
        self.assertEqual(self.failures('<img src="data:image/png;base64," alt="A picture"><a href="https://example.org/">x</a>'), [])

    def test_injected_faults(self):
        for body, text in (
            ('<a href="gone.html">gone</a>', "nothing exists at gone.html"),
            ('<a href="other.html#gone">gone</a>', "names an anchor that does not exist"),
            ('<a href="#gone">gone</a>', "names an anchor that does not exist"),
            ('<a href="../../outside.html">outside</a>', "nothing exists at"),
            ('<img src="gone.svg" alt="A picture">', "loads gone.svg, which does not exist"),
            ('<img src="other.html">', "has no text"),
            ('<script src="https://example.org/a.js"></script>', "from another server"),
            ('<link rel="stylesheet" href="//example.org/a.css">', "from another server"),
        ):
            with self.subTest(body):
                failures = self.failures(body)
                self.assertTrue(any(text in failure for failure in failures), failures)

    def test_style_sheets(self):
        for rule, is_found in (
            ("@import url(/javascript/a.css);", True), ("@import 'gone.css';", True), ("a { background: url(https://example.org/a.png) }", True),
            ("@import 'a.css'; b { background: url(data:image/png;base64,) }", False),
        ):
            with self.subTest(rule):
                self.write("a.css", rule)
                self.assertEqual(any("a.css: loads" in failure for failure in self.failures("")), is_found)

    def test_no_title_and_no_links(self):
        self.write("page.html", "<p>text")
        self.assertEqual(len(check_pages.check(self.folder)[1]), 2)


class OutputTest(FolderTest):
    """Only a folder that is new, empty or has an earlier site is replaced."""

    def test_refusal(self):
        folder, work = self.folder / "site", self.folder / "work"
        self.assertIsNone(build_site.refusal(folder, work))
        folder.mkdir()
        self.assertIsNone(build_site.refusal(folder, work))
        self.write("site/mine.txt", "mine")
        self.assertIn("has other files", build_site.refusal(folder, work))
        self.write(f"site/{build_site.MARK}", "")
        self.assertIsNone(build_site.refusal(folder, work))
        self.assertIn("has other files", build_site.refusal(ROOT, work))
        self.assertIn("has other files", build_site.refusal(ROOT / "README.md", work))
        for other in (folder, folder / "work", folder.parent):
            self.assertEqual("is needed to build the site" in str(build_site.refusal(folder, other)), other != folder.parent)
        for name in ("new", "source/page"):
            self.assertIn("is needed to build the site", build_site.refusal(work / name, work))
        self.assertIsNone(build_site.refusal(work / "html", work))

    def test_nothing_is_removed(self):
        mine = self.write("mine.txt", "mine")
        run = subprocess.run(
            ["/usr/bin/python3", ROOT / "Scripts/documentation/build_site.py", "--modules", self.folder, "--work", self.folder / "work",
             "--output", self.folder], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout, mine.exists()), (65, "", True))
        self.assertIn("has other files", run.stderr)


class Files:
    """Shows no files."""

    def show(self, file):
        return f"files/{file}.html"


class GuidesTest(FolderTest):
    def copy(self, **pages):
        source, sources = self.folder / "repository", self.folder / "sources"
        for name, text in {"README": "", **pages}.items():
            self.write(f"repository/{name.replace('__', '/')}.md", text)
        self.write("repository/Sources/a.swift", "let a = 1\n")
        copied = guides.Guides(source, sources, Files())
        return copied.copy(), sources

    def test_links_are_rewritten(self):
        failures, sources = self.copy(
            README="[c](CHANGELOG.md#a), [s](Sources/a.swift), `[no](link.md)`, [w](https://example.org)\n",
            CHANGELOG="[back](README.md) and [s](Sources/a.swift)\n")
        self.assertEqual(failures, [])
        self.assertIn("[c](CHANGELOG.md#a), [s](files/Sources/a.swift.html), `[no](link.md)`, [w](https://", (sources / "index.md").read_text())
        self.assertIn("[back](index.md)", (sources / "CHANGELOG.md").read_text())

    def test_injected_faults(self):
        for pages, text in (
            ({"README": "[gone](gone.md)"}, "nothing exists at gone.md"),
            ({"README": "[new](New.md)", "New": ""}, "New.md: not in the contents"),
            ({"Documentation__Alone": ""}, "Documentation/Alone.md: no page links it"),
        ):
            with self.subTest(text):
                failures, _ = self.copy(**pages)
                self.assertTrue(any(text in failure for failure in failures), failures)


class ShownFilesTest(FolderTest):
    def show(self):
        self.write("tree/Sources/a.swift", "let a = \\.b  // <\n")
        self.write("tree/Sources/deep/b.txt", "text\n")
        (self.folder / "tree/Sources/c.bin").write_bytes(b"\0")
        self.write("tree/.gitignore", "*.log\n")
        self.write("tree/Sources/x.log", "mine\n")
        files = shown_files.ShownFiles(self.folder / "tree", self.folder / "site")
        self.assertEqual(files.show(pathlib.PurePosixPath("Sources")), "files/Sources/index.html")
        return {str(path.relative_to(self.folder / "site/files/Sources")) for path in self.folder.glob("site/files/Sources/**/*.html")}

    def test_an_archive(self):
        self.assertEqual(self.show(), {"index.html", "a.swift.html", "deep/index.html", "deep/b.txt.html", "x.log.html"})
        self.assertIn("&lt;", (self.folder / "site/files/Sources/a.swift.html").read_text())

    def test_ignored_files_of_a_repository(self):
        (self.folder / "tree").mkdir()
        subprocess.run(["git", "init", "--quiet", self.folder / "tree"], check=True)
        self.assertEqual(self.show(), {"index.html", "a.swift.html", "deep/index.html", "deep/b.txt.html"})


class SwiftReferenceTest(FolderTest):
    def convert(self, text):
        """Compiles the catalog of a small module, with a text added to its page."""
        module = "AudioDecoding"
        catalog = self.folder / f"Sources/{module}/{module}.docc"
        shutil.copytree(ROOT / f"Sources/{module}/{module}.docc", catalog, dirs_exist_ok=True)
        file = catalog / f"{module}.md"
        file.write_text(file.read_text().replace("## Overview\n", f"## Overview\n\n{text}\n", 1))
        modules, swift_reference.MODULES[:] = swift_reference.MODULES[:], [module]
        try:
            return swift_reference.convert(self.folder, GRAPHS, self.folder / "docc")
        finally:
            swift_reference.MODULES[:] = modules

    def test_docc_refuses_unknown_symbols(self):
        self.assertEqual(self.convert("See ``MediaFile``."), [])
        failures = self.convert("See ``NoSuchType``.")
        self.assertEqual(len(failures), 1)
        self.assertIn("NoSuchType", failures[0])

    def test_unknown_content_is_an_error(self):
        symbol = swift_pages.Symbol("doc://a/documentation/M", {
            "metadata": {}, "kind": "symbol", "primaryContentSections": [{"kind": "attributes"}],
            "relationshipsSections": [{"type": "overrides", "identifiers": []}]})
        with self.assertRaisesRegex(ValueError, "'attributes'"):
            symbol.sections("content")
        writer = swift_pages.Writer.__new__(swift_pages.Writer)
        with self.assertRaisesRegex(ValueError, "'video'"):
            writer.blocks([{"type": "video"}], symbol, 1)
        with self.assertRaisesRegex(ValueError, "'image'"):
            writer.inline([{"type": "image"}], symbol)
        with self.assertRaisesRegex(ValueError, "'overrides'"):
            writer.relations(symbol)

    def test_text_means_nothing_in_markdown(self):
        self.assertEqual(swift_pages.escaped("a*b_[c](d) <e> 1"), r"a\*b\_\[c\](d) \<e\> 1")
        self.assertEqual(swift_pages.escaped("- a"), r"\- a")
        self.assertEqual(swift_pages.escaped("1. a"), r"1\. a")
        self.assertEqual(swift_pages.escaped("% a"), r"\% a")
        self.assertEqual(swift_pages.escaped("(a)="), r"\(a)=")
        self.assertEqual(swift_pages.fence("```swift\n```"), "````")
        self.assertEqual(swift_pages.code("a`b"), "`` a`b ``")


class CReferenceTest(FolderTest):
    def read(self, comment):
        self.write("Sources/CAudioSession/include/audiosession/a.h", f"/// A header.\n\n{comment}\nint asession_a(int first);\n")
        return c_reference.read(self.folder, self.folder / "work")

    def test_doxygen_refuses_wrong_comments(self):
        self.assertEqual(self.read("/// Returns it."), [])
        failures = self.read("/// Returns it.\n/// \\param second not there")
        self.assertEqual(len(failures), 1)
        self.assertIn("second", failures[0])

    def test_sections_become_groups(self):
        text = c_reference.filtered("/// A header.\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n// ---- One ---\n/// A line.\nint a;\n#ifdef __cplusplus\n}\n#endif\n")
        self.assertEqual(text.split("\n")[:2], ["/// @file", "///"])
        self.assertIn("/// @name One\n/// @{\n///\n/// A line.\nint a;\n/// @}\n#ifdef", text)


class SiteTest(unittest.TestCase):
    """The site itself."""

    def contains(self, text, part, message=""):
        """Without the whole page in the message."""
        self.assertTrue(part in text, f"{message or 'the page'} lacks {part}")

    def test_every_public_c_function_is_described(self):
        count = 0
        for _, _, folder, folders in c_reference.LIBRARIES:
            for header in c_reference.headers(ROOT, folders):
                text = page(f"reference/c/{folder}/{header.name.removesuffix('.h')}")
                for name in re.findall(r"^[a-z][\w \*]*?\b((?:asession|rcore|sgate)_\w+)\(", header.read_text(), re.M):
                    count += 1
                    self.contains(text, f'id="c.{name}"', header.name)
        self.assertGreater(count, 200)

    def test_values_of_constants(self):
        text = page("reference/c/audiosession/audiosession")
        self.assertRegex(text, r"ASESSION_DUCK_OTHERS</span></span>.{0,200}?0x2")

    def test_every_public_swift_symbol_is_described(self):
        pages, count = {}, 0
        for name, _, place, anchor in json.loads((ROOT / "build/site/source/reference/swift/objects.json").read_text()):
            pages.setdefault(name, []).append((place, anchor))
        for module in swift_reference.MODULES:
            graph = json.loads((GRAPHS / module / f"{module}.symbols.json").read_text())
            for symbol in graph["symbols"]:
                is_written = "::SYNTHESIZED::" not in symbol["identifier"]["precise"] and "location" in symbol
                if is_written and symbol["kind"]["identifier"] != "swift.func.op":
                    name = ".".join([module, *symbol["pathComponents"]])
                    self.assertIn(name, pages)
                    count += 1
        self.assertGreater(count, 2000)
        texts = {place: page(f"reference/swift/{place}") for places in pages.values() for place, _ in places}
        for name, places in pages.items():
            for place, anchor in places:
                self.contains(texts[place], f'id="{anchor}"' if anchor else "<h1>", name)

    def test_every_swift_library_is_described(self):
        names = re.findall(r'\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text())
        swift = {name for name in names if not (ROOT / "Sources" / name / "include").is_dir()}
        self.assertGreater(len(swift), 5)
        self.assertEqual(swift - set(swift_reference.MODULES), set())

    def test_swift_types_say_what_they_are(self):
        text = page("reference/swift/AudioSessions/AudioSession")
        self.assertRegex(text, r"Inherits from <code[^>]*>(<span[^>]*>)?NSObject")
        text = page("reference/swift/AudioRendering/RenderDriver")
        self.contains(text, "OfflineDriver.html")
        self.contains(page("reference/swift/AVFAudio/index"), "<p class=\"admonition-title\">Deprecated</p>")
        # A requirement of a protocol that DocC puts on a page of its own.
        self.contains(page("reference/swift/AudioPlayback/AudioRecorder"), 'id="swift-audioplayback-audiorecorder-isrunning"')

    def test_declarations_link_types_of_other_modules(self):
        text = page("reference/swift/AudioPlayback/AudioPlayer")
        self.contains(text, 'href="../AudioSessions/AudioSession.html"')
        self.contains(text, 'id="swift-audioplayback-audioplayer-init-path-session-on"')

    def test_rule_ids_are_links_to_the_rules(self):
        self.contains(page("Documentation/Rules/Ducking"), 'id="rule-duck-1"')
        self.contains(page("reference/swift/AudioPlayback/AudioPlayer"), 'href="../../../Documentation/Rules/Playback.html#rule-play-1"')
        self.contains(page("reference/c/audiosession/audiosession"), 'href="../../../Documentation/Rules/Activation.html#rule-act-12"')
        rules = re.findall(r"^([A-Z]+-\d+[a-z]?) +yes", (ROOT / "Documentation/rules.txt").read_text(), re.M)
        self.assertGreater(len(rules), 100)
        for rule in rules:
            self.assertTrue(
                any(f'id="rule-{rule.lower()}"' in text for text in self.rule_pages()), f"no page of the rules has an anchor for {rule}")

    @classmethod
    def rule_pages(cls):
        if not hasattr(cls, "rules"):
            cls.rules = [path.read_text() for path in (SITE / "Documentation").glob("R*/*.html")]
        return cls.rules

    def test_the_search_knows_all_languages(self):
        text = (SITE / "searchindex.js").read_text()
        index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
        names = {f"{prefix}.{entry[4] or entry[-1]}" if prefix else entry[-1] for prefix, entries in index["objects"].items() for entry in entries}
        for name in ("AudioSession", "AudioSession.setActive(_:options:)", "asession_open", "rcore_process", "audiosession.AsyncSession"):
            self.assertIn(name, names)

    def test_the_search_index_has_the_same_order_in_each_build(self):
        first, second = '{"b":1,"alltitles":{"c":[[2,""],[1,"x"]],"a":[]}}', '{"alltitles":{"a":[],"c":[[1,"x"],[2,""]]},"b":1}'
        expected = 'set({"alltitles":{"a":[],"c":[[1,"x"],[2,""]]},"b":1})'
        for text in (first, second):
            self.assertEqual(build_site.sorted_index(f"set({text})"), expected)
        text = (SITE / "searchindex.js").read_text()
        self.assertEqual(build_site.sorted_index(text), text)

    def test_no_file_depends_on_the_folder_of_the_build(self):
        files = [path for path in SITE.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 100)
        # Not the folder alone: /src is part of other paths.
        source = re.compile(re.escape(bytes(ROOT)) + rb"/(Bindings|Documentation|Scripts|Sources|build)/")
        self.assertEqual([str(path.relative_to(SITE)) for path in files if source.search(path.read_bytes())], [])
        self.assertFalse((SITE / ".buildinfo").exists())

    @unittest.skipUnless(shutil.which("chromium"), "'chromium' is not installed; install it to run this test")
    def test_the_search_needs_no_server(self):
        with tempfile.TemporaryDirectory() as profile:
            run = subprocess.run(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--virtual-time-budget=20000",
                 "--dump-dom", f"file://{SITE}/search.html?q=asession_activate"],
                capture_output=True, text=True, timeout=180)
        self.assertIn("reference/c/audiosession/audiosession.html#c.asession_activate", run.stdout)

    def test_the_sidebar_marks_its_page(self):
        for name, captions in (("Documentation/Rules/Ducking", contents.CAPTIONS), ("index", contents.CAPTIONS)):
            text = page(name)
            for caption in captions:
                self.contains(text, f">{caption}</span>", name)
        current = re.findall(r'<li class="([^"]*)"><a class="([^"]*)" href="([^"]*)">Ducking</a>', page("Documentation/Rules/Ducking"))
        self.assertEqual([(("current" in item), link) for item, _, link in current], [(True, "#")])
        self.contains(page("Documentation/Rules/Ducking"), 'href="../Packages.html"')


if __name__ == "__main__":
    unittest.main()
