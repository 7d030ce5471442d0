"""Configuration of Sphinx for the site. `Scripts/site` sets the environment."""

import os
import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parent
ROOT = SCRIPTS.parent.parent
WORK = pathlib.Path(os.environ["SITE_WORK"])
sys.path[:0] = [str(SCRIPTS), str(ROOT / "Bindings/Python")]

project = "swift-audio-session"
author = "the swift-audio-session authors"
release = version = os.environ["SITE_VERSION"]
html_title = f"swift-audio-session {release}"
html_short_title = "swift-audio-session"

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx_copybutton", "site_extension"]
exclude_patterns = ["**/objects.json"]
root_doc = "index"
# Quotation marks and dashes stay as they are written.
smartquotes = False
highlight_language = "text"

# Markdown: anchors as the repository's pages use them.
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]

# C.
breathe_projects = {"c": str(WORK / "doxygen/xml")}
breathe_default_project = "c"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
breathe_show_enumvalue_initializer = True
breathe_show_define_initializer = True

# Python. Its docstrings mark code with single backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": True}
python_use_unqualified_type_names = True

# HTML. No page loads anything from another server.
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = str(ROOT / "Packaging/desktop/audiosession.svg")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#b3410b", "color-brand-content": "#9a3a0c"},
    "dark_css_variables": {"color-brand-primary": "#ff9d5c", "color-brand-content": "#ffab73"},
}
pygments_style = "tango"
pygments_dark_style = "monokai"
copybutton_exclude = ".linenos, .gp, .go"
