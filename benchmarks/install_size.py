"""How much a fresh `pip install .` brings: megabytes beyond an empty virtual environment, by package.

    python benchmarks/install_size.py

The bundled models are counted apart.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def megabytes(folder: Path) -> float:
    """The size of the files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def main() -> None:
    """Install into a new environment, and print what it takes."""
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        empty = megabytes(venv)
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(PROJECT)], check=True)
        packages = next(venv.glob("lib/*/site-packages"))
        models = megabytes(packages / "treegauge" / "models" / "bundled")
        for package in sorted(packages.iterdir(), key=megabytes, reverse=True):
            if package.is_dir() and megabytes(package) > 1 and package.name != "pip":
                print(f"{package.name:30} {megabytes(package):7.1f} MB")
        print(f"{'bundled models':30} {models:7.1f} MB")
        print(f"{'all but these and pip':30} {megabytes(venv) - empty - models:7.1f} MB")


if __name__ == "__main__":
    main()
