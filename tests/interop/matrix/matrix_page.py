"""The tables of `docs/interop.md`, between two comments; `docs/generate_interop.py` writes them.

They show the rules and the lines of producers that the tests hold against what the partners do.
"""

from collections import defaultdict

from consumers import CONSUMERS
from matrix_outcomes import COPIED, OTHER, SHARED
from producers import PRODUCERS, READ_ONLY, REFUSED
from producers import SHARED as STORES
from variants import VARIANTS

START = "<!-- tables: written by docs/generate_interop.py -->"
END = "<!-- end of the tables -->"

TEXT = """{start}

### In: what `asview` takes

{producers}

### Out: what takes a view

{consumers}

### Out: what mdview refuses or a partner misreads, and the way out

{refusals}

{end}"""


def text():
    """Return the tables."""
    return TEXT.format(start=START, producers=_producers(), consumers=_consumers(), refusals=_refusals(), end=END)


def with_tables(page):
    """Return a page with these tables in the place of its own."""
    before, rest = page.split(START)
    return before + text() + rest.split(END)[1]


def table(*rows):
    """Return a table in Markdown; the first row is its head."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _code(names):
    return ", ".join(f"`{name}`" if "(" in name or "[" in name else name for name in names)


def _producers():
    packages = defaultdict(lambda: defaultdict(list))
    for name, producer in PRODUCERS.items():
        package = producer.package.partition(".")[0].replace("builtins", "Python")
        packages[package][producer.outcome].append(name)
    columns = {"shares memory": STORES, "shares it, read-only": READ_ONLY, "refused (way out)": REFUSED}
    rows = [
        [package, *("; ".join(_with_ways(found[key])) or "–" for key in columns.values())]  # noqa: RUF001
        for package, found in packages.items()
    ]
    return table(["from", *columns], *rows)


def _with_ways(names):
    """Return names; those with one way out together, before it."""
    ways = defaultdict(list)
    for name in names:
        ways[PRODUCERS[name].way or name].append(name)
    return [
        f"{', '.join(each)} (`{way}`)" if PRODUCERS[each[0]].outcome == REFUSED else each[0]
        for way, each in ways.items()
    ]


def _consumers():
    rows = defaultdict(list)
    for name in CONSUMERS:
        rows[_outcomes(name)].append(f"`{name}`")
    lines = [[", ".join(names), *row] for row, names in rows.items()]
    return table(["consumers", "shares memory", "copies", "refused"], *lines)


def _outcomes(name):
    found = {SHARED: [], COPIED: [], "": []}
    for each in VARIANTS:
        what = CONSUMERS[name].decided(VARIANTS[each]).what
        found[what if what in found else ""].append(each)
    most = max(found.values(), key=len)
    texts = [
        "all" if len(each) == len(VARIANTS) else "all others" if each is most else ", ".join(each)
        for each in found.values()
    ]
    return tuple(text or "–" for text in texts)  # noqa: RUF001 - a dash, as tables have it


def _refusals():
    rows = {}
    for name, consumer in CONSUMERS.items():
        for each in consumer.rules:
            views = [v for v, variant in VARIANTS.items() if consumer.decided(variant) is each]
            if views and (each.by == "mdview" or each.what == OTHER):
                key = ", ".join(views), each.what, each.why
                rows.setdefault(key, []).append(name)
    lines = [
        [views, _code(names) if len(names) == 1 else "several", what, why] for (views, what, why), names in rows.items()
    ]
    return table(["views", "consumer", "error", "why, and the way out"], *lines)
