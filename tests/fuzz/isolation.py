"""Isolation: work runs in a forked child with limits, so that a crash, a hang or a flood of memory ends the child
alone.

The child sends what its work returned or raised, as text; the parent learns what else became of it.
"""

import os
import pickle
import resource
import select
import signal
import time
import warnings
from pathlib import Path

from outcomes import Wrong

MEGABYTE = 1 << 20
SPARE = 1500 * MEGABYTE
"""How much more address space a child may take, so that a flood of memory is a MemoryError and no burden to others."""


class Died(Wrong):
    """A child ended by a signal, or did not end."""


class TooMuch(Wrong):
    """A child took more memory than its work may."""


def _statm(field):
    return int(Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()


def resident_peak():
    """Bytes that this process had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def limit(seconds):
    """Limit this process: it ends by SIGXCPU after so many seconds more of the processor."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    whole = int(spent.ru_utime + spent.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (whole, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    resource.setrlimit(resource.RLIMIT_AS, (_statm(0) + SPARE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def in_child(work, seconds=2.0, wall=120.0, megabytes=None):
    """Return what ``work()`` returns in a child of its own; an exception comes back as ``(class name, text)``.

    Raises
    ------
    Died
        It ended by a signal, did not end within ``wall`` seconds, or took more than ``seconds`` of the processor.
    TooMuch
        It had ``megabytes`` more in memory than at its start.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork among threads is what some inputs are about
        child = os.fork()
    if not child:
        os.close(reading)
        _serve(work, writing, seconds, megabytes)
    os.close(writing)
    try:
        sent = _received(reading, child, wall)
    finally:
        os.close(reading)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        raise Died("hangs" if sent is None else f"died by {name}")
    kind, value = pickle.loads(sent)  # noqa: S301 - of our own making
    if kind in {"Wrong", "TooMuch"}:
        raise {"Wrong": Wrong, "TooMuch": TooMuch}[kind](value)
    return value


def _serve(work, writing, seconds, megabytes):
    """Run the work of a child, send the outcome and end."""
    try:
        limit(seconds)
        before = _statm(1)
        try:
            sent = "value", work()
        except Wrong as error:
            sent = "Wrong", str(error)
        except Exception as error:  # noqa: BLE001 - any outcome is told
            sent = "value", (type(error).__name__, str(error))
        more = (resident_peak() - before) // MEGABYTE
        if megabytes is not None and more > megabytes:
            sent = "TooMuch", f"{more} MB more in memory"
        content = memoryview(pickle.dumps(sent))
        while content:
            content = content[os.write(writing, content) :]
    finally:
        os._exit(0)


def _received(reading, child, wall):
    """What a child sends until it closes its end; None where it has to be ended, which counts as a hang."""
    content, end, asleep = b"", time.monotonic() + wall, 0
    while True:
        ready, _, _ = select.select([reading], [], [], POLL)
        if ready:
            part = os.read(reading, 1 << 16)
            if not part:
                return content
            content += part
            continue
        asleep = asleep + 1 if _sleeps(child) else 0
        if asleep * POLL > ASLEEP or time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            return None


POLL, ASLEEP = 0.25, 4.0
"""Seconds between looks at a child, and how long all of its threads may wait; one that runs may be slow."""


def _sleeps(child):
    """Tell whether no thread of a process runs, or would if it could."""
    try:
        for task in Path(f"/proc/{child}/task").iterdir():
            state = (task / "stat").read_text().rpartition(")")[2].split()[0]
            if state == "R":
                return False
    except (FileNotFoundError, ProcessLookupError):  # a thread has ended meanwhile, so something has run
        return False
    return True
