import contextlib
import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cfrlab.errors import CfrlabError
from cfrlab.pipeline import store
from cfrlab.pipeline.provenance import Provenance
from cfrlab.pipeline.text import atomic_path, canonical_json, write_text_atomic

ARRAYS = {
    "regret": np.linspace(-1.0, 1.0, 24).reshape(2, 3, 4),
    "bucket": np.array([3, 1, 2], dtype=np.int16),
    "value": np.array(-1 / 18),
    "board": np.array(["Ts", "3h"]),
    "empty": np.zeros((0, 5), dtype=np.float32),
}
META = {"unit": "initial pots", "K": [20, 50], "nested": {"W": 10, "x": 0.1}}
PROVENANCE = Provenance(
    {"game": "hunl-river", "K": 20},
    7,
    "c0de",
    "weva_buckets",
    {"game": "hunl-river"},
    {"features": ["ab"]},
    {"numpy": "2"},
)


def write(path: Path, **changes: Any) -> Path:
    content = {"kind": "test", "arrays": ARRAYS, "meta": META, "provenance": PROVENANCE}
    store.save(path, **{**content, **changes})
    return path


def refusal(path: Path, kind: str = "test") -> str:
    """The one line with which loading is refused; it must name file and command."""
    with pytest.raises(CfrlabError) as error:
        store.load(path, kind)
    line = str(error.value)
    assert "\n" not in line
    assert line.startswith(f"{path}: ")
    assert line.endswith(f"; rebuild it with: snakemake --cores 1 --force {path}")
    return line


def test_load_returns_what_was_saved(tmp_path: Path) -> None:
    loaded = store.load(write(tmp_path / "new" / "folder" / "a.npz"), "test")
    assert sorted(loaded.arrays) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(loaded.arrays[name], array, strict=True)
        assert loaded.arrays[name].flags.writeable
    assert loaded.meta == META
    assert loaded.provenance == PROVENANCE


def test_equal_content_gives_equal_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write(tmp_path / "a.npz")
    # Neither the clock nor the order of insertion nor the memory layout may show.
    monkeypatch.setattr("time.time", lambda: 2e9)
    monkeypatch.setattr("time.localtime", lambda *_: (2030, 1, 1, 0, 0, 0, 0, 0, 0))
    arrays = {name: np.asfortranarray(ARRAYS[name]) for name in reversed(ARRAYS)}
    arrays["value"] = ARRAYS["value"]
    meta = {name: META[name] for name in reversed(META)}
    second = write(tmp_path / "b.npz", arrays=arrays, meta=meta)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "other"},
        {"meta": {**META, "unit": "chips"}},
        {"provenance": Provenance({}, 8, "c0de", libraries={})},
        {"arrays": {**ARRAYS, "value": np.array(-1 / 17)}},
        {"arrays": {**ARRAYS, "regret": ARRAYS["regret"].reshape(4, 3, 2)}},
        {"arrays": {**ARRAYS, "bucket": ARRAYS["bucket"].astype(np.uint16)}},
    ],
)
def test_other_content_gives_another_checksum(tmp_path: Path, changes: dict[str, Any]) -> None:
    def checksum(path: Path) -> str:
        with zipfile.ZipFile(path) as archive:
            return str(json.loads(archive.read("__header__"))["sha256"])

    changed = write(tmp_path / "b.npz", **changes)
    assert checksum(write(tmp_path / "a.npz")) != checksum(changed)


def test_the_checksum_is_a_sha256_over_header_and_arrays(tmp_path: Path) -> None:
    with zipfile.ZipFile(write(tmp_path / "a.npz")) as archive:
        header = json.loads(archive.read("__header__"))
        claimed = header.pop("sha256")
        digest = hashlib.sha256(
            json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
            + b"".join(archive.read(f"{name}.npy") for name in sorted(ARRAYS))
        )
    assert claimed == digest.hexdigest()


def test_numpy_reads_the_arrays_without_pickle(tmp_path: Path) -> None:
    with np.load(write(tmp_path / "a.npz"), allow_pickle=False) as archive:
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(archive[name], array, strict=True)


def test_numbers_as_keys_of_metadata_load_as_strings(tmp_path: Path) -> None:
    path = write(tmp_path / "a.npz", meta={2: "two", 10: "ten"})
    assert store.load(path, "test").meta == {"2": "two", "10": "ten"}


@pytest.mark.parametrize(
    "arrays",
    [{"x": np.array([None])}, {"__header__": np.zeros(1)}, {"": np.zeros(1)}, {"a/b": np.zeros(1)}],
)
def test_what_cannot_be_stored_is_refused_before_writing(
    tmp_path: Path, arrays: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="cannot be stored"):
        write(tmp_path / "a.npz", arrays=arrays)
    assert list(tmp_path.iterdir()) == []


def test_metadata_that_is_not_json_is_refused_before_writing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write(tmp_path / "a.npz", meta={"x": float("nan")})
    with pytest.raises(TypeError):
        write(tmp_path / "a.npz", meta={"x": np.float64(1).astype(np.float32)})
    assert list(tmp_path.iterdir()) == []


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.npz")
    whole = path.read_bytes()
    for length in [*range(0, len(whole), 61), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert "truncated or altered" in refusal(path)


def test_an_altered_byte_is_refused_or_changes_nothing_that_is_read(tmp_path: Path) -> None:
    """Only fields of the archive that carry no content, such as dates, may change unnoticed."""
    path = write(tmp_path / "a.npz")
    whole = path.read_bytes()
    for position in range(len(whole)):
        altered = bytearray(whole)
        altered[position] ^= 1 << position % 8
        path.write_bytes(altered)
        # Anything but this error, which a user must never see, fails the test.
        with contextlib.suppress(CfrlabError):
            loaded = store.load(path, "test")
            assert (loaded.meta, loaded.provenance) == (META, PROVENANCE)
            assert all(np.array_equal(loaded.arrays[name], ARRAYS[name]) for name in ARRAYS)


@pytest.mark.parametrize("what", [ARRAYS["regret"].tobytes(), b"initial pots", b"c0de", b"'shape'"])
def test_a_flipped_bit_in_data_or_header_is_refused(tmp_path: Path, what: bytes) -> None:
    path = write(tmp_path / "a.npz")
    altered = bytearray(path.read_bytes())
    altered[altered.index(what) + 3] ^= 1
    path.write_bytes(altered)
    assert "truncated or altered" in refusal(path)


@pytest.mark.parametrize("victim", ["__header__", "bucket.npy"])
def test_content_rewritten_with_matching_crc_is_refused(tmp_path: Path, victim: str) -> None:
    """A tool that rewrites the archive leaves its CRC right; the SHA-256 still tells."""
    path = write(tmp_path / "a.npz")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    changed = {"__header__": (b'"K":20', b'"K":21'), "bucket.npy": (b"\3\0\1\0", b"\1\0\3\0")}
    members[victim] = members[victim].replace(*changed[victim])
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert "truncated or altered" in refusal(path)


@pytest.mark.parametrize("extra", [True, False])
def test_an_added_or_missing_array_is_refused(tmp_path: Path, extra: bool) -> None:
    path = write(tmp_path / "a.npz")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if extra or name != "empty.npy":
                archive.writestr(name, content)
        if extra:
            archive.writestr("zzz.npy", b"")
    assert "truncated or altered" in refusal(path)


@pytest.mark.parametrize("content", [b"", b"method,K\n", b"PK\5\6" + 18 * b"\0"])
def test_a_file_of_another_sort_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    assert "truncated or altered" in refusal(path)


def test_a_plain_npz_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.zeros(3))
    assert "truncated or altered" in refusal(tmp_path / "a.npz")


def test_another_kind_is_refused(tmp_path: Path) -> None:
    line = refusal(write(tmp_path / "a.npz"), kind="strategy")
    assert ": of kind 'test', but 'strategy' is needed;" in line


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(store, "FORMAT_VERSION", 1)
        path = write(tmp_path / "a.npz")
    assert ": of format version 1, but this program reads 2;" in refusal(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert ": no such file;" in refusal(tmp_path / "a.npz")
    assert ": no such file;" in refusal(tmp_path)


def test_the_command_can_be_pasted_and_follows_the_workflow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert store.rebuild_command("a b.npz") == "snakemake --cores 1 --force 'a b.npz'"
    command = "snakemake --cores 1 --configfile tests/smoke.yaml"
    monkeypatch.setenv(store.SNAKEMAKE_VARIABLE, command)
    assert store.rebuild_command("a.npz") == f"{command} --force a.npz"


def test_a_crash_while_saving_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.npz")
    before = path.read_bytes()
    original = np.lib.format.write_array

    def fail_in_the_second_member(file: Any, array: Any, **options: Any) -> None:
        if array.dtype == np.int16 and not isinstance(file, store._Digest):
            raise OSError("disk full")
        original(file, array, **options)

    monkeypatch.setattr(np.lib.format, "write_array", fail_in_the_second_member)
    with pytest.raises(OSError, match="disk full"):
        write(path, meta={})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit])
def test_atomic_path_keeps_the_old_file_when_the_block_fails(
    tmp_path: Path, stop: type[BaseException]
) -> None:
    path = tmp_path / "figure.svg"
    path.write_text("old")

    def draw() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            assert path.read_text() == "old"
            raise stop

    with pytest.raises(stop):
        draw()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_atomic_path_is_beside_the_target_and_keeps_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "new" / "figure.svg"
    with atomic_path(path) as first, atomic_path(path) as second:
        assert first.parent == second.parent == path.parent
        assert first.suffix == ".svg"
        assert first != second
        first.write_text("1")
        second.write_text("2")
    assert list(path.parent.iterdir()) == [path]


def test_text_is_written_as_utf8_with_line_ends_unchanged(tmp_path: Path) -> None:
    write_text_atomic(tmp_path / "t.csv", "K,ε\n20,±1\r\n")
    assert (tmp_path / "t.csv").read_bytes() == "K,ε\n20,±1\r\n".encode()


def test_canonical_json_has_one_spelling() -> None:
    assert canonical_json({"b": (1, 2.5), "a": None}) == '{"a":null,"b":[1,2.5]}'
