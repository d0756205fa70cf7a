"""The program `treegauge`, also as `python -m treegauge`."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends with one line, too."""
    try:
        from treegauge.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("treegauge: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
