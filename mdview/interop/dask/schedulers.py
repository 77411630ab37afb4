"""Schedulers are dask's own: which one runs a graph, and whether it does so in this process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from typing import Any

from mdview.base.texts import told
from mdview.errors import MissingExtraError, OperandError

Get = Callable[..., Any]
"""A scheduler, as dask calls one: it runs a graph and returns the values of keys. Any: dask has no types for them."""


def import_dask() -> Any:  # Any: the module
    """Return the module dask.array, or raise `MissingExtraError`, which names the extra."""
    try:
        return import_module("dask.array")
    except ImportError:
        message = "this needs dask; install the extra: pip install 'mdview-layouts[dask]'"
        raise MissingExtraError(message) from None


def task_class() -> Any:  # Any: a class of dask's
    """Return the class of a task in a graph, which has been public since dask 2025.4 or so."""
    try:
        return import_module("dask.task_spec").Task
    except ImportError:
        return import_module("dask._task_spec").Task


def scheduler_of(given: object) -> Get:
    """Return the scheduler that dask would take: the one given, the configured one, an active client's, or threads.

    Raises
    ------
    OperandError
        dask knows no such scheduler.
    """
    base = import_module("dask.base")
    try:
        found = base.get_scheduler(scheduler=given)
    except (ValueError, RuntimeError, TypeError) as error:
        message = f"a scheduler is a name, a client or an executor that dask knows, got {told(given)}: {error}"
        raise OperandError(message) from None
    get: Get = found or import_module("dask.threaded").get
    return get


def is_local(get: Get) -> bool:
    """Tell whether a scheduler runs tasks in this process, on the memory of this process."""
    if get in (import_module("dask.local").get_sync, import_module("dask.threaded").get):
        return True
    submit = get.args[0] if isinstance(get, partial) and get.args else None
    return isinstance(getattr(submit, "__self__", None), ThreadPoolExecutor)


def repeats(get: Get) -> bool:
    """Tell whether a scheduler may run a task twice: all do that outlive the loss of a worker."""
    return not is_local(get) and get is not import_module("dask.multiprocessing").get
