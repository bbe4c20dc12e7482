"""How kernels are compiled, for all engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
from numba import njit
from numba.extending import overload

from cfrlab.solve.kernel_cache import keep_compiled

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

# Under numpy's error model a division by zero gives inf or nan instead of leaving the loop. The
# kernels allocate nothing, so they are compiled without numba's memory management, an option that
# numba does not document: it brings an iteration on Leduc from 9.3 to 3.0 microseconds, one on a
# river in 20 buckets from 10.9 to 4.5 (``benchmarks/run.py``).
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}


def kernel(function: Kernel) -> Kernel:
    """Compile a function in numba's nopython mode, and keep it (`kernel_cache`)."""
    dispatcher = njit(**_OPTIONS)(function)
    keep_compiled(dispatcher, function)
    return cast(Kernel, dispatcher)


def by_type(kernels: Mapping[type, Callable[..., None]], position: int) -> Callable[..., None]:
    """A function for kernels to call that stands for several, chosen when they are compiled.

    Args:
        kernels: by the type of one of their arguments, a NamedTuple or None.
        position: of that argument.
    """

    def chosen(*arguments: Any) -> None:
        raise NotImplementedError("only kernels can call this")

    def choose(types: tuple[Any, ...]) -> Callable[..., None]:
        found = kernels[getattr(types[position], "instance_class", type(None))]
        return lambda *arguments: found(*arguments)

    # Numba wants both functions to name their arguments alike, without annotations.
    overload(chosen, jit_options=cast(Any, _OPTIONS))(lambda *arguments: choose(arguments))
    return chosen


def processor() -> str:
    """What compiled code is for: target, name and features of this machine's processor."""
    features = llvm.get_host_cpu_features().flatten()
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features}"
