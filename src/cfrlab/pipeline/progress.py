"""What the workflow shows on the terminal: one line for each job that has ended."""

from __future__ import annotations

import logging

_CHATTER = ("Select jobs to execute", "Execute ", "Finished jobid")


class OneLineAJob(logging.Filter):
    """Turns Snakemake's messages about a job into one line: how far the run is, and the job.

    To be added to Snakemake's logger. Messages of other sorts pass as they are.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[int, str] = {}
        self._ended = ""

    def filter(self, record: logging.LogRecord) -> bool:
        said = vars(record)
        match str(said.get("event")):
            case "job_info":
                self._names[said["jobid"]] = said.get("rule_msg") or said["rule_name"]
                return False
            case "job_finished":
                self._ended = self._names.pop(said["job_id"], "")
                return False
            case "progress":
                done, total = said["done"], said["total"]
                record.msg = f"[{done:>{len(str(total))}}/{total}] {self._ended}".rstrip()
                record.event = None
                return self._ended not in ("", "all")
        return not str(record.msg).startswith(_CHATTER)
