"""Compiles every `*_kernel.py`; a kernel that cannot be compiled stays as the Python file it is."""

import os
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

root = Path(__file__).parent
kernels = sorted(path.relative_to(root) for path in (root / "src").rglob("*_kernel.py"))

# One wheel serves Python 3.11 and every later one (abi3): it is smaller than one for each, and as fast. Kernels
# that are built in place are for the Python that builds them; free-threaded Pythons have no such interface.
ABI3 = "bdist_wheel" in sys.argv and not sysconfig.get_config_var("Py_GIL_DISABLED")


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
                define_macros=[("Py_LIMITED_API", "0x030B0000")] if ABI3 else [],
                py_limited_api=ABI3,
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


found = extensions()
setup(ext_modules=found, options={"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 and found else {})
