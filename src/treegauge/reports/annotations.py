"""The findings of `check` for programs that show them beside lines of files: SARIF, and annotations of GitHub."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from treegauge.json_fields import json_text
from treegauge.ranking.units import Unit
from treegauge.reports.check_text import details
from treegauge.upkeep.findings import Findings
from treegauge.version import __version__
from treegauge.wording import chance, printable

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {Unit.ARC: "The arc is improbable, and another one is likelier.", Unit.TAG: "Another tag is likelier."}


def _message(findings: Findings, k: int, record: dict[str, Any]) -> str:
    """A finding in one line: the annotation, its probability, and the details."""
    is_tag = record["what"] == Unit.TAG
    annotated = record["upos"] if is_tag else f"{record['deprel']} of {_head(findings, k, record['head'])}"
    what = f"'{record['form']}' as {annotated}: probability {chance(record['probability'])}"
    return "; ".join([what, *details(findings, k, findings.invalid_at(k))])


def _head(findings: Findings, k: int, head: int) -> str:
    if not head:
        return "the root"
    corpus = findings.corpus
    return f"'{corpus.forms(int(corpus.sentence[findings.row[k]]))[head - 1]}' (word {head})"


def to_github(findings: Findings) -> str:
    """Workflow commands that show each finding beside its line in a pull request."""
    lines = []
    for k, record in enumerate(findings.records()):
        place = f"file={_property(_path(record))},line={record['line']},title={_property(_title(record))}"
        lines.append(f"::warning {place}::{_data(_message(findings, k, record))}\n")
    return "".join(lines)


def _path(record: dict[str, Any]) -> str:
    """The file of a finding with slashes, and without `./` before it."""
    return PurePath(record["file"]).as_posix()


def _title(record: dict[str, Any]) -> str:
    return f"suspicious {record['what']} ({record['sent_id'] or record['sentence']}, word {record['id']})"


def _data(text: str) -> str:
    """Text of a workflow command; it has no line ends any more, which would end the command."""
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def to_sarif(findings: Findings) -> str:
    """SARIF 2.1.0: one result for each finding, with file and line."""
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "treegauge", "version": __version__, "rules": rules}
    results = [_result(findings, k, record) for k, record in enumerate(findings.records())]
    run = {"tool": {"driver": driver}, "results": results, "properties": {"signature": findings.scorer.signature}}
    content = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(content, indent=1) + "\n"


def _result(findings: Findings, k: int, record: dict[str, Any]) -> dict[str, Any]:
    key = [record[name] for name in ("sent_id", "id", "form", "what", "head", "deprel", "upos")]
    region = {"startLine": record["line"]}
    uri = quote(os.fsencode(_path(record)), safe="/")
    return {
        "ruleId": record["what"],
        "level": "warning",
        "message": {"text": _message(findings, k, record)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {"annotation/v1": hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]},
        "rank": round(100 * (1 - record["probability"]), 2),
    }
