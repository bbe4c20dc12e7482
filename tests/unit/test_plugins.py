import sys
from pathlib import Path

import pytest

from cfrlab import plugins
from cfrlab.errors import CfrlabError, nearest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package of plug-ins, one of which fails when imported."""
    folder = tmp_path / "zoo_of_tests"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "_shared.py").write_text("")
    (folder / "double_board.py").write_text("BOARDS = 2\n")
    (folder / "leduc.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder.name
    for name in [name for name in sys.modules if name.split(".")[0] == folder.name]:
        del sys.modules[name]


def test_names_are_module_names_with_dashes_and_import_nothing(package: str) -> None:
    assert plugins.names(package) == ["double-board", "leduc"]
    assert plugins.module_name(package, "leduc", "game") == f"{package}.leduc"


@pytest.mark.parametrize("name", ["double-board", "double_board"])
def test_load_imports_the_module_of_that_name(package: str, name: str) -> None:
    assert plugins.load(package, name, "game").BOARDS == 2


def test_a_new_file_is_a_new_plugin(package: str, tmp_path: Path) -> None:
    (tmp_path / package / "kuhn.py").write_text("CARDS = 3\n")
    assert plugins.load(package, "kuhn", "game").CARDS == 3


@pytest.mark.parametrize("name", ["leduk", "", "..leduc", "_shared", "double-board.x"])
def test_an_unknown_name_is_one_line_that_lists_the_known_ones(package: str, name: str) -> None:
    with pytest.raises(CfrlabError) as error:
        plugins.load(package, name, "game")
    assert str(error.value).startswith(f"unknown game '{name}' (known: double-board, leduc)")
    assert "\n" not in str(error.value)


def test_a_misspelt_name_is_offered_the_nearest(package: str) -> None:
    with pytest.raises(CfrlabError, match=r"; did you mean 'leduc'\?$"):
        plugins.load(package, "Leduk", "game")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pcfr-plus", "; did you mean 'pcfr_plus'?"),
        ("PCFR_PLSU", "; did you mean 'pcfr_plus'?"),
        ("iteratons", "; did you mean 'iterations'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_nearest(name: str, hint: str) -> None:
    assert nearest(name, ["iterations", "pcfr_plus", "cfr"]) == hint


def test_nearest_of_nothing_is_empty() -> None:
    assert nearest("cfr", []) == ""


def test_a_plugin_that_lacks_its_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from cfrlab.solve.rules import cfr

    monkeypatch.delattr(cfr, "update")
    with pytest.raises(CfrlabError, match=r"solver 'cfr': \S+cfr\.py must define update"):
        plugins.load("cfrlab.solve.rules", "cfr", "solver")
