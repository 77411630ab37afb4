"""A comparison of an implementation of C++ mdspan with the draft, feature by feature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdview.conformance import comparison, compilers, programs, questions, reports


def report(target: compilers.Implementation, only: Sequence[str] = (), seed: str | None = None) -> reports.Report:
    """Ask an implementation about all features, or some of them."""
    unknown = [name for name in only if name not in questions.FEATURES]
    if unknown:
        raise compilers.CannotRunError(f"no feature {unknown[0]!r}: --only takes {', '.join(questions.FEATURES)}")
    rows = [row(target, feature, seed) for feature in questions.FEATURES if not only or feature in only]
    return reports.Report(f"{target.namespace}::mdspan, {target.compiler.version}", rows)


def row(target: compilers.Implementation, feature: str, seed: str | None = None) -> reports.Tally:
    """Ask about one feature."""
    asks = questions.drawn(feature, target.offers, seed)
    if not asks:
        return reports.Tally(feature, offered=False)
    try:
        replies, refused = comparison.replies(target, asks), list[str]()
    except compilers.CannotRunError:
        refused = compilers.refused(target, list(dict.fromkeys(ask.template for ask in asks)))
        replies = comparison.replies(target, [ask for ask in asks if ask.template not in refused])
    compiled = [ask for ask in asks if ask.template not in refused]
    compared = comparison.compare(compiled, replies)
    asked = [(ask, question) for ask in compiled for question in ask.questions]
    agreed = sum(each.agrees for each in compared)
    departing = [(ask, each) for (ask, _), each in zip(asked, compared, strict=True) if not each.agrees]
    departures = [_refusal(feature, [ask for ask in asks if ask.template in refused])] if refused else []
    departures += [_departure(target, feature, group) for group in _groups(departing)]
    return reports.Tally(feature, len(comparison.asked(asks)), agreed, departures=departures)


Found = tuple[questions.Query, comparison.Compared]


def _groups(departing: Iterable[Found]) -> Iterable[list[Found]]:
    """Return the departures that differ in the same parts, and alike where these are words, of the same layout."""
    groups: dict[tuple[object, ...], list[Found]] = {}
    for ask, each in departing:
        answers = [(each.expected.get(key), each.its.get(key)) for key in each.keys]
        words = repr([pair for pair in answers if isinstance(pair[0], bool | str)])
        groups.setdefault((each.question.kind, each.keys, _about(each.question), words), []).append((ask, each))
    return groups.values()


def _about(question: questions.Question) -> str:
    words = question.given.get("what"), reports.source_of(question.given).get("layout")
    return " ".join(filter(None, words))


def _departure(target: compilers.Implementation, feature: str, group: Sequence[Found]) -> reports.Departure:
    ask, least = min(group, key=lambda found: (len(repr(found[1].question.given)), sum(map(abs, found[0].numbers))))
    kind, given, keys = least.question.kind, least.question.given, least.keys
    about = _about(least.question)
    return reports.Departure(
        feature,
        ", ".join(keys) + (f" of {about}" if about else ""),
        len(group),
        reports.clause(kind, given, keys),
        {key: least.expected.get(key, "absent") for key in keys},
        {key: least.its.get(key, "absent") for key in keys},
        reports.others(kind, given, keys),
        programs.program(target, least, ask.template, ask.numbers),
    )


def _refusal(feature: str, asks: Sequence[questions.Query]) -> reports.Departure:
    least = min(asks, key=lambda ask: len(ask.template))
    (question, *_) = least.questions
    return reports.Departure(
        feature,
        "does not compile",
        len(comparison.asked(asks)),
        reports.clause(question.kind, question.given, ()),
        {"compiles": True},
        {"compiles": False},
        reports.others(question.kind, question.given, ("ill_formed",)),
        programs.as_asked(least.template, least.numbers),
    )
