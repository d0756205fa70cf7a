"""Parse raw text of any size into a folder of shards, by many processes or machines; a stopped run can continue."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from treegauge.corpus.files import write_whole
from treegauge.corpus.pool import Pool
from treegauge.errors import TreegaugeError
from treegauge.parsing.journal import Journal, open_journal
from treegauge.parsing.parser import ParserSpec
from treegauge.parsing.shard import Failure, ParsedShard, Shard, parse_shard, read_shards

SHARD_BYTES = 1_000_000  # bytes of text in a shard: some 170,000 words, which UDPipe parses in a minute
_FEWEST_BYTES, _SHARDS = 50_000, 16  # of a shard, and shards of a small text: all cores work, and progress is seen


def shard_bytes(paths: Sequence[str]) -> int:
    """How much text a shard should have: a sixteenth of the files, which are not unpacked, within bounds."""
    known = [os.path.getsize(path) for path in paths if os.path.isfile(path)]
    return min(max(sum(known) // _SHARDS, _FEWEST_BYTES), SHARD_BYTES) if len(known) == len(paths) else SHARD_BYTES


@dataclass(frozen=True, slots=True)
class ParseSummary:
    """How much a folder of trees contains, and the passages that failed."""

    shards: int
    present: int  # how many of the shards an earlier run had finished
    sentences: int
    words: int
    failures: tuple[Failure, ...]


def parse_files(
    paths: Sequence[str],
    spec: ParserSpec,
    name: str,
    folder: str,
    pool: Pool,
    *,
    shard_bytes: int = SHARD_BYTES,
    progress: Callable[[int, bool], None] = lambda size, new: None,
) -> ParseSummary:
    """Parse files of raw text into `folder`: one file of CoNLL-U for every `shard_bytes` of text.

    name: the parser's own name. Shards that an earlier run with the same settings finished are not parsed again. If the
    run is stopped, all files with their final names are complete; the same call continues from there and gives the same
    files. Passages on which the parser fails are left out, and listed in the journal and in the summary. progress gets
    the bytes of text of each shard, and whether it is new.
    """
    settings = {"treegauge": "parse 1", "parser": name, "passage": spec.passage, "shard_bytes": shard_bytes}
    with open_journal(folder, settings) as journal:
        texts: dict[str, Shard] = {}
        present: list[str] = []
        new: list[str] = []

        def missing() -> Iterator[Shard]:
            for shard in read_shards(paths, spec.passage, shard_bytes):
                if journal.has(shard.name, shard.digest):
                    present.append(shard.name)
                    progress(shard.size, False)
                else:
                    texts[shard.name] = shard
                    yield shard

        try:
            for result in pool.results(partial(parse_shard, spec), missing()):
                shard = texts.pop(result.shard)
                _save(result, shard, folder, journal)
                new.append(shard.name)
                progress(shard.size, True)
        except TreegaugeError as error:
            raise type(error)(f"{error}; {how_to_go_on(folder, len(present) + len(new))}") from error
        journal.finish()
        records = [journal.done[name] for name in sorted(present + new)]
    return ParseSummary(
        len(records),
        len(present),
        sum(record["sentences"] for record in records),
        sum(record["words"] for record in records),
        tuple(Failure(**failure) for record in records for failure in record["failed"]),
    )


def how_to_go_on(folder: str, shards: int) -> str:
    """The message after a run was stopped: how many shards are finished, and how to continue."""
    return f"{shards:,} finished shards are kept in {folder}; the same command goes on from there"


def _save(result: ParsedShard, shard: Shard, folder: str, journal: Journal) -> None:
    with write_whole(os.path.join(folder, result.shard)) as stream:
        stream.write(result.conllu)
    journal.add(
        {
            "shard": result.shard,
            "source": shard.path,
            "lines": [shard.passages[0].line, shard.passages[-1].line],
            "input": shard.digest,
            "bytes": len(result.conllu),
            "sentences": result.sentences,
            "words": result.words,
            "failed": [asdict(failure) for failure in result.failures],
        }
    )
