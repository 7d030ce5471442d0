"""Sphinx extension of the site.

Adds the symbols of the Swift modules to the search, links rule ids to the page of the rule, resolves links
to anchors that a page sets in HTML, and reads the docstrings of the Python package.
"""

import enum
import json
import logging
import pathlib
import posixpath
import re

from bs4 import BeautifulSoup
from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.domains import Domain, ObjType
from swift_lexer import Swift

RULES = "Documentation/Rules/"
RECIPES = "Documentation/Recipes/"
RULE = re.compile(r"\b[A-Z]+-\d+[a-z]?\b")
GUIDE = re.compile(r"\bGUIDE-\d+\b")
ANCHOR = re.compile(r"<a id=\"([^\"]+)\"></a>")


class SwiftDomain(Domain):
    """The symbols of the Swift modules, which `swift_pages` lists."""

    name = "swift"
    label = "Swift"
    object_types = {
        kind: ObjType(kind)
        for kind in (
            "framework", "class", "structure", "enumeration", "protocol", "actor", "initializer", "instance method", "type method",
            "instance property", "type property", "case", "type alias", "function", "global variable", "subscript",
            "extended class", "extended structure", "extended module", "associated type", "instance subscript", "operator",
            "extended enumeration", "extended protocol", "extended type", "module", "type subscript", "macro",
        )
    }

    def get_objects(self):
        listed = pathlib.Path(self.env.srcdir) / "reference/swift/objects.json"
        for name, kind, page, anchor in json.loads(listed.read_text()) if listed.is_file() else []:
            if kind not in self.object_types:
                raise ValueError(f"{name}: unknown kind of symbol '{kind}'; add it to SwiftDomain")
            module, _, rest = name.partition(".")
            # An empty anchor would become the symbol's name.
            yield rest or module, rest or module, kind, f"reference/swift/{page}", anchor or "content", 2 if rest.endswith("init(rawValue:)") else 0

    def resolve_any_xref(self, *_):
        return []

    def merge_domaindata(self, docnames, otherdata):
        pass


def mark_rules(app, doctree):
    """Sets an anchor at each rule that a page states: a paragraph that begins with its id in bold, or one of a
    recipe that names a rule of the guides."""
    page = app.env.docname
    if page.startswith(RULES):
        marked = [(RULE.match(strong.astext()), strong) for strong in doctree.findall(nodes.strong) if begins(strong)]
    elif page.startswith(RECIPES):
        marked = [(found, text.parent) for text in doctree.findall(nodes.Text) for found in GUIDE.finditer(text)]
    else:
        return
    for found, node in marked:
        if found and page not in app.env.site_rules.setdefault(found.group(), {}):
            anchor = f"rule-{found.group().lower()}"
            node["ids"].append(anchor)
            app.env.site_rules[found.group()][page] = anchor


def begins(node):
    """Returns whether nothing but space precedes a node in its paragraph."""
    before = node.parent.children[:node.parent.index(node)]
    return not "".join(other.astext() for other in before).strip()


def link_rules(app, doctree, docname):
    """Links the rule ids in the text of a page."""
    for text in list(doctree.findall(nodes.Text)):
        if not RULE.search(text) or within(text, nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.strong, nodes.raw):
            continue
        pieces, position = [], 0
        for match in RULE.finditer(text):
            places = app.env.site_rules.get(match.group(), {})
            # A rule is stated on one page of the rules, or on recipes.
            page = min(places, default=None, key=lambda name: (not name.startswith(RULES), name))
            if page:
                address = f"#{places[page]}" if page == docname else f"{app.builder.get_relative_uri(docname, page)}#{places[page]}"
                pieces += [
                    nodes.Text(text[position:match.start()]),
                    nodes.reference("", match.group(), refuri=address, internal=True, classes=["rule"]),
                ]
                position = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text[position:])])


def within(node, *kinds):
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def find_anchors(app, docname, source):
    """Remembers the anchors that a page sets in HTML."""
    app.env.site_anchors[docname] = set(ANCHOR.findall(source[0]))


def resolve_anchor(app, env, node, contnode):
    """Resolves a link to an anchor that a page sets in HTML, or to the page of a file."""
    target = node.get("reftarget", "")
    if re.match(r"(\.\./)*files/", target):
        return nodes.reference("", "", contnode, refuri=target, internal=True)
    if node.get("refdomain") == "doc" or "#" not in target:
        target = f"#{target}" if target else ""
    page, _, anchor = target.rpartition("#")
    docname = node["refdoc"]
    if page:
        docname = posixpath.normpath(posixpath.join(posixpath.dirname(docname), page.removesuffix(".md")))
    if anchor not in env.site_anchors.get(docname, ()):
        return None
    address = f"#{anchor}" if docname == node["refdoc"] else f"{app.builder.get_relative_uri(node['refdoc'], docname)}#{anchor}"
    return nodes.reference("", "", contnode, refuri=address, internal=True)


def hide_signature(app, what, name, subject, options, signature, returns):
    """Hides the signature of enumerations: it is that of `enum.Enum`."""
    return (None, None) if isinstance(subject, type) and issubclass(subject, enum.Enum) else None


def mark_code(app, what, name, subject, options, lines):
    """Marks the indented code of a docstring, as reStructuredText needs it."""
    for number in range(len(lines) - 1, 1, -1):
        if lines[number].startswith("    ") and not lines[number - 1].strip() and lines[number - 2].strip():
            if not lines[number - 2].startswith(" "):
                lines[number:number] = ["::", ""]


class SameNames(logging.Filter):
    """Drops warnings of a structure and a function of one name, which C allows and Sphinx's domain does not."""

    NAMES = re.compile(r"\b(rcore_voice_state|asession_state)\b")

    def filter(self, record):
        text = record.getMessage()
        return not ("Duplicate C declaration" in text and self.NAMES.search(text))


class Sidebar:
    """The sidebar of all pages, made once.

    Sphinx makes it for each page from copies of the contents of all pages, which takes longer than
    everything else together.
    """

    # By the options with which the theme asks for it.
    trees = {}

    @classmethod
    def replace(cls, app, page, template, context, doctree):
        make = context["toctree"]

        def toctree(**options):
            here = app.builder.get_target_uri(page)
            key = tuple(sorted(options.items()))
            if key not in cls.trees:
                cls.trees[key] = cls.from_root(make(**options), here)
            return cls.of_page(cls.trees[key], here)

        if make:
            context["toctree"] = toctree

    @staticmethod
    def from_root(text, here):
        """Returns the sidebar of a page with addresses that begin at the root, and without the page's marks."""
        tree = BeautifulSoup(text, "html.parser")
        for link in tree.find_all("a"):
            address = link["href"]
            link["href"] = here if address == "#" else posixpath.normpath(posixpath.join(posixpath.dirname(here), address))
        for marked in tree.find_all(class_="current"):
            marked["class"] = [name for name in marked["class"] if name != "current"]
        return str(tree)

    @staticmethod
    def of_page(text, here):
        """Returns the sidebar of a page: marks it and what it is part of."""
        tree = BeautifulSoup(text, "html.parser")
        for link in tree.find_all("a"):
            if link["href"] == here:
                for part in (link, *link.find_parents(["li", "ul"])):
                    part["class"] = [*part.get("class", []), "current"]
                link["href"] = "#"
            else:
                link["href"] = posixpath.relpath(link["href"], posixpath.dirname(here) or ".")
        return str(tree)


def prepare(app):
    for name in ("site_rules", "site_anchors"):
        if not hasattr(app.env, name):
            setattr(app.env, name, {})


def merge(app, env, docnames, other):
    for rule, places in other.site_rules.items():
        env.site_rules.setdefault(rule, {}).update(places)
    env.site_anchors.update(other.site_anchors)


def setup(app):
    app.add_domain(SwiftDomain)
    app.add_lexer("swift", Swift)
    app.add_lexer("packets", TextLexer)
    logging.getLogger("sphinx.sphinx.domains.c").addFilter(SameNames())
    app.connect("autodoc-process-docstring", mark_code)
    app.connect("autodoc-process-signature", hide_signature)
    app.connect("builder-inited", prepare)
    app.connect("source-read", find_anchors)
    app.connect("doctree-read", mark_rules)
    app.connect("doctree-resolved", link_rules)
    app.connect("missing-reference", resolve_anchor)
    app.connect("env-merge-info", merge)
    # Before the theme uses it.
    app.connect("html-page-context", Sidebar.replace, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
