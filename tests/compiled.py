"""Compiled programs that are kept from run to run, by the hash of their text and of their commands.

Run in front of the command of a compiler, as ccache is, this file keeps object files.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

SECONDS = 600
FRONT = (sys.executable, __file__)


def cache_folder():
    """Folder of compiled programs, in `$XDG_CACHE_HOME` or `~/.cache`, else among the temporary files."""
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = (base if os.access(base, os.W_OK) else Path(tempfile.gettempdir())) / "mdview-conformance"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def locked(path):
    """Let one process at a time compile a program, where the system has locks on files."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - POSIX only

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run_command(arguments):
    """Run a compiler; Zig keeps what it compiles beside our programs."""
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=SECONDS, env=environment)


def kept(key, suffix, *steps):
    """The path of what commands make, once for a key; OUT stands in them for where it goes, IN for what is before."""
    path = cache_folder() / f"{sha256(key.encode()).hexdigest()[:32]}{suffix}"
    with locked(path.with_suffix(".lock")):
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                last = ""
                for k, step in enumerate(steps):
                    made = Path(folder, f"{k}{suffix if k == len(steps) - 1 else '.o'}")
                    done = run_command([{"OUT": str(made), "IN": last}.get(word, word) for word in step])
                    if done.returncode:
                        raise SystemExit(done.stderr or str(done.returncode))
                    last = str(made)
                made.replace(path)
    return path


def without_places(command):
    """A command without folders and files of this checkout: what it includes is in the text that it expands."""
    return [Path(word).name for word in command if not word.startswith("-I") and not word.endswith(".cpp")]


def program(text, compile_it, link, suffix=""):
    """The path of a program of a text."""
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "program.cpp")
        code.write_text(text, encoding="utf-8")
        expanded = run_command([*compile_it, str(code), "-E", "-P"])
        assert expanded.returncode == 0, expanded.stderr
        key = "\0".join([expanded.stdout, *without_places([*compile_it, *link])])
        return kept(key, suffix, [*compile_it, str(code), "-o", "OUT"], [*link, "IN", "-o", "OUT"])


def main(command):
    """Compile as a command says, or take what it has made before."""
    place = command.index("-o") if "-o" in command and "-c" in command else None
    if place is None:
        return subprocess.run(command, check=False).returncode
    output, rest = command[place + 1], [*command[:place], *command[place + 2 :]]
    expanded = run_command([*rest, "-E", "-P"])
    if expanded.returncode:
        sys.stderr.write(expanded.stderr)
        return expanded.returncode
    key = "\0".join([expanded.stdout, *without_places(rest)])
    shutil.copy(kept(key, ".o", [*rest, "-o", "OUT"]), output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
