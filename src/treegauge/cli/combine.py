"""`treegauge combine`: combines several parses of a text into the best trees, or repairs one parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treegauge.cli.arguments import Arguments, argument, command, file, option
from treegauge.cli.groups import AUTO, ON_ERROR, OUTPUT, find_model, model_beside_others, model_option, read_others
from treegauge.cli.messages import ReadingProgress, message
from treegauge.errors import OptionError
from treegauge.wording import counted

if TYPE_CHECKING:
    from treegauge.scorers.trust import Trust


class CombineArguments(Arguments):
    """The arguments of `treegauge combine`."""

    parse: str = argument()
    others: tuple[str, ...] = argument(nargs=-1)
    model_name: str | None = model_option()
    calibration: str | None = file(
        "Trust the parses as much as gold says: FILE is from `treegauge calibrate`, with the other parses as --with."
    )
    only_if: float = option(
        "Change an arc only if the new one has this probability.  [default: 0]",
        metavar="P",
        type=click.FloatRange(0, 1),
        default=0.0,
    )
    output: str = OUTPUT
    on_error: str = ON_ERROR


@command(CombineArguments)
def combine(args: CombineArguments) -> None:
    """Combine PARSE and OTHERS, CoNLL-U files of the same text, into the most plausible tree of each sentence.

    The words are those of PARSE; the others may cut the text otherwise, or have only some of it. What speaks for an arc
    is who has it, and with --model how probable the model finds it, and how good it finds each parse. PARSE alone is
    repaired as much as a model of your own allows, which should be of the text that the parser was trained on; where a
    bundled model is very sure; or as --calibration says. In MISC each arc has its Probability, and a changed one
    WasHead, WasDeprel and From: who has the new arc. `treegauge diff PARSE best.conllu` shows the changes.

    \b
    Examples:
      treegauge combine parsed.conllu other.conllu --model en -o best.conllu
      treegauge combine parsed.conllu --model en -o repaired.conllu
    """
    from treegauge.corpus.files import write_whole
    from treegauge.corpus.pieces import FilePieces
    from treegauge.parsing.combine import Combiner, choice_of, is_bundled

    opinions = read_others(args.parse, args.others, args.on_error)
    learned = _trust(args.calibration, len(args.others))
    same_scheme = args.model_name not in (None, AUTO) and not is_bundled(args.model_name)
    model = (model_beside_others if args.others else find_model)(args.model_name, (args.parse,))
    combiner = Combiner(choice_of(model), opinions, learned, args.only_if)
    if learned is None:
        combiner.trusting(args.parse, same_scheme=same_scheme, on_error=args.on_error)
    pieces = FilePieces([args.parse], combiner.columns, args.on_error, once=True)
    words = changed = 0
    with ReadingProgress("combining", (args.parse,)) as reading, write_whole(args.output) as stream:
        for piece in map(reading, pieces):
            combined = combiner(piece)
            stream.write(combined.conllu())
            words, changed = words + piece.n_words, changed + int(combined.changed.sum())
    message(*(opinions.notes if opinions else ()))
    message(f"{changed:,} of {counted(words, 'arc')} changed, {100 * changed / max(words, 1):.1f} %")


def _trust(name: str | None, others: int) -> Trust | None:
    """The trust in the parses that a calibration has learned; None if there is no calibration."""
    if name is None:
        return None
    from treegauge.scorers.calibration import find_calibration

    learned = find_calibration(name)
    if learned.parses != others:
        raise OptionError(
            f"{name} was made with {counted(learned.parses, 'other parse')}; expected one made with {others} "
            "(`treegauge calibrate --with`)"
        )
    if learned.trust is None:
        message(f"{name} does not say how much the parser is to be trusted; what is usual is taken")
    return learned.trust
