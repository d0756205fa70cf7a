"""The program `treegauge`, also as `python -m treegauge`."""

import sys

from treegauge.interruption import end_on_signals, exit_code


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends with one line, too."""
    try:
        end_on_signals()
        from treegauge.cli import main as run

        run()
    except KeyboardInterrupt as error:
        sys.stderr.write("treegauge: interrupted\n")
        sys.exit(exit_code(error))


if __name__ == "__main__":
    main()
