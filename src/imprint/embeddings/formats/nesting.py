"""How deeply a pickle puts tuples into tuples, followed opcode by opcode with nothing built.

Python hashes a tuple by hashing what it holds, in C and with no end to the recursion: as a dictionary's key, a tuple
of a tuple of millions more ends the process. Lists and dictionaries are no keys, and everything else that Python does
to nested things it stops in time. What a tuple holds is settled when it is made, so its depth is known then for good.
"""

import pickletools

DEEPEST = 100  # gensim's own files stay below 10

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


class Nesting:
    """The most tuples around one another in everything on the unpickler's stack and in its memo.

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
