"""Writes the pages of the Swift modules from the JSON files of DocC: a page for each module and each type.

DocC's own pages need a server and have a search of their own. These pages are part of the site: one
sidebar and one search for guides, Swift, C and Python, readable as files. A type's members stand on its
page, each below an anchor. Declarations link the types of all modules.
"""

import html
import json
import pathlib
import re

import swift_reference

TYPES = {"class", "struct", "enum", "protocol", "actor", "extension"}
# The modules of the toolchain, whose names say nothing here.
TOOLCHAIN = re.compile(r"^(?:Swift|Foundation|FoundationEssentials|_Concurrency)\.")
RELATIONS = {"inheritsFrom": "Inherits from", "conformsTo": "Conforms to", "conformingTypes": "Implemented by"}
# What each type has in any case, or has from the compiler.
OBVIOUS = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}
LANGUAGES = {None: "text", "": "text", "shell": "bash"}


class Symbol:
    """A symbol of a module: where it stands on the site, and what DocC says of it."""

    def __init__(self, url, node):
        self.url, self.node = url, node
        # DocC adds a kind or a number to names that occur twice: Category-swift.enum, init(path:)-2cirw.
        self.path = [re.sub(r"(-swift\.[a-z.]+)?(-[0-9a-z]{1,7})?$", "", part) for part in url.split("/documentation/", 1)[1].split("/")]
        self.kind = node["metadata"].get("symbolKind")
        self.title = node["metadata"].get("title", self.path[-1])
        self.usr = node["metadata"].get("externalID")
        self.page = self.anchor = ""

    @property
    def role(self):
        return self.node["metadata"].get("roleHeading", "")

    @property
    def owns_page(self):
        return self.kind in TYPES or len(self.path) == 1

    @property
    def is_written(self):
        """Whether the symbol is in the sources, not made by the compiler or by the standard library's protocols."""
        return "::SYNTHESIZED::" not in (self.usr or "") and self.kind != "op"

    @property
    def abstract(self):
        """DocC's summary; none where it only names the protocol that requires a member."""
        items = self.node.get("abstract", [])
        return [] if items and items[0].get("text", "").startswith("Inherited from ") else items

    @property
    def heading(self):
        name = self.path[-1]
        if self.role == "Extended Module":
            return f"Extensions of `{name}`"
        if self.kind == "extension":
            return f"Extension of `{name}`"
        return f"`{name if len(self.path) == 1 else '.'.join(self.path[1:])}`"

    def sections(self, kind):
        known = ("declarations", "content", "parameters")
        sections = self.node.get("primaryContentSections", [])
        for section in sections:
            if section["kind"] not in known:
                raise ValueError(f"{self.url}: cannot write DocC's section '{section['kind']}'")
        return [section for section in sections if section["kind"] == kind]


class Modules:
    """All symbols of all modules."""

    def __init__(self, archives):
        self.symbols, self.by_usr, self.children, anchors, pages = {}, {}, {}, set(), {}
        for module in swift_reference.MODULES:
            for file in sorted((archives / module / "data/documentation").rglob("*.json")):
                node = json.loads(file.read_text())
                # Groups such as "Equatable Implementations" document the standard library.
                if node["kind"] == "symbol":
                    symbol = Symbol(node["identifier"]["url"], node)
                    self.symbols[symbol.url] = symbol
        for symbol in self.symbols.values():
            self.place(symbol, anchors, pages)
            self.children.setdefault(symbol.url.rsplit("/", 1)[0], []).append(symbol)
            self.by_usr.setdefault(symbol.usr, symbol)

    def place(self, symbol, anchors, pages):
        owner = symbol
        while not owner.owns_page:
            parent = owner.url.rsplit("/", 1)[0]
            owner = self.symbols[parent]
        name = ".".join(owner.path[1:]) or "index"
        symbol.page = f"{owner.path[0]}/{name}"
        if owner is symbol and pages.setdefault(symbol.page, symbol) is not symbol:
            raise ValueError(f"{symbol.url} and {pages[symbol.page].url} would have the same page")
        if owner is not symbol:
            base = re.sub(r"[^a-z0-9]+", "-", f"swift {'-'.join(symbol.path)}".lower()).strip("-")
            anchor, number = base, 1
            while anchor in anchors:
                number += 1
                anchor = f"{base}-{number}"
            anchors.add(anchor)
            symbol.anchor = anchor

    def members(self, symbol):
        """Returns the titled groups of a symbol's members, in DocC's order."""
        groups, listed = [], set()
        for section in symbol.node.get("topicSections", []):
            members = [self.symbols[url] for url in section["identifiers"] if url in self.symbols]
            members = [member for member in members if member.is_written or member.owns_page]
            listed.update(member.url for member in members)
            if members:
                groups.append((section.get("title", "Topics"), members))
        # DocC lists these on pages of their own.
        rest = [child for child in self.children.get(symbol.url, []) if child.url not in listed and child.is_written]
        if rest:
            groups.append(("Default implementations" if symbol.kind == "protocol" else "Requirements of protocols", rest))
        return groups


class Writer:
    """Writes the pages of all modules as Markdown for Sphinx."""

    def __init__(self, archives, output):
        self.modules, self.output = Modules(archives), output
        # For the search: name, kind, page, anchor.
        self.objects = []

    def write(self):
        for symbol in self.modules.symbols.values():
            if symbol.owns_page:
                path = self.output / f"{symbol.page}.md"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self.page(symbol))
                self.objects.append((".".join(symbol.path), symbol.role.lower(), symbol.page, ""))
        (self.output / "index.md").write_text(self.index())
        (self.output / "objects.json").write_text(json.dumps(sorted(self.objects)))
        return sum(symbol.is_written for symbol in self.modules.symbols.values())

    # ---- Pages -----------------------------------------------------------------------------------

    def index(self):
        lines = ["# Swift modules", "", "The public interface of each module, from the comments of its source.", ""]
        names = swift_reference.MODULES
        for name in names:
            module = self.modules.symbols[f"doc://{swift_reference.BUNDLE}/documentation/{name}"]
            lines.append(f"- [`{name}`]({name}/index.md): {self.inline(module.abstract, module)}")
        return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *(f"{name}/index" for name in names), "```", ""])

    def page(self, symbol):
        module = len(symbol.path) == 1
        # The sidebar lists the modules only: with their types it would be longer than most pages.
        parts = [] if module else ["---", "orphan: true", "---", ""]
        parts += [f"# {symbol.heading}", ""]
        if not module:
            parts += [self.way(symbol), ""]
        parts += self.body(symbol)
        parts += self.relations(symbol)
        for title, members in self.modules.members(symbol):
            parts += [f"## {title}", ""]
            for member in members:
                if member.owns_page:
                    parts.append(self.entry(member, symbol))
            parts.append("")
            for member in members:
                if not member.owns_page:
                    parts += self.member(member)
        return "\n".join(parts).rstrip() + "\n"

    def entry(self, member, symbol):
        """Returns the entry of a type in a list."""
        text = self.inline(member.abstract, symbol)
        mark = " (deprecated)" if member.node.get("deprecationSummary") else ""
        return f"- {self.link(member, symbol)}{mark}{f': {text}' if text else ''}"

    def way(self, symbol):
        """Returns the links from the module to a type: AudioSessions › AudioSession › Category, enumeration."""
        links, owner = [], self.modules.symbols.get(symbol.url.rsplit("/", 1)[0])
        while owner:
            links.insert(0, f'<a href="{self.href(owner, symbol)}">`{owner.path[-1]}`</a>')
            owner = self.modules.symbols.get(owner.url.rsplit("/", 1)[0])
        return f"{' › '.join(links)} › {symbol.role.lower()}"

    def member(self, member):
        self.objects.append((".".join(member.path), member.role.lower(), member.page, member.anchor))
        return [f"({member.anchor})=", f"### `{member.path[-1]}`", "", *self.body(member)]

    def root(self, symbol):
        return f"doc://{swift_reference.BUNDLE}/documentation/{symbol.path[0]}"

    def body(self, symbol):
        """Returns a symbol's declaration, summary, parameters and discussion."""
        parts = []
        for section in symbol.sections("declarations"):
            for declaration in section["declarations"]:
                parts += ["```{raw} html", self.declaration(declaration["tokens"], symbol), "```", ""]
        if symbol.node.get("deprecationSummary"):
            text = self.blocks(symbol.node["deprecationSummary"], symbol, 9)
            parts += [f"```{{admonition}} Deprecated\n{text}\n```", ""]
        parts += [self.inline(symbol.abstract, symbol), ""]
        for section in symbol.sections("parameters"):
            parts += ["**Parameters**", ""]
            for parameter in section["parameters"]:
                text = self.blocks(parameter["content"], symbol, 9)
                parts.append(f"- `{parameter['name']}`: {text.strip()}".replace("\n", "\n  "))
            parts.append("")
        level = 1 if symbol.owns_page else 9
        for section in symbol.sections("content"):
            parts.append(self.blocks(section["content"], symbol, level))
        return parts

    def relations(self, symbol):
        """Returns the superclass, the protocols, and the types that implement a protocol."""
        parts = []
        for section in symbol.node.get("relationshipsSections", []):
            if section["type"] not in RELATIONS:
                raise ValueError(f"{symbol.url}: cannot write DocC's relation '{section['type']}'")
            names = []
            for url in section["identifiers"]:
                known = self.modules.symbols.get(url)
                title = symbol.node["references"].get(url, {}).get("title", url.rsplit("/", 1)[-1])
                title = TOOLCHAIN.sub("", title)
                if title not in OBVIOUS:
                    names.append(self.link(known, symbol) if known else f"`{title}`")
            if names:
                parts += [f"{RELATIONS[section['type']]} {', '.join(names)}.", ""]
        return parts

    # ---- Declarations and links ------------------------------------------------------------------

    def declaration(self, tokens, symbol):
        pieces = []
        for token in tokens:
            text = html.escape(token["text"], quote=False)
            target = self.modules.symbols.get(token.get("identifier")) or self.modules.by_usr.get(token.get("preciseIdentifier"))
            if token["kind"] == "typeIdentifier" and target and target is not symbol:
                text = f'<a href="{self.href(target, symbol)}">{text}</a>'
            if token["kind"] in ("keyword", "attribute", "typeIdentifier", "identifier"):
                text = f'<span class="swift-{token["kind"]}">{text}</span>'
            pieces.append(text)
        return f'<pre class="swift-declaration"><code>{"".join(pieces)}</code></pre>'

    def href(self, target, symbol):
        """Returns the address of a symbol relative to the page of another one."""
        module, name = target.page.split("/", 1)
        address = f"{name}.html" if module == symbol.page.split("/", 1)[0] else f"../{module}/{name}.html"
        return f"{address}#{target.anchor}" if target.anchor else address

    def link(self, target, symbol):
        name = ".".join(target.path[1:]) or target.title
        return f'<a href="{self.href(target, symbol)}">`{name}`</a>'

    # ---- DocC's content --------------------------------------------------------------------------

    def inline(self, items, symbol):
        """Returns DocC's inline content as Markdown."""
        pieces = []
        for item in items:
            kind = item["type"]
            if kind == "text":
                pieces.append(escaped(item["text"]))
            elif kind == "codeVoice":
                pieces.append(code(item["code"]))
            elif kind == "reference":
                pieces.append(self.reference(item, symbol))
            elif kind in ("emphasis", "strong", "newTerm"):
                mark = "**" if kind == "strong" else "*"
                pieces.append(f"{mark}{self.inline(item['inlineContent'], symbol)}{mark}")
            else:
                raise ValueError(f"{symbol.url}: cannot write DocC's inline content '{kind}'")
        return "".join(pieces)

    def reference(self, item, symbol):
        target = self.modules.symbols.get(item["identifier"])
        if target:
            return self.link(target, symbol)
        known = symbol.node["references"].get(item["identifier"], {})
        if known.get("type") == "link":
            return f"[{escaped(known['title'])}]({known['url']})"
        return code(known.get("title", item["identifier"].rsplit("/", 1)[-1]))

    def blocks(self, items, symbol, level):
        """Returns DocC's blocks as Markdown. Headings below `level` 9 become bold text."""
        pieces = []
        for item in items:
            kind = item["type"]
            if kind == "heading":
                if item["text"] not in ("Overview", "Discussion"):
                    pieces.append(f"**{item['text']}**" if level > 6 else f"{'#' * item['level']} {escaped(item['text'])}")
            elif kind == "paragraph":
                pieces.append(self.inline(item["inlineContent"], symbol))
            elif kind == "codeListing":
                syntax = LANGUAGES.get(item.get("syntax"), item.get("syntax"))
                mark = fence("\n".join(item["code"]))
                pieces.append("\n".join([f"{mark}{syntax}", *item["code"], mark]))
            elif kind in ("unorderedList", "orderedList"):
                mark = "-" if kind == "unorderedList" else "1."
                for entry in item["items"]:
                    text = self.blocks(entry["content"], symbol, level).strip()
                    pieces.append(f"{mark} {text}".replace("\n", "\n" + " " * (len(mark) + 1)))
            elif kind == "aside":
                text = self.blocks(item["content"], symbol, level)
                mark = fence(text)
                pieces.append(f"{mark}{{admonition}} {item.get('name', item['style'])}\n{text}\n{mark}")
            elif kind == "table":
                rows = [[self.blocks(cell, symbol, 9).strip().replace("|", "\\|") for cell in row] for row in item["rows"]]
                lines = ["| " + " | ".join(row) + " |" for row in rows]
                pieces.append("\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]))
            else:
                raise ValueError(f"{symbol.url}: cannot write DocC's block '{kind}'")
        return "\n\n".join(pieces) + "\n"


def escaped(text):
    """Returns text whose characters mean nothing in Markdown."""
    text = re.sub(r"([\\`*_\[\]<>#|{}$~&^])", r"\\\1", text)
    # At the beginning of a line: lists, comments and targets of MyST.
    text = re.sub(r"^(\s*)([-+%(])", r"\1\\\2", text)
    return re.sub(r"^(\s*\d+)([.)]\s)", r"\1\\\2", text)


def fence(text):
    """Returns a fence that no line of a text closes."""
    return "`" * max(3, 1 + max((len(run) for run in re.findall("`{3,}", text)), default=0))


def code(text):
    mark = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{mark}{space}{text}{space}{mark}"


def write(archives, output):
    """Writes all pages. Returns the number of symbols."""
    return Writer(pathlib.Path(archives), pathlib.Path(output)).write()
