"""The page "How big can it go" prints what its commands print."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "conf" / "how-big.md").read_text("utf-8")
BLOCKS = re.findall(
    r"```sh\npython jobs/plan\.py ([^\n]*)\n```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL
)


def test_all_blocks_are_found():
    assert len(BLOCKS) == PAGE.count("```sh") == PAGE.count("```text") == 4


@pytest.mark.parametrize(("arguments", "expected"), BLOCKS)
def test_a_command_prints_its_block(
    arguments: str, expected: str, capsys: pytest.CaptureFixture[str]
):
    spec = importlib.util.spec_from_file_location("plan_job", ROOT / "jobs" / "plan.py")
    assert spec is not None
    assert spec.loader is not None
    job = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(job)

    job.main(arguments.split())

    assert "".join(capsys.readouterr()) == expected
