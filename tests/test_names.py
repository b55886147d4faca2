"""One name, one meaning: no class is called like another class or like a type alias of the package."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import imprint

SOURCE = Path(imprint.__file__).parent


def classes_and_aliases() -> Iterator[tuple[str, str, bool]]:
    for path in SOURCE.rglob("*.py"):
        module = str(path.relative_to(SOURCE))
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield node.name, module, True
        for node in tree.body:
            for target in node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]:
                if isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper():
                    yield target.id, module, False


def test_no_class_is_called_like_another_class_or_alias():
    found = defaultdict(list)
    for name, module, is_class in classes_and_aliases():
        found[name].append((module, is_class))
    twice = {name: places for name, places in found.items() if len(places) > 1 and any(one for _, one in places)}
    assert not twice


def test_shared_aliases_are_defined_in_one_module():
    shared = {name for name, module, _ in classes_and_aliases() if module == "types.py"}
    assert {"Floats", "Floats32", "Ints", "Progress", "Report"} <= shared
    again = [(name, module) for name, module, _ in classes_and_aliases() if name in shared and module != "types.py"]
    assert not again
