"""One hierarchy of exceptions, each of them also the builtin that callers already catch."""

import builtins
import inspect

import pytest

import mdview
from mdview import MDView, errors

EXCEPTIONS = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__]
BUILTINS = {cls for cls in vars(builtins).values() if isinstance(cls, type) and issubclass(cls, Exception)}


@pytest.mark.parametrize("cls", EXCEPTIONS, ids=lambda cls: cls.__name__)
def test_each_exception_is_an_mdview_error_and_explains_itself(cls):
    assert issubclass(cls, errors.MDViewError)
    assert cls.__doc__


@pytest.mark.parametrize(
    "cls", [cls for cls in EXCEPTIONS if cls is not errors.MDViewError], ids=lambda cls: cls.__name__
)
def test_each_exception_is_also_a_builtin(cls):
    assert set(cls.__mro__) & (BUILTINS - {Exception})


@pytest.mark.parametrize(
    ("cls", "builtin"),
    [
        (errors.ReadOnlyError, TypeError),  # as memoryview raises
        (errors.ReadOnlyError, ValueError),  # as NumPy raises
        (errors.IndexOutOfRangeError, IndexError),
        (errors.IndexTypeError, IndexError),  # as NumPy raises
        (errors.IndexTypeError, TypeError),  # as list raises
        (errors.SliceError, ValueError),
        (errors.MissingExtraError, ImportError),
    ],
)
def test_what_others_raise_is_caught(cls, builtin):
    with pytest.raises(builtin):
        raise cls


VIEW = MDView([1, 2], (2,))
NEED_VIEWS = {
    "equal": lambda x: mdview.equal(VIEW, x),
    "equal, first": lambda x: mdview.equal(x, VIEW),
    "copy": lambda x: mdview.copy(x, VIEW),
    "copy, target": lambda x: mdview.copy(VIEW, x),
    "fill": lambda x: mdview.fill(x, 0),
    "reduce": lambda x: mdview.reduce(max, x),
    "transform": lambda x: mdview.transform(max, VIEW, x),
    "transform, out": lambda x: mdview.transform(abs, VIEW, out=x),
    "accumulate": lambda x: mdview.accumulate(max, x, VIEW),
    "elements": mdview.elements,
    "runs": mdview.runs,
    "tiles": mdview.tiles,
    "flat": mdview.flat,
    "bitcast": lambda x: mdview.bitcast(x, "B"),
    "readonly": mdview.readonly,
    "atomic": mdview.atomic,
    "checked": mdview.checked,
    "unchecked": mdview.unchecked,
    "scaled": lambda x: mdview.scaled(2, x),
    "conjugated": mdview.conjugated,
    "assume": lambda x: mdview.assume(x, (2,)),
    "has_extents": lambda x: mdview.has_extents(x, (2,)),
}
NEED_VIEWS_OR_MAPPINGS = {
    "indices": mdview.indices,
    "flip": mdview.flip,
    "reshape": lambda x: mdview.reshape(x, (2,)),
    "transposed": mdview.transposed,
    "conjugate_transposed": mdview.conjugate_transposed,
}
NO_VIEWS = {"int": 3, "list": [1, 2], "str": "ab", "MDView": MDView}


@pytest.mark.parametrize("kind", NO_VIEWS)
@pytest.mark.parametrize("name", [*NEED_VIEWS, *NEED_VIEWS_OR_MAPPINGS])
def test_what_is_no_view_is_refused_and_named(name, kind):
    call = (NEED_VIEWS | NEED_VIEWS_OR_MAPPINGS)[name]
    with pytest.raises(errors.OperandError, match=kind):
        call(NO_VIEWS[kind])
    assert VIEW.tolist() == [1, 2]


@pytest.mark.parametrize("name", NEED_VIEWS)
def test_a_mapping_has_no_elements(name):
    with pytest.raises(errors.OperandError, match="Mapping"):
        NEED_VIEWS[name](mdview.Mapping((2,)))
