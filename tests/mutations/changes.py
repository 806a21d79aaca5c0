"""Small changes that can be made in a source file: in Python by its syntax tree, in CUDA and C++ by tokens.

A change is an edit of the text. Comments, texts, types, decorators and directives of the preprocessor stay.
Python's changes compile; of C++'s, a compiler says which do.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple


@dataclass(frozen=True, order=True)
class Change:
    """Replaces the characters from `start` to `end` of a text; `first` is where their statement begins."""

    start: int
    end: int
    new: str
    kind: str
    first: int

    def applied(self, text: str) -> str:
        """Return the text after the change."""
        return text[: self.start] + self.new + text[self.end :]


def changes_of(file: str, text: str) -> list[Change]:
    """List all changes of a file's text, in the order of their places."""
    changes = PythonChanges(text).all() if file.endswith(".py") else kernel_changes(text)
    return sorted({change for change in changes if text[change.start : change.end] != change.new})


OPPOSITES = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "//", "**": "*", "&": "|", "|": "&", "^": "|",
    "<<": ">>", ">>": "<<", "is": "is not", "is not": "is", "in": "not in", "not in": "in",
    "and": "or", "or": "and",
}  # fmt: skip
SYMBOLS: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.And: "and", ast.Or: "or",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip
DIRECTED = ("-", "/", "//", "%")
ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript, ast.List, ast.Dict, ast.Set)


class PythonChanges:
    """Lists the changes of a module: like mutmut's, and members of a tuple, arguments, attributes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.begins = list(accumulate(map(len, self.lines), initial=0))
        self.tree = ast.parse(text)
        self.attributes = defaultdict(set)
        called = {id(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and id(node) not in called
            ):
                self.attributes[node.value.id].add(node.attr)
        self.called = called

    def all(self) -> Iterator[Change]:
        """Yield them, place by place."""
        yield from self._within(self.tree, 0)

    def _place(self, line: int, column: int) -> int:
        return self.begins[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        return self._place(node.lineno, node.col_offset), self._place(node.end_lineno, node.end_col_offset)

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        text = self.text[start:end]
        return text if isinstance(node, ATOMS) else f"({text})"

    def _within(self, node: ast.AST, first: int) -> Iterator[Change]:
        if isinstance(node, ast.stmt):
            first = self._span(node)[0]
        for start, end, new, kind in getattr(self, f"_of_{type(node).__name__.lower()}", lambda _: ())(node):
            yield Change(start, end, new, kind, first)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not is_silent(child):
                    yield from self._within(child, first)

    def _operator(self, left: ast.AST, operator: ast.AST, right: ast.AST) -> Iterator[Edit]:
        symbol = SYMBOLS[type(operator)]
        if symbol not in OPPOSITES:
            return
        start, end = self._span(left)[1], self._span(right)[0]
        pattern = r"\s+".join(map(re.escape, symbol.split()))
        gap = re.sub(r"#.*", lambda comment: " " * len(comment[0]), self.text[start:end])
        if place := re.search(pattern, gap):
            yield start + place.start(), start + place.end(), OPPOSITES[symbol], "operator"

    def _of_compare(self, node: ast.Compare) -> Iterator[Edit]:
        for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
            yield from self._operator(left, operator, right)

    def _of_binop(self, node: ast.BinOp) -> Iterator[Edit]:
        yield from self._operator(node.left, node.op, node.right)
        left, right, symbol = self._text(node.left), self._text(node.right), SYMBOLS[type(node.op)]
        yield *self._span(node), left, "operand dropped"
        yield *self._span(node), right, "operand dropped"
        if symbol in DIRECTED and not (
            isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        ):
            yield *self._span(node), f"{right} {symbol} {left}", "operands swapped"

    def _of_boolop(self, node: ast.BoolOp) -> Iterator[Edit]:
        for left, right in pairwise(node.values):
            yield from self._operator(left, node.op, right)
        for dropped in node.values:
            rest = [self._text(value) for value in node.values if value is not dropped]
            yield *self._span(node), f" {SYMBOLS[type(node.op)]} ".join(rest), "operand dropped"

    def _of_unaryop(self, node: ast.UnaryOp) -> Iterator[Edit]:
        if isinstance(node.op, ast.Not | ast.USub):
            yield *self._span(node), self._text(node.operand), "operator"

    def _of_constant(self, node: ast.Constant) -> Iterator[Edit]:
        if isinstance(node.value, bool):
            yield *self._span(node), str(not node.value), "constant"
        elif isinstance(node.value, int | float):
            for value in (node.value + 1, node.value - 1):
                yield *self._span(node), f"({value!r})" if value < 0 else repr(value), "constant"

    def _negated(self, test: ast.AST) -> Iterator[Edit]:
        yield *self._span(test), f"not {self._text(test)}", "condition negated"

    def _of_if(self, node: ast.If | ast.While | ast.IfExp) -> Iterator[Edit]:
        yield from self._negated(node.test)

    _of_while = _of_ifexp = _of_if

    def _of_comprehension(self, node: ast.comprehension) -> Iterator[Edit]:
        for test in node.ifs:
            yield from self._negated(test)

    def _of_return(self, node: ast.Return) -> Iterator[Edit]:
        if not is_none(node.value):
            yield *self._span(node), "return None", "result"

    def _of_assign(self, node: ast.Assign | ast.AnnAssign) -> Iterator[Edit]:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name | ast.Attribute) and not is_none(node.value):
            yield *self._span(node.value), "None", "value"

    _of_annassign = _of_assign

    def _removed(self, node: ast.AST) -> Iterator[Edit]:
        yield *self._span(node), "pass", "statement removed"

    _of_augassign = _of_raise = _of_delete = _of_assert = _removed

    def _of_expr(self, node: ast.Expr) -> Iterator[Edit]:
        if not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom):
            yield from self._removed(node)

    def _of_break(self, node: ast.Break) -> Iterator[Edit]:
        yield *self._span(node), "continue", "jump"

    def _of_continue(self, node: ast.Continue) -> Iterator[Edit]:
        yield *self._span(node), "break", "jump"

    def _of_attribute(self, node: ast.Attribute) -> Iterator[Edit]:
        if isinstance(node.value, ast.Name) and id(node) not in self.called:
            for other in self.attributes[node.value.id] - {node.attr}:
                yield *self._span(node), f"{node.value.id}.{other}", "another attribute"

    def _of_call(self, node: ast.Call) -> Iterator[Edit]:
        for left, right in pairwise(node.args):
            if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
                between = self.text[self._span(left)[1] : self._span(right)[0]]
                new = self._text(right) + between + self._text(left)
                yield self._span(left)[0], self._span(right)[1], new, "arguments swapped"
        yield from self._dropped(node.keywords, "argument dropped")

    def _of_tuple(self, node: ast.Tuple | ast.List | ast.Set) -> Iterator[Edit]:
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            yield from self._dropped(node.elts, "member dropped")

    _of_list = _of_set = _of_tuple

    def _dropped(self, members: Sequence[ast.AST], kind: str) -> Iterator[Edit]:
        for member in members:
            start, end = self._span(member)
            before, after = self.text[:start].rstrip(), self.text[end:]
            if following := re.match(r"\s*,\s*", after):
                yield start, end + following.end(), "", kind
            elif before.endswith(","):
                yield len(before) - (len(members) != 2 or kind == "argument dropped"), end, "", kind
            else:
                yield start, end, "", kind


Edit = tuple[int, int, str, str]


def is_none(node: ast.AST | None) -> bool:
    """Return whether an expression is None."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def is_silent(node: ast.AST) -> bool:
    """Return whether a part of a module is text, or says only what is imported, exported or of which type."""
    names = [part.id for part in ast.iter_child_nodes(node) if isinstance(part, ast.Name)]
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Assign | ast.If) and bool({"__all__", "TYPE_CHECKING"} & {*names})
    )


def compiles(text: str) -> bool:
    """Return whether a text is a module of Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


TOKEN = re.compile(
    r"""(?P<skipped>//[^\n]* | /\*.*?\*/ | R"(?P<end>\w*)\(.*?\)(?P=end)" | "(?:\\.|[^"\\\n])*"
        | ^[ \t]*\#(?:\\\n|[^\n])* | \s+)
    | (?P<number>\d[\w.']*)
    | (?P<character>'(?:\\.|[^'\\\n])*')
    | (?P<word>[A-Za-z_]\w*)
    | (?P<sign><<= | >>= | [-+*/%&|^!=<>]= | << | >> | && | \|\| | \+\+ | -- | -> | :: | .)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
SIGNS = {sign: other for sign, other in OPPOSITES.items() if not sign[0].isalpha()} | {"%": "/"}
ALONE = {
    "+=": "-=",
    "-=": "+=",
    "*=": "+=",
    "|=": "&=",
    "&=": "|=",
    "^=": "|=",
    "++": "--",
    "--": "++",
    "&&": "||",
    "||": "&&",
}
WORDS = {
    "threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim",
    "min": "max", "max": "min", "true": "false", "false": "true", "continue": "break", "break": "continue",
    **{f"{prefix}{order}": f"{prefix}{relaxed}" for prefix, relaxed, orders in (
        ("memory_order_", "relaxed", ("acquire", "release", "acq_rel", "seq_cst")),
        ("__ATOMIC_", "RELAXED", ("ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")),
    ) for order in orders},
}  # fmt: skip
FIELDS = {"x": "y", "y": "x", "z": "y", "w": "z"}
BARRIER = re.compile(r"__sync\w+|__threadfence\w*|\w*fence\w*|sync|\w*barrier\w*|arrive\w*|wait\w*")
PLAIN = {
    "Add": "old + value", "Sub": "old - value",
    "Min": "value < old ? value : old", "Max": "value > old ? value : old",
    "Exch": "value", "Or": "old | value", "And": "old & value", "Xor": "old ^ value",
}  # fmt: skip
KEYWORDS = {
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "alignof",
    "decltype",
    "static_assert",
    "catch",
}
DECLARING = {
    "auto", "const", "constexpr", "static", "using", "typedef", "return", "template", "struct", "class",
    "enum", "extern", "namespace", "goto", "case", "default", "public", "private", "inline", "friend",
    "volatile", "else", "if", "for", "while", "do", "switch", "asm", "unsigned", "__shared__",
}  # fmt: skip
ASSIGNING = re.compile(r"(?:[-+*/%&|^]|<<|>>)?=")


class Token(NamedTuple):
    """A part of a C++ file that is neither space nor comment nor text."""

    kind: str
    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """Split C++ into tokens."""
    parts = ((part.lastgroup, part) for part in TOKEN.finditer(text))
    return [
        Token(kind, part[0], part.start(), part.end())
        for kind, part in parts
        if kind not in ("skipped", "end")
    ]


def kernel_changes(text: str) -> Iterator[Change]:
    """Yield the changes of a CUDA or C++ file: operators, bounds, barriers, atomics, indices, statements."""
    tokens = tokens_of(text)
    closing = matching(tokens)
    edits = (edit for i in range(len(tokens)) for edit in edits_at(text, tokens, closing, i))
    yield from (Change(start, end, new, kind, start) for start, end, new, kind in edits)


def matching(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the place of the bracket that closes each one."""
    closing, opened = {}, []
    for i, token in enumerate(tokens):
        if token.text in ("(", "[", "{"):
            opened.append(i)
        elif token.text in (")", "]", "}") and opened:
            closing[opened.pop()] = i
    return closing


def edits_at(text: str, tokens: Sequence[Token], closing: dict[int, int], i: int) -> Iterator[Edit]:
    """Yield the edits that begin at a token."""
    token, before = tokens[i], tokens[i - 1].text if i else ";"
    place = token.start, token.end
    spaced = text[token.start - 1 : token.start].isspace() and text[token.end : token.end + 1].isspace()
    if token.kind == "sign" and (new := (SIGNS if spaced else {}).get(token.text) or ALONE.get(token.text)):
        yield *place, new, "operator"
    if token.kind == "number" and (number := re.fullmatch(r"(\d+)([uUlL]*)", token.text)):
        value = int(number[1])
        yield from (
            (*place, f"{other}{number[2]}", "constant") for other in (value + 1, value - 1) if other >= 0
        )
    if token.kind == "word" and token.text in WORDS:
        yield *place, WORDS[token.text], "index" if token.text.endswith(("Idx", "Dim")) else "word"
    if token.kind == "word" and before == "." and token.text in FIELDS:
        yield *place, FIELDS[token.text], "index"
    if token.text == "volatile":
        yield *place, "", "volatile removed"
    if token.kind == "word" and i + 1 in closing and tokens[i + 1].text == "(":
        yield from edits_of_call(text, tokens, closing, i)
    if before in (";", "{", "}", ")", "else") and (end := end_of_statement(tokens, closing, i)):
        is_barrier = any(BARRIER.fullmatch(part.text) for part in tokens[i:end] if part.kind == "word")
        kind = "barrier or fence removed" if is_barrier else "statement removed"
        yield token.start, tokens[end].start, "", kind


def edits_of_call(text: str, tokens: Sequence[Token], closing: dict[int, int], i: int) -> Iterator[Edit]:
    """Yield the edits of a call or of the condition of an `if` or `while`."""
    name, close = tokens[i].text, closing[i + 1]
    start, end = tokens[i + 1].end, tokens[close].start
    if name in ("if", "while"):
        yield start, end, f"!({text[start:end]})", "condition negated"
    spans = arguments_of(tokens, closing, i + 1)
    values = [text[first:last] for first, last in spans]
    if name in KEYWORDS or any(
        re.fullmatch(r"(?:const )?\w[\w:<>]* [*&]*\w+(?:\[.*\])?", value) for value in values
    ):
        return
    for k, (left, right) in enumerate(pairwise(spans)):
        new = values[k + 1] + text[left[1] : right[0]] + values[k]
        yield left[0], right[1], new, "arguments swapped"
    if (
        (operation := PLAIN.get(name.removeprefix("atomic")))
        and len(values) == 2
        and name.startswith("atomic")
    ):
        plain = f"[](auto *cell, auto value) {{ auto old = *cell; *cell = {operation}; return old; }}"
        yield tokens[i].start, tokens[i].end, f"({plain})", "atomic made plain"
    elif name == "atomicCAS" and len(values) == 3:
        plain = "[](auto *cell, auto is, auto value) {"
        plain += " auto old = *cell; if (old == is) *cell = value; return old; }"
        yield tokens[i].start, tokens[i].end, f"({plain})", "atomic made plain"


def arguments_of(tokens: Sequence[Token], closing: dict[int, int], opening: int) -> list[tuple[int, int]]:
    """Return where the arguments between two brackets begin and end."""
    spans, first, i = [], opening + 1, opening + 1
    while i <= closing[opening]:
        if i == closing[opening] or tokens[i].text == ",":
            if i > first:
                spans.append((tokens[first].start, tokens[i - 1].end))
            first = i + 1
        i = closing.get(i, i) + 1
    return spans


def end_of_statement(tokens: Sequence[Token], closing: dict[int, int], i: int) -> int:
    """Return the place of the semicolon of a statement that can go; 0 if it cannot, as declarations."""
    first = tokens[i]
    if first.text in DECLARING or not (first.kind == "word" or first.text in ("*", "++", "--")):
        return 0
    if first.kind == "word" and tokens[i + 1].kind == "word":
        return 0
    acts = first.text in ("++", "--")
    while i < len(tokens) and tokens[i].text not in (";", ")", "}", "]"):
        last, i = i, closing.get(i, i) + 1
        acts |= bool(ASSIGNING.fullmatch(tokens[last].text)) or tokens[last].text in ("(", "++", "--")
        if tokens[last].text == "{":
            return 0
    return i if i < len(tokens) and tokens[i].text == ";" and acts else 0
