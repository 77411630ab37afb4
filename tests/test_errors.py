"""One hierarchy of exceptions, each of them also the builtin that callers already catch."""

import builtins
import inspect

import pytest

from mdview import errors

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
