"""`treegauge check`: the words of a treebank that somebody should look at, by every column."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from treegauge.cli.arguments import Arguments, argument, choice, command, file, flag, group, number, option, repeated
from treegauge.cli.groups import (
    ALLOW_SKIPPED,
    ON_ERROR,
    OUTPUT,
    format_option,
    read_others,
    some_names,
    tables_content,
    with_option,
    write_file,
)
from treegauge.cli.messages import (
    fail,
    is_coloured,
    message,
    progress_of,
    read_corpus,
    refuse_unused,
    stages,
    terminal_style,
    text_columns,
    too_much_skipped,
)
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.corpus.corpus import Corpus
    from treegauge.ranking.verdicts import Verdict
    from treegauge.scorers.scorer import Scorer
    from treegauge.upkeep.finding_filter import FindingFilter
    from treegauge.upkeep.findings import Findings
    from treegauge.upkeep.search.rules import OwnRules

ACCEPTED = os.path.join(".treegauge", "accepted.tsv")
RULES = os.path.join(".treegauge", "rules.grew")
COMMANDS_SHOWN = 20  # how many findings get the command that accepts them, where a gate did not pass


class WhatGroup(Arguments):
    """The options that say which findings are wanted."""

    columns: str | None = option(
        "Check only these, with commas: arc, tag, lemma, xpos, feats, subtype, deps, validity, rules, same words, "
        "tokens.  [default: all]",
        metavar="NAMES",
    )
    select: str | None = option(
        "List only these, with commas: codes or how they begin (TG3), relations (obl), features (Number=Plur).",
        metavar="NAMES",
    )
    ignore: str | None = option("Leave these out: codes, relations, features, with commas.", metavar="NAMES")
    marked: bool = flag(
        "List marked material, too: reparandum, goeswith, Typo=Yes, Foreign=Yes. --select lists one of them."
    )
    validate: bool = flag("List the errors of the validator of UD, too, of all its levels (extra `validate`).")
    language: str | None = option(
        "Use the rules of this language with --validate: levels 4 and 5.  [default: that of en_ewt-ud-dev.conllu]",
        metavar="CODE",
        rare=True,
    )

    def filter(self, corpus: Corpus) -> FindingFilter:
        """What is wanted of a treebank."""
        from treegauge.upkeep.finding_filter import finding_filter
        from treegauge.upkeep.validity import treebank_language

        refuse_unused(language=(self.validate, "--validate"))
        columns, select, ignore = (some_names(names, "names") for names in (self.columns, self.select, self.ignore))
        language = (self.language or treebank_language(corpus.files[0])) if self.validate else None
        return finding_filter(corpus, columns, select, ignore, marked=self.marked, language=language)


class CheckArguments(Arguments):
    """The arguments of `treegauge check`."""

    treebank: tuple[str, ...] = argument(nargs=-1, required=True)
    references: tuple[str, ...] = repeated(
        "--with-reference",
        "Judge by this, too: a model (file or code), or another treebank. May be repeated.",
        metavar="REFERENCE",
    )
    others: tuple[str, ...] = with_option("TREEBANK")
    scorer: str = choice(
        ("choice", "lisca"),
        "Sort arcs by their probability, or by LISCA: then the arcs of its last bin are suspicious.",
        rare=True,
    )
    model_name: str | None = option(
        "--model", "lisca: judge by this model, not by the other sentences of TREEBANK.", metavar="MODEL", rare=True
    )
    folds: int | None = number(2, None, "Learn from N parts of TREEBANK.  [default: 5]", rare=True)
    net: bool = flag(
        "Learn a net from the parts, too (extra `net`). Minutes for each part; kept in the cache.", rare=True
    )
    below: float = option(
        "List arcs, tags and other values with a probability below this, where another one is likelier.",
        type=click.FloatRange(0, 1, min_open=True),
        default=0.01,
    )
    what: WhatGroup = group(WhatGroup)
    format_name: str = format_option(
        ("text", "tsv", "json", "jsonl", "parquet", "sarif", "github", "incidents", "conllu", "html"),
        "Write text, a table, JSON, JSON lines, Parquet, SARIF, annotations of GitHub, incidents as udtools writes "
        "them (JSON), the treebank with Bug= in MISC, or a page to work through.",
    )
    output: str = OUTPUT
    top: int | None = number(0, None, "Show only the first N.  [default: text: 20; others: all]")
    patterns: int = number(0, 10, "Show the first N patterns (text and json).", rare=True)
    new_since: str | None = option(
        "Show only what is annotated otherwise than in OLD: a file, a folder, or REV:path of a git repository.",
        metavar="OLD",
    )
    accepted: str | None = file(
        f"Leave out what is accepted in FILE.  [default: {ACCEPTED} beside TREEBANK or above it]"
    )
    rules: str | None = file(
        f"Find what the rules in FILE describe, too.  [default: {RULES} beside TREEBANK or above it]"
    )
    fail_on: int | None = number(0, None, "End with exit code 1 if there are more than N.")
    allow_skipped: float = ALLOW_SKIPPED
    on_error: str = ON_ERROR

    def text(self, findings: Findings) -> str | bytes:
        """The findings in the format asked for."""
        from treegauge.reports.annotations import to_conllu, to_github, to_incidents, to_sarif
        from treegauge.reports.arc_text import plain
        from treegauge.reports.check_text import findings_text

        if self.format_name == "text":
            style = terminal_style if is_coloured(self.output) else plain
            return findings_text(findings, 20 if self.top is None else self.top, self.patterns, text_columns(), style)
        shown = replace(findings[: self.top], patterns=findings.patterns[: self.patterns])
        if self.format_name == "conllu":
            return to_conllu(shown)
        if self.format_name == "html":
            return _page(shown)
        annotations = {"sarif": to_sarif, "github": to_github, "incidents": to_incidents}
        if self.format_name in annotations:
            return annotations[self.format_name](shown)
        return tables_content(shown.tables() if self.format_name == "json" else shown.tables()[:1], self.format_name)


@command(CheckArguments)
def check(args: CheckArguments) -> None:
    """Check TREEBANK, CoNLL-U files, for annotation errors in every column, and for patterns of them.

    Each sentence is judged by what is learned from the others. A finding is an arc, a tag, a lemma, an XPOS, a feature
    or a subtype that is improbable, where another one is likelier; or a contradiction: the same words annotated
    otherwise, DEPS that do not fit the tree. Each kind has a code. A pattern is a group of arcs in doubt that share
    words, tags and relation: often a convention that is not followed everywhere. --with-reference adds the judgement of
    another treebank or model.

    \b
    Examples:
      treegauge check treebank.conllu
      treegauge check treebank.conllu --with-reference en --format sarif -o findings.sarif
      treegauge check new.conllu --new-since old.conllu
      treegauge check treebank.conllu --columns lemma,feats --ignore TG904,Abbr=Yes -f conllu -o marked.conllu
    """
    from treegauge.corpus.revisions import read_revision
    from treegauge.scorers.registry import Folding, scorer
    from treegauge.upkeep.check import check as check_treebank
    from treegauge.upkeep.check import reference_scorer, words_of_work
    from treegauge.upkeep.treebank_scorer import OrderBy

    refuse_unused(
        patterns=(args.format_name in ("text", "json"), "--format text and json"),
        model_name=(args.scorer == "lisca", "--scorer lisca; --with-reference adds a model to the judges"),
    )
    corpus = read_corpus(args.treebank, args.on_error)
    old = None if args.new_since is None else read_revision(args.new_since, on_error=args.on_error)
    judges: list[Scorer | OrderBy | OwnRules] = [
        reference_scorer(name, partial(read_corpus, on_error=args.on_error)) for name in args.references
    ]
    options: dict[str, Any] = {
        "folds": Folding(args.folds, net=args.net, stages=stages),
        "below": args.below,
        "since": old,
    }
    if args.scorer == "lisca":
        order = scorer("lisca", args.model_name, by_itself=None if args.model_name else corpus)
        judges.append(OrderBy(order))
    judges += _rules(args.rules, args.treebank)
    options["wanted"] = args.what.filter(corpus)
    options["accepted"] = _accepted(args.accepted, args.treebank)
    opinions = read_others(corpus, args.others, args.on_error)
    with progress_of("checking", total=words_of_work(corpus, args.folds, options["wanted"])) as progress:
        findings = check_treebank(corpus, [*judges, *([opinions] if opinions else [])], **options, progress=progress)
    message(findings.scorer.about, *(opinions.notes if opinions else ()))
    write_file(args.text(findings), args.output)
    said = ", ".join(f"{name} {n:,}" for name, n in findings.counts().items())
    message(f"{counted(len(findings), 'finding')}{f': {said}' if said else ''}")
    if args.fail_on is not None:
        if len(findings) > args.fail_on:
            message(*_how_to_accept(findings, args.treebank))
        too_many = [f"that is more than --fail-on {args.fail_on}"] if len(findings) > args.fail_on else []
        fail(*too_many, *too_much_skipped(args.allow_skipped))


def _accepted(name: str | None, treebank: tuple[str, ...]) -> list[Verdict]:
    """The verdicts of the file of that name, or of the nearest one beside the treebank or in a folder above it."""
    from treegauge.ranking.verdicts import read_verdicts
    from treegauge.upkeep.accept import accepted_file

    path = name or accepted_file(treebank[0])
    if path is None:
        return []
    verdicts = read_verdicts(path)
    message(f"{path}: {counted(len(verdicts), 'verdict')}; what is accepted there is left out")
    return verdicts


def _how_to_accept(findings: Findings, treebank: tuple[str, ...]) -> Iterator[str]:
    """The commands that accept the first findings."""
    from treegauge.upkeep.accept import place_of

    yield f"what is right as it is can be accepted ({min(len(findings), COMMANDS_SHOWN)} of {len(findings):,}):"
    for k in range(min(len(findings), COMMANDS_SHOWN)):
        yield shlex.join(["treegauge", "accept", *treebank, "--finding", str(place_of(findings, k))])


def _rules(name: str | None, treebank: tuple[str, ...]) -> list[OwnRules]:
    """The rules of the file of that name, or of the nearest one beside the treebank or in a folder above it."""
    from treegauge.upkeep.accept import file_beside
    from treegauge.upkeep.search.rules import read_rules

    path = name or file_beside(treebank[0], RULES)
    if path is None:
        return []
    rules = read_rules(path)
    message(f"{path}: {counted(len(rules.rules), 'rule')}")
    return [rules]


def _page(findings: Findings) -> str:
    """The page of `report` that lists the words with findings, in the order of the findings."""
    from treegauge.reports.page import check_page

    return check_page(findings).html()
