"""The guide in docs/resolving.md runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parents[2] / "docs" / "resolving.md"


def test_the_guide_runs_and_keeps_its_promise() -> None:
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(compile(code[1], str(GUIDE), "exec"), names)
    assert names["exactly"] <= names["before"] + 1e-9
    assert names["after"] < names["before"] + 0.01
