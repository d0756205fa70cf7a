"""`python -m treegauge`."""

from treegauge.cli import main

main()
