"""The shape of the package: imports point one way, functions stay short, a name means one thing."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import treegauge

PACKAGE = Path(treegauge.__file__).parent
# a folder, or a file of the package, knows only what stands before its own line
LAYERS = (
    ("version", "errors", "progress", "plain_cython", "wording", "palette", "interruption"),
    ("extras",),
    ("tables", "explanations", "json_fields"),
    ("statistics",),
    ("corpus",),
    ("models",),
    ("scorers",),
    ("ranking",),
    ("parsing",),
    ("evaluation", "constituency"),
    ("upkeep",),
    ("difficulty",),
    ("reports",),
    ("cli",),
)
LEVEL = {name: k for k, names in enumerate(LAYERS) for name in names}


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE), ast.parse(path.read_text())


def test_every_folder_has_its_line() -> None:
    folders = {path.parts[0] for path, _ in sources() if len(path.parts) > 1}
    assert folders <= set(LEVEL), "a folder without a line in LAYERS"


def test_folders_import_one_way_only() -> None:
    for path, tree in sources():
        here = path.parts[0].removesuffix(".py")
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "treegauge":
                names = [alias.name for alias in node.names]
                assert names == ["plain_cython"], f"{path}:{node.lineno}: the front door is for users"
            if isinstance(node, ast.Import):
                own = [alias.name for alias in node.names if alias.name.startswith("treegauge")]
                assert not own, f"{path}:{node.lineno}: expected `from … import …`"
            if here in LEVEL and isinstance(node, ast.ImportFrom) and (node.module or "").startswith("treegauge."):
                there = str(node.module).split(".")[1]
                allowed = there == here or LEVEL[there] < LEVEL[here]
                assert allowed, f"{path}:{node.lineno}: {here} imports {there}"


def test_no_function_is_long_or_has_many_parameters() -> None:
    for path, tree in sources():
        if path.name.endswith("_kernel.py"):
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            lines = (node.end_lineno or 0) - node.lineno + 1
            given = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            is_command = path.parts[0] == "cli" and any("command" in ast.dump(d) for d in node.decorator_list)
            assert lines <= 60, f"{path}:{node.lineno}: {node.name} has {lines} lines"
            assert is_command or len([a for a in given if a != "self"]) <= 8, f"{path}:{node.lineno}: {node.name}"


def test_a_class_name_is_used_once() -> None:
    homes = defaultdict(list)
    for path, tree in sources():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_the_front_door_opens() -> None:
    for name in treegauge.__all__:
        found = getattr(treegauge, name)
        assert name == "__version__" or found.__doc__, name
    assert dir(treegauge) == treegauge.__all__


def test_the_house_has_few_rooms() -> None:
    rooms = {path.parts[0] for path, _ in sources() if len(path.parts) > 1}
    assert len(rooms) <= 12, rooms


def imports(path: Path, tree: ast.Module, modules: dict[str, Path]) -> set[str]:
    """The modules of the package that a module imports, wherever in it, but not for types alone."""
    for_types = {
        id(inside)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inside in ast.walk(node)
    }
    imported = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").startswith("treegauge")
            and id(node) not in for_types
        ):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            imported |= {name if name in modules else str(node.module) for name in names}
    return imported & set(modules)


def test_no_module_imports_itself_even_where_imports_are_lazy() -> None:
    modules = {
        ".".join(("treegauge", *path.with_suffix("").parts)).removesuffix(".__init__"): path for path, _ in sources()
    }
    trees = dict(sources())
    ahead = {name: imports(path, trees[path], modules) for name, path in modules.items()}
    while leaves := [name for name, others in ahead.items() if not others & set(ahead)]:
        for name in leaves:
            del ahead[name]
    assert not ahead, f"modules in a cycle of imports, or above one: {', '.join(sorted(ahead))}"
