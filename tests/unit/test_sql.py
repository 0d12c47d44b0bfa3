"""Statements are found by name, and a wrong name says so."""

from pathlib import Path

import pytest

from shared.sql import Statements, UnknownStatementError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "get_place.sql").write_text("SELECT 1\n", encoding="utf-8")
    (tmp_path / "save_place.sql").write_text("SELECT '가'\n", encoding="utf-8")
    return tmp_path


def test_a_statement_is_its_files_text_by_attribute_and_by_name(folder: Path) -> None:
    sql = Statements(folder)
    assert sql.get_place == sql["get_place"] == "SELECT 1\n"
    assert sql.save_place == "SELECT '가'\n"


def test_a_statement_is_read_once(folder: Path) -> None:
    sql = Statements(folder)
    first = sql.get_place
    (folder / "get_place.sql").unlink()
    assert sql.get_place is first


def test_a_wrong_name_is_named_with_its_folder(folder: Path) -> None:
    sql = Statements(folder)
    with pytest.raises(UnknownStatementError, match="no statement 'get_plce'"):
        _ = sql.get_plce
    with pytest.raises(UnknownStatementError, match="no statement"):
        _ = sql["../get_place"]
    assert not hasattr(sql, "get_plce")


def test_all_names_can_be_listed(folder: Path) -> None:
    assert list(Statements(folder)) == ["get_place", "save_place"]
