"""The server of the desk: the page of `check` on 127.0.0.1, whose corrections and verdicts are written at once.

The server is that of Python's standard library: one reader at one machine needs no more, and nothing must be installed.
Every request must have the random token of the address, the host must be this one, and a change must come from a page
of this server: another page in the same browser, or a name that points here, is refused.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Lock
from typing import Any

import numpy as np

from treegauge.errors import TreegaugeError
from treegauge.json_fields import json_text
from treegauge.ranking.verdicts import VERDICTS, Verdict, read_verdicts
from treegauge.reports.check_data import finding_data
from treegauge.reports.page import check_page
from treegauge.upkeep.accept import accepted_word
from treegauge.upkeep.codes import HEAD
from treegauge.upkeep.corrections import OTHERS, Correction, correction_of_record
from treegauge.upkeep.desk import ConflictError, Desk, DeskError, SentencePlace
from treegauge.upkeep.desk_judge import sentence_findings
from treegauge.upkeep.finding_filter import FindingFilter
from treegauge.upkeep.findings import Findings
from treegauge.upkeep.search.find import find
from treegauge.upkeep.search.parser import parse_request
from treegauge.upkeep.validity import errors_of

_LONGEST = 1 << 24  # bytes of a request
MATCHES = 500  # how many matches of a search are listed
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class DeskServer(ThreadingHTTPServer):
    """The page of a desk, at `address`; requests are answered one after the other."""

    daemon_threads = True

    def __init__(self, desk: Desk, findings: Findings, wanted: FindingFilter, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.desk, self.findings, self.wanted, self.lock = desk, findings, wanted, Lock()
        self.token = secrets.token_urlsafe(24)
        self.changed: set[int] = set()  # the sentences that were changed in this sitting
        self.page = check_page(findings, {"read_only": desk.read_only, "search": True}).html().encode()
        first = np.searchsorted(findings.corpus.file, np.arange(len(findings.corpus.files)))
        self._first = first.tolist()

    @property
    def origin(self) -> str:
        """The beginning of its addresses."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def address(self) -> str:
        """Where the page is; who knows it may write to the files."""
        return f"{self.origin}/{self.token}/"

    def place(self, sentence: int) -> SentencePlace:
        """Where a sentence of the corpus is."""
        if not 0 <= sentence < self.findings.corpus.n_sentences:
            raise DeskError(f"sentence {sentence}; expected 0..{self.findings.corpus.n_sentences - 1}")
        file = int(self.findings.corpus.file[sentence])
        return SentencePlace(file, sentence - self._first[file])

    def number(self, place: SentencePlace) -> int:
        """Which sentence of the corpus stands at a place."""
        return int(self._first[place.file]) + place.sentence

    def correct(self, body: dict[str, Any]) -> dict[str, Any]:
        """Make corrections."""
        wanted = list[tuple[SentencePlace, Correction]]()
        for one in body["corrections"]:
            wanted.append((self.place(int(one.pop("place"))), correction_of_record(one)))
        return self._state([self.number(place) for place in self.desk.correct(wanted, int(body["version"]))])

    def verdict(self, body: dict[str, Any]) -> dict[str, Any]:
        """Write a verdict about a word down, or take it back."""
        s, word, verdict = int(body["place"]), int(body["id"]), str(body["verdict"])
        part = self.desk.sentence(self.place(s))
        if verdict not in (*VERDICTS, "") or not 1 <= word <= part.n_words:
            raise DeskError(f"verdict {verdict!r} of word {word}; expected one of {', '.join(VERDICTS)}, or none")
        codes = [str(code) or HEAD for code, _ in body["codes"]]
        lines = [accepted_word(part, word - 1, code, "", str(body["note"])) for code in codes]
        number = int(self.findings.corpus.number[s])
        lines = [replace(v, verdict=verdict, sentence=0 if v.sent_id else number) for v in lines]
        self.desk.judge(lines, int(body["version"]))
        return self._state([])

    def undo(self, body: dict[str, Any]) -> dict[str, Any]:
        """Take the last change back."""
        places, was_verdict = self.desk.undo(int(body["version"]))
        state = self._state([self.number(place) for place in places])
        return state | {"was_verdict": was_verdict, "verdicts": self._verdicts()}

    def state(self, body: dict[str, Any]) -> dict[str, Any]:
        """Every sentence that was changed since the desk was opened, as it is now, and the verdicts."""
        return self._state(sorted(self.changed)) | {"verdicts": self._verdicts()}

    def difference(self, body: dict[str, Any]) -> dict[str, Any]:
        """What `git diff` shows."""
        return {"text": self.desk.difference()}

    def find(self, body: dict[str, Any]) -> dict[str, Any]:
        """The words of the first matches of a request, and how many matches there are.

        The treebank is searched as it was when the desk was opened, and the changed sentences as they are now.
        """
        request, corpus = parse_request(str(body["request"])), self.findings.corpus
        found = find(corpus, request)
        now = ~np.isin(found.sentence, sorted(self.changed))
        rows = [words for words, wanted in zip(found.words, now.tolist(), strict=True) if wanted and words]
        for s in sorted(self.changed):
            part, first = self.desk.sentence(self.place(s)), int(corpus.start[s])
            rows += [[first + row for row in words] for words in find(part, request).words if words]
        return {"n": len(rows), "rows": sorted(rows)[:MATCHES]}

    def _verdicts(self) -> dict[str, list[str]]:
        """The verdicts in the file, as the page has them."""
        verdicts = read_verdicts(self.desk.accepted) if self.desk.has_accepted else []
        return {_key(one): [one.verdict, one.note, one.form] for one in verdicts}

    def _state(self, sentences: list[int]) -> dict[str, Any]:
        self.changed.update(sentences)
        about = {"version": self.desk.version, "steps": self.desk.n_steps}
        return about | {"sentences": [self._sentence(s) for s in sentences]}

    def _sentence(self, s: int) -> dict[str, Any]:
        """A sentence as it is now: its words, its findings, the likeliest other arcs, what the validator says."""
        part, first = self.desk.sentence(self.place(s)), int(self.findings.corpus.start[s])
        found = sentence_findings(self.findings, part, s, self.wanted)
        other = found.scorer.alternatives(part, np.arange(part.n_words))
        names = ("deprel", "upos", *OTHERS)
        words = [{n: part.value(n, row) for n in names} | {"head": int(part.head[row])} for row in range(part.n_words)]
        suggested = [
            {"row": first + row, "head": int(other.head[row]), "deprel": str(other.relation[row])}
            for row in range(part.n_words)
            if other.head[row] >= 0
        ]
        data = [finding_data(found, k, first + int(found.row[k])) for k in range(len(found))]
        answer = {"sentence": s, "words": words, "found": data, "suggested": suggested}
        if self.wanted.language is not None:
            text = self.desk.text_of(self.place(s)).rstrip(b"\r\n") + b"\n\n"
            answer["invalid"] = [said for _, said in errors_of(BytesIO(text), self.wanted.language)]
        return answer


def _key(v: Verdict) -> str:
    return "\t".join((v.sent_id, "" if v.sent_id else str(v.sentence), str(v.id), str(v.head), v.deprel))


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests for the page, and those of the page."""

    server: DeskServer
    server_version, sys_version = "treegauge", ""
    protocol_version = "HTTP/1.1"

    def _action(self) -> str | None:
        """What is asked for behind the token; None, with an answer, if the request is refused."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        _, token, *rest = [*self.path.split("/"), ""][:4]
        if f"http://{host}" != self.server.origin or not hmac.compare_digest(
            token.encode(), self.server.token.encode()
        ):
            self._answer(HTTPStatus.FORBIDDEN, {"error": "refused: expected the address that the desk has printed"})
            return None
        if (self.command == "POST" or origin is not None) and origin != self.server.origin:
            self._answer(HTTPStatus.FORBIDDEN, {"error": "refused: the request comes from another page"})
            return None
        return rest[0]

    def do_GET(self) -> None:
        """The page."""
        action = self._action()
        if action == "":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page)
        elif action is not None:
            self._answer(HTTPStatus.NOT_FOUND, {"error": "no such page"})

    def do_POST(self) -> None:
        """A change, or a question of the page."""
        action, desk = self._action(), self.server
        if action is None:
            return
        actions: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "correct": desk.correct,
            "verdict": desk.verdict,
            "undo": desk.undo,
            "state": desk.state,
            "difference": desk.difference,
            "find": desk.find,
        }
        length = self.headers.get("Content-Length", "")
        if action not in actions or not length.isdecimal() or int(length) > _LONGEST:
            return self._answer(HTTPStatus.BAD_REQUEST, {"error": "not understood"})
        if self.headers.get_content_type() != "application/json":
            return self._answer(HTTPStatus.BAD_REQUEST, {"error": "expected JSON"})
        content = self.rfile.read(int(length))
        with desk.lock:
            try:
                self._answer(HTTPStatus.OK, actions[action](json.loads(content)))
            except ConflictError as error:
                self._answer(HTTPStatus.CONFLICT, {"error": str(error)})
            except (TreegaugeError, OSError) as error:
                self._answer(HTTPStatus.BAD_REQUEST, {"error": str(error)})
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                self._answer(HTTPStatus.BAD_REQUEST, {"error": f"not understood: {error!r}"})

    def _answer(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        self.close_connection = status == HTTPStatus.FORBIDDEN
        self._send(status, "application/json", json_text(content).encode("utf-8", "backslashreplace"))

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the address has the token."""
