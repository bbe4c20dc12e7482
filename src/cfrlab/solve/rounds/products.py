"""Matrix products with a dense Phi, board by board: BLAS, sums of rows, or torch on an
accelerator.

An abstraction matrix is cut into the columns of each board, so that strategies of all hand classes
at once -- 62020 x 2106 numbers in Numeral211's last round -- never exist.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import get_blas_funcs

from cfrlab.errors import CfrlabError
from cfrlab.solve.rounds import kernels

Reals = NDArray[Any]

# Share of non-zeros up to which sums of rows are faster than matrix products, as measured.
_SPARSE = 0.08


class Products(Protocol):
    """Products with the matrices Phi [m, n of a board] of one round."""

    def load(self, rows: Reals) -> Any:
        """Bring strategies [m, k] to where products are made."""

    def spread(self, loaded: Any, board: int, out: Reals) -> None:
        """Write ``Phi^T rows`` of loaded rows to out [n, k]."""

    def merge(self, board: int, values: Reals, out: Reals) -> None:
        """Add ``Phi values`` of values [n, k] to out [m, k]."""


class Blas:
    """Products on the CPU, in the threads that BLAS is given."""

    def __init__(self, matrices: Sequence[Reals]) -> None:
        # BLAS thinks in columns: a row-major [m, n] array is its transpose [n, m].
        self._matrices = [np.ascontiguousarray(matrix).T for matrix in matrices]
        (self._gemm,) = get_blas_funcs(("gemm",), (matrices[0],))

    def load(self, rows: Reals) -> Any:
        """See ``Products``."""
        return rows

    def spread(self, loaded: Any, board: int, out: Reals) -> None:
        """See ``Products``."""
        # out^T = rows^T Phi
        self._gemm(
            1.0, loaded.T, self._matrices[board], trans_b=1, beta=0.0, c=out.T, overwrite_c=1
        )

    def merge(self, board: int, values: Reals, out: Reals) -> None:
        """See ``Products``."""
        # out^T += values^T Phi^T
        self._gemm(1.0, values.T, self._matrices[board], beta=1.0, c=out.T, overwrite_c=1)


class Torch:
    """Products on a torch device; sums over boards stay in the caller's array.

    Raises CfrlabError if torch or the device is missing.
    """

    def __init__(self, matrices: Sequence[Reals], device: str) -> None:
        try:
            self._torch: Any = importlib.import_module("torch")
        except (ImportError, OSError):
            raise CfrlabError(
                f"device '{device}' needs torch: pip install -r envs/requirements-torch.txt"
            ) from None
        try:
            self._device = self._torch.device(device)
            self._matrices = [self._put(np.ascontiguousarray(m)) for m in matrices]
        except (RuntimeError, AssertionError, ImportError) as error:
            reason = str(error).splitlines()[0]
            raise CfrlabError(f"device '{device}' cannot be used: {reason}") from None

    def _put(self, array: Reals) -> Any:
        return self._torch.from_numpy(array).to(self._device)

    def load(self, rows: Reals) -> Any:
        """See ``Products``."""
        return self._put(rows)

    def spread(self, loaded: Any, board: int, out: Reals) -> None:
        """See ``Products``."""
        out[:] = (self._matrices[board].T @ loaded).cpu().numpy()

    def merge(self, board: int, values: Reals, out: Reals) -> None:
        """See ``Products``."""
        out += (self._matrices[board] @ self._put(values)).cpu().numpy()


class Sparse:
    """Products on the CPU with matrices of few non-zeros, kept column by column."""

    def __init__(self, matrices: Sequence[Reals]) -> None:
        self._columns = [_columns(matrix) for matrix in matrices]

    def load(self, rows: Reals) -> Any:
        """See ``Products``."""
        return rows

    def spread(self, loaded: Any, board: int, out: Reals) -> None:
        """See ``Products``."""
        kernels.spread(*self._columns[board], loaded, out)

    def merge(self, board: int, values: Reals, out: Reals) -> None:
        """See ``Products``."""
        kernels.merge(*self._columns[board], values, out)


def _columns(matrix: Reals) -> tuple[NDArray[np.int64], NDArray[np.int64], Reals]:
    """Where the non-zeros of each column begin, their rows and their values."""
    column, row = np.nonzero(matrix.T)
    first = np.searchsorted(column, np.arange(matrix.shape[1] + 1))
    return first, row, np.ascontiguousarray(matrix[row, column])


def products(matrices: Sequence[Reals], device: str | None) -> Products:
    """Products by torch where a device is named (``cuda``, ``cpu``), else what is fastest here."""
    if device is not None:
        return Torch(matrices, device)
    dense = sum(np.count_nonzero(m) for m in matrices) > _SPARSE * sum(m.size for m in matrices)
    return Blas(matrices) if dense else Sparse(matrices)
