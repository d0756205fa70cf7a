"""Raw text of any size into a folder of shards of trees: resumable, on as many processes or machines as there are."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from treegauge.corpus.files import write_whole
from treegauge.errors import TreegaugeError
from treegauge.parsers.parser import ParserSpec
from treegauge.parsers.raw_text import Shard, read_shards
from treegauge.parsers.shard import Failure, ParsedShard, parse_shard
from treegauge.scale.journal import Journal, open_journal
from treegauge.scale.pool import Pool

SHARD_BYTES = 1_000_000  # of text: some 170,000 words, a minute of UDPipe's


@dataclass(frozen=True, slots=True)
class ParseSummary:
    """What is in a folder of trees."""

    shards: int
    found: int  # of the shards, those that were there already
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
    """Parse files of raw text into `folder`, a file of CoNLL-U for every `shard_bytes` of text.

    name: what the parser calls itself. Shards that an earlier run with the same settings finished are kept; whatever
    stops the run, those under their final names are whole, and the same call goes on from there and ends with the
    same files. Passages that the parser fails at are left out and listed, in the journal and in the summary. progress
    is told the bytes of text of each shard, and whether it is new.
    """
    settings = {"treegauge": "parse 1", "parser": name, "passage": spec.passage, "shard_bytes": shard_bytes}
    with open_journal(folder, settings) as journal:
        texts: dict[str, Shard] = {}
        finished: list[str] = []
        found = 0

        def missing() -> Iterator[Shard]:
            nonlocal found
            for shard in read_shards(paths, spec.passage, shard_bytes):
                if journal.has(shard.name, shard.digest):
                    found += 1
                    finished.append(shard.name)
                    progress(shard.size, False)
                    continue
                texts[shard.name] = shard
                yield shard

        try:
            for result in pool.results(partial(parse_shard, spec), missing()):
                shard = texts.pop(result.shard)
                _keep(result, shard, folder, journal)
                finished.append(shard.name)
                progress(shard.size, True)
        except TreegaugeError as error:
            raise type(error)(f"{error}; {how_to_go_on(folder, len(finished))}") from error
        journal.finish()
        records = [journal.done[name] for name in sorted(finished)]
    return ParseSummary(
        len(records),
        found,
        sum(record["sentences"] for record in records),
        sum(record["words"] for record in records),
        tuple(Failure(**failure) for record in records for failure in record["failed"]),
    )


def how_to_go_on(folder: str, shards: int) -> str:
    """What is kept after a run that was stopped, and what to do."""
    return f"{shards:,} finished shards are kept in {folder}; the same command goes on from there"


def _keep(result: ParsedShard, shard: Shard, folder: str, journal: Journal) -> None:
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
