"""gensim's pickles, read without running them.

A pickle is a program. Its opcodes are walked first, executing none, and the file is refused if it names
anything but the classes listed here or uses an opcode that could name something unseen. Only then is it
unpickled, and every listed name stands for an inert class of ours: neither numpy's nor gensim's code runs.
"""

import mmap
import pickle
import pickletools
import warnings
from pathlib import Path
from typing import Any

from imprint.embeddings.formats.placeholders import PLACEHOLDERS, Inert
from imprint.errors import EmbeddingFileError, raising_as

_STRINGS = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"})
_GETS = frozenset({"GET", "BINGET", "LONG_BINGET"})
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT"})
_LONG = frozenset({"LONG", "LONG1", "LONG4", "INT"})  # numbers of any length
_LONGEST = 64  # bits
# They reach for names or objects outside the file, or for classes in ways gensim's files never do.
_REFUSED = frozenset(
    {"PERSID", "BINPERSID", "EXT1", "EXT2", "EXT4", "INST", "OBJ", "NEWOBJ_EX", "NEXT_BUFFER", "READONLY_BUFFER"}
)
_BROKEN = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)

_DEEPEST = 100  # gensim's own files stay below 10

_TUPLES = frozenset({"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"})
_MARKED = (pickletools.markobject, pickletools.stackslice)
# By opcode: how many things it takes off the stack, below the mark where it takes all that lies above one; whether
# it does; and how many it leaves.
_EFFECTS = {
    opcode.name: (
        sum(taken not in _MARKED for taken in opcode.stack_before),
        pickletools.markobject in opcode.stack_before,
        len(opcode.stack_after),
    )
    for opcode in pickletools.opcodes
}
_PUSHES = frozenset(name for name, effect in _EFFECTS.items() if effect == (0, False, 1)) - {"MARK"}


def read_pickle(path: Path) -> object:
    """Return the pickled object built of inert placeholders."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        hint = "save it again with gensim, or fetch it again"
        # Odd escapes in strings would warn; what they spell is judged like any other name.
        with (
            raising_as(_BROKEN, EmbeddingFileError, "is a damaged pickle ({})", where=path, hint=hint),
            warnings.catch_warnings(action="ignore"),
        ):
            check_opcodes(path, data)
            data.seek(0)
            return _InertUnpickler(data, fix_imports=False, encoding="latin1").load()


def check_opcodes(path: Path, data: Any) -> None:
    """Walk the opcodes of an open file and refuse it if any could reach beyond the placeholders.

    A name taken from the stack must be two strings pushed, or fetched from the memo, just before: that is how
    every pickler writes it. Anything cleverer is refused unresolved, and so are tuples too deep to be hashed.
    """
    parts = {part for name in PLACEHOLDERS for part in name}
    memo: dict[int, str] = {}  # by index, the memoised strings that are part of an admitted name
    stored = 0
    numbered = False
    nesting = _Nesting()
    pushed: list[str | None] = []  # what the opcodes just before pushed: a string, or None for what is not known
    argument: Any
    for opcode, argument, position in pickletools.genops(data):
        name = opcode.name
        if name in _STRINGS:
            pushed = [*pushed[-1:], argument]
            nesting.follow(name)
        elif name in _GETS:
            pushed = [*pushed[-1:], memo.get(int(argument))]
            nesting.get(int(argument))
        elif name == "MEMOIZE" or name in _PUTS:
            numbered = numbered or name != "MEMOIZE"
            index = int(argument) if numbered and argument is not None else stored
            # Picklers count upwards, in one way or the other. A far higher number would be allocated for.
            if (numbered and name == "MEMOIZE") or index > stored + 1:
                raise _refusal(path, position, name)
            stored += 1
            value = pushed[-1] if pushed else None
            if value is not None and value in parts:
                memo[index] = value
            else:
                memo.pop(index, None)
            nesting.put(index)
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            _admit(path, tuple(argument.split(" ", 1) if name == "GLOBAL" else pushed))
            pushed = []
            nesting.follow(name)
        elif name in _REFUSED or (name in _LONG and int(argument).bit_length() > _LONGEST):
            raise _refusal(path, position, name)
        elif name not in ("FRAME", "PROTO"):
            pushed = []
            if nesting.follow(name) > _DEEPEST:
                raise _refusal(path, position, name)


def _refusal(path: Path, position: int | None, opcode: str) -> EmbeddingFileError:
    return EmbeddingFileError(
        f"the pickle has {opcode} in a way gensim never writes it, and was refused before any of it ran",
        where=(path, f"byte {position}"),
        got=opcode,
        hint="save the vectors again with gensim",
    )


def _admit(path: Path, name: tuple[str | None, ...]) -> None:
    if name not in PLACEHOLDERS:
        spelt = ".".join(part or "?" for part in name) or "?"
        raise EmbeddingFileError(
            f"the pickle names {spelt[:100]!r}, which no embedding needs, and was refused before any of it ran",
            where=path,
            got=spelt,
            hint="save the vectors with gensim's KeyedVectors.save or save_word2vec_format",
        )


class _Nesting:
    """The most tuples around one another in everything on the unpickler's stack and in its memo.

    Python hashes a tuple by hashing what it holds, in C and with no end to the recursion: as a dictionary's key, a
    tuple of a tuple of millions more ends the process. Lists and dictionaries are no keys, and everything else
    that Python does to nested things it stops in time. What a tuple holds is settled when it is made, so its depth
    is known then for good.

    It may go wrong only where the unpickler stops at an error, and builds nothing of what comes after.
    """

    def __init__(self) -> None:
        self._stack: list[int] = []
        self._marks: list[int] = []
        self._memo: dict[int, int] = {}  # without the many things that hold no tuple

    def put(self, index: int) -> None:
        """Memoise what is on top."""
        if depth := self._stack[-1]:
            self._memo[index] = depth
        else:
            self._memo.pop(index, None)

    def get(self, index: int) -> None:
        """Push what was memoised."""
        self._stack.append(self._memo.get(index, 0))

    def follow(self, name: str) -> int:
        """Do to the stack what any other opcode does; return the depth of what it made."""
        stack, marks = self._stack, self._marks
        if name in _PUSHES:  # nearly all there is in a file of words
            stack.append(0)
            return 0
        taken, above_mark, left = _EFFECTS[name]
        if name == "MARK":
            marks.append(len(stack))
        elif name == "POP" and marks and marks[-1] == len(stack):
            marks.pop()
        else:
            start = (marks.pop() if above_mark else len(stack)) - taken
            depth = max(stack[start:], default=0) + (name in _TUPLES)
            stack[start:] = [depth] * left
            return depth
        return 0


class _InertUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type[Inert]:
        try:
            return PLACEHOLDERS[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"names {module}.{name}") from None
