"""Functions that tasks call in other processes, which import them by name."""

import os
import re
import signal
import time
from pathlib import Path

SMAPS = Path("/proc/self/smaps")


def resident(folder):
    """Kilobytes of the files of a folder that count as memory of this process."""
    parts = re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", SMAPS.read_text(encoding="utf-8"))
    return sum(int(re.search(r"Rss:\s+(\d+)", part)[1]) for part in parts if folder in part)


def crossed(block):
    """Return the sum of the four neighbours of each inner element."""
    return block[:-2, 1:-1] + block[2:, 1:-1] + block[1:-1, :-2] + block[1:-1, 2:]


def doubled(block):
    return block * 2


class KilledOnce:
    """Doubles a block; in the first process that reaches a value the process ends at once."""

    def __init__(self, flag, value):
        self.flag, self.value = str(flag), value

    def __call__(self, block):
        if (block == self.value).any():
            try:
                Path(self.flag).touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
                time.sleep(60)
        return block * 2
