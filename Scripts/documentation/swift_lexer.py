"""A lexer for Swift that knows what Pygments' own one refuses: key paths, regular expressions, raw strings."""

from pygments.lexers.objective import SwiftLexer
from pygments.token import Operator, String


class Swift(SwiftLexer):
    tokens = {
        **SwiftLexer.tokens,
        "root": [
            (r'#+"[^"\n]*"#+', String),
            (r"#?/[^/\n]+/#", String.Regex),
            (r"\\(?=[.\w(])", Operator),
            *SwiftLexer.tokens["root"],
        ],
    }
