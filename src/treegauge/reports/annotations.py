"""The findings of `check` for programs that show them beside lines of files: SARIF, and annotations of GitHub."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from treegauge.corpus.writing import with_comment, with_misc
from treegauge.json_fields import json_text
from treegauge.reports.check_text import details
from treegauge.upkeep.codes import ARCS, INVALID, KINDS
from treegauge.upkeep.findings import Findings
from treegauge.upkeep.validity import incident_of
from treegauge.version import __version__
from treegauge.wording import chance, printable

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def _message(findings: Findings, k: int, record: dict[str, Any]) -> str:
    """A finding in one line: the annotation, its probability, and the details."""
    if record["message"]:
        return f"'{record['form']}': {record['message']}"
    is_arc, annotated = record["code"] in ARCS, record["value"] or record["upos"]
    annotated = f"{record['deprel']} of {_head(findings, k, record['head'])}" if is_arc else annotated
    what = f"'{record['form']}' as {annotated}: probability {chance(record['probability'])}"
    return "; ".join([what, *details(findings, k)])


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
    name = KINDS[record["code"]].name
    return f"{record['code']} {name} ({record['sent_id'] or record['sentence']}, word {record['id']})"


def _data(text: str) -> str:
    """Text of a workflow command; it has no line ends any more, which would end the command."""
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def to_sarif(findings: Findings) -> str:
    """SARIF 2.1.0: one result for each finding, with file and line."""
    rules = [
        {"id": kind.code, "name": kind.name, "shortDescription": {"text": kind.meaning}} for kind in KINDS.values()
    ]
    driver = {"name": "treegauge", "version": __version__, "rules": rules}
    results = [_result(findings, k, record) for k, record in enumerate(findings.records())]
    run = {"tool": {"driver": driver}, "results": results, "properties": {"signature": findings.signature}}
    content = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(content, indent=1) + "\n"


def _result(findings: Findings, k: int, record: dict[str, Any]) -> dict[str, Any]:
    key = [record[name] for name in ("sent_id", "id", "form", "code", "head", "deprel", "upos", "value")]
    region = {"startLine": record["line"]}
    uri = quote(os.fsencode(_path(record)), safe="/")
    return {
        "ruleId": record["code"],
        "level": "warning",
        "message": {"text": _message(findings, k, record)},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {"annotation/v1": hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]},
        "rank": round(100 * (1 - (record["probability"] or 0)), 2),
    }


_CLASSES = {"arc": "SYNTAX", "subtype": "SYNTAX", "same words": "SYNTAX", "deps": "ENHANCED", "tokens": "METADATA"}
_LEVEL = 6  # behind the levels of the validator, 1 to 5


def to_incidents(findings: Findings) -> str:
    """A list in JSON with the keys and texts of the incidents of udtools, for what reads its output."""
    incidents = []
    for k, record in enumerate(findings.records()):
        kind = KINDS[record["code"]]
        level, testclass, test = str(_LEVEL), _CLASSES.get(kind.what, "MORPHO"), f"{kind.code}-{kind.name}"
        text, is_error = _message(findings, k, record), kind.code == INVALID
        if is_error:
            level, testclass, test, text = incident_of(record["message"])
        incident = {"level": level, "type": "ERROR" if is_error else "WARNING", "testclass": testclass}
        incident |= {"testid": test.replace(" ", "-")}
        place = {"filename": record["file"], "lineno": str(record["line"]), "sentid": record["sent_id"] or ""}
        incidents.append(incident | place | {"nodeid": str(record["id"]), "message": text})
    return json_text(incidents, indent=1) + "\n"


def to_conllu(findings: Findings) -> bytes:
    """The treebank with the codes of its findings as `Bug=TG301` in MISC, and `# highlight tokens` of ConlluEditor.

    Udapi shows nodes with Bug, and ConlluEditor opens a sentence with these words in colour. Keys of MISC are in the
    order of Udapi, which sorts them without case; nothing else moves.
    """
    corpus, codes = findings.corpus, dict[int, list[str]]()
    for row, code in zip(findings.row.tolist(), findings.code.tolist(), strict=True):
        codes.setdefault(row, []).append(code)
    bugs = [",".join(sorted(set(codes[row]))) if row in codes else None for row in range(corpus.n_words)]
    lines: dict[int, str] = {}
    for row in sorted(codes):
        s = int(corpus.sentence[row])
        lines[s] = f"{lines[s]} {corpus.position[row]}" if s in lines else str(corpus.position[row])
    return with_comment(corpus, with_misc(corpus, {"Bug": bugs}, in_order=True), "highlight tokens", lines)
