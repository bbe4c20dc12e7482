"""Settings of the whole test suite."""

from hypothesis import settings

# The same examples in every run, and no limits in wall-clock time: a slow machine is not a bug.
settings.register_profile("deterministic", deadline=None, derandomize=True)
settings.load_profile("deterministic")
