import hashlib
import importlib.metadata
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from cfrlab.errors import CfrlabError
from cfrlab.pipeline import provenance
from cfrlab.pipeline.provenance import Provenance, closure, closure_hash, library_versions

FILES = {
    "script.py": '"""Runs a stage."""\nfrom lab.solve import cfr\nimport numpy\ncfr.run()\n',
    "helper.py": "import lab.unused\n",
    "lab/__init__.py": '"""The package."""\n',
    "lab/errors.py": "class LabError(Exception):\n    '''A mistake.'''\n",
    "lab/unused.py": "X = 1\n",
    "lab/solve/__init__.py": "",
    "lab/solve/cfr.py": (
        "# iterate\nfrom .. import errors\nfrom . import response as br\n"
        "def run():\n    '''Run.'''\n    from lab.games.tree import Tree\n    return Tree\n"
    ),
    # A cycle with cfr, and a parent package reached by a relative import.
    "lab/solve/response.py": "from . import cfr\nfrom ..games.payoffs import (\n    fold,\n)\n",
    "lab/games/__init__.py": "from .cards import DECK\n",
    "lab/games/cards.py": "DECK = 52\n",
    "lab/games/tree.py": "class Tree:\n    '''A tree.'''\n    size = 1\n",
    "lab/games/payoffs.py": "async def fold():\n    '''Fold.'''\n    return 0\n",
    "lab/games/zoo/leduc.py": "import lab.games.tree as tree\n",
}
CLOSURE = [
    "lab",
    "lab.errors",
    "lab.games",
    "lab.games.cards",
    "lab.games.payoffs",
    "lab.games.tree",
    "lab.solve",
    "lab.solve.cfr",
    "lab.solve.response",
    "script.py",
]


class Project:
    """A script and a package in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text()
        assert text.count(old) == 1
        (self.folder / name).write_text(text.replace(old, new))

    def hash(self, *modules: str) -> str:
        return closure_hash(self.folder / "script.py", *modules, root=self.folder / "lab")

    def names(self, *starts: str) -> list[str]:
        paths = [self.folder / start if start.endswith(".py") else start for start in starts]
        return [name for name, _ in closure(*paths, root=self.folder / "lab")]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_closure_is_the_modules_that_python_loads(project: Project) -> None:
    """Python itself is the authority, once the function-level import has run."""
    assert project.names("script.py") == CLOSURE
    code = (
        "import runpy, sys; sys.modules['numpy'] = sys; runpy.run_path('script.py');"
        "print(*sorted(name for name in sys.modules if name.split('.')[0] == 'lab'))"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], cwd=project.folder, text=True)
    assert [*loaded.split(), "script.py"] == CLOSURE


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("import lab.games.cards", "lab.games.cards"),
        ("import numpy, lab.games.cards as c", "lab.games.cards"),
        ("from lab.games import cards", "lab.games.cards"),
        ("from lab.games.cards import DECK", "lab.games.cards"),
        ("from lab.games.cards import *", "lab.games.cards"),
        ("def f():\n    class A:\n        from lab.games import cards", "lab.games.cards"),
        ("try:\n    import lab.unused\nexcept ImportError:\n    pass", "lab.unused"),
    ],
)
def test_every_form_of_import_is_followed(project: Project, statement: str, module: str) -> None:
    (project.folder / "script.py").write_text(statement + "\n")
    assert module in project.names("script.py")
    assert "lab" in project.names("script.py")


def test_only_the_package_and_the_starts_count(project: Project) -> None:
    (project.folder / "script.py").write_text("import helper\nimport labour\nfrom . import lab\n")
    (project.folder / "labour.py").write_text("")
    assert project.names("script.py") == ["script.py"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("script.py", '"""Runs a stage."""\n', ""),
        ("script.py", "cfr.run()", "# Go.\ncfr.run(\n)  # gone"),
        ("lab/__init__.py", "The package", "Our package"),
        ("lab/solve/cfr.py", "# iterate\n", "# iterate on\n\n"),
        ("lab/solve/cfr.py", "'''Run.'''", "'''Run it.\n    Twice.'''"),
        ("lab/games/tree.py", "    '''A tree.'''\n", ""),
        ("lab/games/payoffs.py", "Fold.", "Give up."),
        ("lab/games/payoffs.py", "return 0", "return (0)"),
        ("lab/unused.py", "X = 1", "X = 2"),
        ("lab/games/zoo/leduc.py", "import", "X = 1\nimport"),
        ("helper.py", "unused", "errors"),
    ],
)
def test_comments_layout_docstrings_and_unrelated_code_do_not_count(
    project: Project, name: str, old: str, new: str
) -> None:
    before = project.hash()
    project.edit(name, old, new)
    assert project.hash() == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("script.py", "cfr.run()", "cfr.run"),
        ("lab/__init__.py", '"""\n', '"""\nX = 1\n'),
        ("lab/errors.py", "Exception", "ValueError"),
        ("lab/solve/__init__.py", "", "X = 1\n"),
        ("lab/solve/response.py", "    fold,", "    fold as f,"),
        ("lab/games/__init__.py", "DECK", "DECK as CARDS"),
        ("lab/games/cards.py", "52", "20"),
        ("lab/games/tree.py", "size = 1", "size = '1'"),
        ("lab/games/payoffs.py", "return 0", "return -0"),
    ],
)
def test_any_edit_of_code_in_the_closure_counts(
    project: Project, name: str, old: str, new: str
) -> None:
    before = project.hash()
    project.edit(name, old, new)
    assert project.hash() != before


def test_a_plugin_counts_when_named(project: Project) -> None:
    plain, with_plugin = project.hash(), project.hash("lab.games.zoo.leduc")
    assert plain != with_plugin
    project.edit("lab/games/zoo/leduc.py", "import", "X = 1\nimport")
    assert project.hash("lab.games.zoo.leduc") != with_plugin
    # A module that is in the closure anyway, in any order, changes nothing.
    assert project.hash("lab.games.cards", "lab.errors") == plain


def test_moved_code_counts(project: Project) -> None:
    """The same code under another module name is another program."""
    before = project.hash()
    (project.folder / "lab/games/cards.py").rename(project.folder / "lab/games/deck.py")
    project.edit("lab/games/__init__.py", ".cards", ".deck")
    assert project.hash() != before


def test_the_hash_does_not_depend_on_the_folder(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "elsewhere" / "clone")
    assert other.hash() == project.hash()


def test_a_script_in_the_package_is_its_module(project: Project) -> None:
    root = project.folder / "lab"
    assert closure(root / "games/tree.py", root=root) == closure("lab.games.tree", root=root)
    assert closure(root / "games/__init__.py", root=root) == closure("lab.games", root=root)


def test_a_package_hides_a_module_of_its_name(project: Project) -> None:
    before = project.hash()
    (project.folder / "lab/games.py").write_text("DECK = 1\n")
    assert project.hash() == before


def test_each_file_is_parsed_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    parse = provenance.ast.parse

    def count(source: bytes, filename: str) -> object:
        parsed.append(filename)
        return parse(source, filename)

    monkeypatch.setattr(provenance.ast, "parse", count)
    first = [project.hash() for _ in range(3)]
    assert len(set(first)) == 1
    assert len(parsed) == len(set(parsed)) == len(CLOSURE)


@pytest.mark.parametrize("start", ["lab.games.zoo.leduk", "numpy", "script", "lab/games/leduk.py"])
def test_a_start_that_does_not_exist_is_one_line(project: Project, start: str) -> None:
    with pytest.raises(CfrlabError) as error:
        closure_hash(start, root=project.folder / "lab")
    assert start in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_python_is_one_line(project: Project) -> None:
    project.edit("lab/games/cards.py", "= 52", "= = 52")
    with pytest.raises(CfrlabError, match=r"cards\.py:1: not valid Python") as error:
        project.hash()
    assert "\n" not in str(error.value)


def test_the_closure_of_this_package(tmp_path: Path) -> None:
    (tmp_path / "stage.py").write_text("from cfrlab.pipeline.store import load\n")
    assert [name for name, _ in closure(tmp_path / "stage.py")] == [
        "cfrlab",
        "cfrlab.errors",
        "cfrlab.pipeline",
        "cfrlab.pipeline.provenance",
        "cfrlab.pipeline.store",
        "cfrlab.pipeline.text",
        "stage.py",
    ]


def test_the_hash_is_the_same_under_every_python(tmp_path: Path) -> None:
    """Written by hand from the grammar: no field that a version of Python adds or leaves out."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/__init__.py").write_text("def f(x: int = 1) -> str:\n    return f'{x!r}'\n")
    spelled = (
        "Module(body=[FunctionDef(name='f',args=arguments(args=[arg(arg='x',annotation=Name("
        "id='int',ctx=Load()))],defaults=[Constant(1)]),body=[Return(value=JoinedStr(values=["
        "FormattedValue(value=Name(id='x',ctx=Load()),conversion=114)]))],returns=Name(id='str',"
        "ctx=Load()))])"
    )
    code = hashlib.sha256(spelled.encode()).hexdigest()
    expected = hashlib.sha256(f"lab\0{code}\0".encode()).hexdigest()
    assert closure_hash("lab", root=tmp_path / "lab") == expected


def test_versions_are_those_in_use() -> None:
    import numpy
    import scipy

    versions = library_versions()
    assert set(versions) == {"numba", "numpy", "scikit-learn", "scipy", "python"}
    assert versions["numpy"] == numpy.__version__
    assert versions["scipy"] == scipy.__version__
    assert versions["scikit-learn"] == importlib.metadata.version("scikit-learn")
    assert versions["python"] == platform.python_version()
    assert Provenance({}, None, "").libraries == versions
