"""Compiles every `*_kernel.py`; a kernel that cannot be compiled stays as the Python file it is."""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

root = Path(__file__).parent
kernels = sorted(path.relative_to(root) for path in (root / "src").rglob("*_kernel.py"))


def extensions() -> list[Extension]:
    """The kernels to compile: none if asked, or where eight bytes do not load lowest first, as a kernel assumes."""
    if os.environ.get("TREEGAUGE_NO_COMPILE") or sys.byteorder != "little":
        return []
    from Cython.Build import cythonize

    checked = bool(os.environ.get("TREEGAUGE_CHECKED"))  # for tools/check_memory.sh: every access is checked
    arguments = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address"] if checked else ["-O3", "-g0"]
    compiled = cythonize(
        [
            Extension(
                ".".join(path.with_suffix("").parts[1:]),
                [path.as_posix()],
                extra_compile_args=[] if os.name == "nt" else arguments,
                extra_link_args=["-fsanitize=address"] if checked else [],
            )
            for path in kernels
        ],
        build_dir="build",
        compiler_directives={
            "language_level": 3,
            "boundscheck": checked,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": checked,
        },
    )
    for extension in compiled:
        extension.optional = (
            True  # a kernel that does not compile runs interpreted; cythonize drops this if given above
        )
    return compiled


setup(ext_modules=extensions())
