"""Rewrites the shifts and conversions of a kernel file, so that the emulator gives them a GPU's values.

C++ does not define `1u << 32` or `int(1e10f)`, and a processor gives them other values than a GPU. In what
g++ compiles, operators of `kernels/cuda_on_cpu/language/` (`shifts.h`, `conversions.h`) take their place:

    a << n                  a << emulator::by << n
    a <<= n                 a <<= emulator::by <<= n
    int(x)                  emulator::to<int>(x)
    static_cast<int>(x)     emulator::to<int>(x)
    (int)x                  emulator::Cast<int>{} ->* x

Each binds as tightly as what it replaces, so nothing has to be known of the operands; lines stay where they
are. What may mean something else stays as it is, and g++'s checks then refuse the values that C++ does not
define.
"""

import re
from collections.abc import Iterator, Sequence

TOKEN = re.compile(
    r"""(?P<directive>^[ ]*\#.*)
    |(?:u8|[uUL])?(?:R"(?P<end>[^()\\\s]*)\((?s:.*?)\)(?P=end)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
    |\.?\d(?:[eEpP][+-]|'?[\w.])*
    |[A-Za-z_]\w*
    |<<=|>>=|<=>|->\*|->|<<|>>|\+\+|--|&&|\|\||::|[-+*/%&|^=!<>]=|[^\s\w]""",
    re.VERBOSE | re.MULTILINE,
)
"""Tokens of preprocessed C++."""

SHIFTS = ("<<", ">>", "<<=", ">>=")
BELOW_WIDTH = re.compile(r"(?:[12]?\d|3[01])[uU]?")
"""An amount that is below the width of each integer."""
BINDS_TIGHTER = (*"*/%+-.[(", "->", "->*", "++", "--")
BIT_FIELD = re.compile(r"\b(?!case\b)\w+\s+\w+\s*:\s*\w+\s*[;,=]")

PREFIXES = (*"+-*&",)
"""Operators that may also stand between two operands."""
BEFORE_OPERAND = {
    *(
        "(",
        "[",
        ",",
        "return",
        "case",
        *"!~/%|^<>=?:",
        "==",
        "!=",
        "<=",
        ">=",
        "&&",
        "||",
        *SHIFTS,
        *PREFIXES,
    ),
    *(f"{operator}=" for operator in "+-*/%&|^"),
}
AFTER_PARAMETERS = ("const", "volatile", "noexcept", "override", "final", "requires", "mutable", "constexpr")

INTEGERS = frozenset(
    ["char", "short", "int", "long", "unsigned", "signed", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"]
    + [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)


def with_gpu_values(text: str) -> str:
    """Rewrite preprocessed C++."""
    tokens = [found for found in TOKEN.finditer(text) if not found["directive"]]
    words = [found[0] for found in tokens] + [""] * 5  # each token has some before it and after it
    written = _conversions(words, _types(text))
    if not BIT_FIELD.search(text):  # its type does not tell to which one it is promoted
        written |= {at: f"{words[at]} emulator::by {words[at]}" for at in _shifts(words)}
    parts, end = [], 0
    for at in sorted(written):
        parts += [text[end : tokens[at].start()], written[at]]
        end = tokens[at].end()
    return "".join([*parts, text[end:]])


def _shifts(words: Sequence[str]) -> Iterator[int]:
    """Find the shifts whose amount may be too large.

    After two `<` in the same brackets, `>>` may end two lists of template arguments, and is left alone.
    """
    opened: list[str] = []
    for at, word in enumerate(words):
        if word in ("(", "[", "{", "<"):
            opened.append(word)
        elif word in (")", "]", "}", ";"):
            while opened[-1:] == ["<"]:  # it was no bracket
                opened.pop()
            if word != ";":
                del opened[-1:]
        elif word == ">" and opened[-1:] == ["<"]:
            opened.pop()
        elif word == ">>" and opened[-2:] == ["<", "<"]:
            del opened[-2:]
        elif word in SHIFTS and words[at - 1] != "operator":
            amount, after = words[at + 1 : at + 3]
            if not BELOW_WIDTH.fullmatch(amount) or after in BINDS_TIGHTER:
                yield at


def _types(text: str) -> set[str]:
    """List the words that may name an integer type: C++'s own, the file's, and its templates' parameters."""
    types = set(INTEGERS)
    named = r"\busing\s+(\w+)\s*=([\w\s:]+);|\btypedef\b([\w\s:]+)\b(\w+)\s*;"
    for alias, type_of_alias, type_of_name, name in re.findall(named, text):
        if set((type_of_alias or type_of_name).replace("std::", " ").split()) <= {*types, "const"}:
            types.add(alias or name)
    return types | set(re.findall(r"[<,]\s*(?:typename|class)\s+(\w+)\s*(?=[,>=])", text))


def _conversions(words: Sequence[str], types: set[str]) -> dict[int, str]:
    """Find the conversions to one of the types: the places of tokens, and what to write there."""
    written: dict[int, str] = {}
    ends_of_casts = set()
    for at, word in enumerate(words):
        if word == "static_cast" and words[at + 1] == "<":
            end = _after_type(words, at + 2, types)
            if end and words[end : end + 2] == [">", "("]:
                written[at] = "emulator::to"
        elif word in types and words[at + 1] == "(" and not _declares(words[at + 2 : at + 6], types):
            begin = at - 2 if words[at - 2 : at] == ["std", "::"] else at
            if words[begin - 1] in BEFORE_OPERAND or _opens_list(words, begin - 1):
                written[at] = f"{word}>"
                written[begin] = f"emulator::to<{written.get(begin, words[begin])}"
        elif word == "(":
            end = _after_type(words, at + 1, types)
            follows = at - 1 in ends_of_casts or _precedes_cast(words, at - 1)
            if end and words[end] == ")" and follows and _begins_operand(words[at + 1 : end], words[end + 1]):
                written |= {at: "emulator::Cast<", end: ">{} ->*"}
                ends_of_casts.add(end)
    return written


def _after_type(words: Sequence[str], at: int, types: set[str]) -> int:
    """Return the place after an integer type that begins at a token, or 0 if none does."""
    end = at
    while words[end] in types or words[end] in ("const", "std", "::"):
        end += 1
    return end if set(words[at:end]) & types else 0


def _declares(inside: Sequence[str], types: set[str]) -> bool:
    """Tell, from the tokens after `int (`, what is no conversion: `int ()`, `int (int)`, `int (*f)(…)`."""
    first, second, *third = inside
    if first in ("*", "&"):
        return second == ")" or third in ([")", "("], [")", "["])
    return first == ")" or (first in types and second in (")", ","))


def _opens_list(words: Sequence[str], at: int) -> bool:
    """Whether a token is the brace of a list of values, and not that of a block."""
    before = words[at - 1]
    value = before in ("return", "=", "(", ",") or re.fullmatch(r"(?!else|do|try)[A-Za-z_]\w*", before)
    return words[at] == "{" and bool(value)


def _precedes_cast(words: Sequence[str], at: int) -> bool:
    """Whether a cast may follow a token; not after a prefix operator, which binds as tightly as a cast."""
    before = words[at - 1]
    between = before not in ("return", "case", "operator") and re.match(r"[\w\"')\]]", before)
    return words[at] in BEFORE_OPERAND - {"!", "~"} and (words[at] not in PREFIXES or bool(between))


def _begins_operand(cast: Sequence[str], word: str) -> bool:
    """Whether a token begins an operand of a cast; `(T) - x` is one if T names a type wherever it stands."""
    if word in AFTER_PARAMETERS:
        return False
    return bool(re.match(r"[\w('.]", word)) or (set(cast) <= INTEGERS and word in ("!", "~", *PREFIXES))
