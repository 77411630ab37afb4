"""One hierarchy of exceptions, each of them also the builtin that callers already catch."""

import builtins
import inspect

import pytest

from mdview import Mapping, MDView, errors

EXCEPTIONS = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__]
BUILTINS = {cls for cls in vars(builtins).values() if isinstance(cls, type) and issubclass(cls, Exception)}
CAUGHT = {
    errors.ReadOnlyError: (TypeError, ValueError),  # as memoryview and NumPy raise
    errors.IndexOutOfRangeError: (IndexError,),
    errors.IndexTypeError: (IndexError, TypeError),  # as NumPy and list raise
    errors.SliceError: (ValueError,),
    errors.MissingExtraError: (ImportError,),
}


def test_each_exception_is_an_mdview_error_and_a_builtin_and_explains_itself():
    for cls in EXCEPTIONS:
        assert issubclass(cls, errors.MDViewError)
        assert cls.__doc__
        assert cls is errors.MDViewError or set(cls.__mro__) & (BUILTINS - {Exception}), cls
    assert all(issubclass(cls, builtin) for cls, wanted in CAUGHT.items() for builtin in wanted)


def test_what_is_no_view_is_an_operand_error_wherever_one_belongs(refusals):
    """Of what takes views alone, a mapping is none either."""
    asked = 0
    for function, *given in refusals.CALLS.values():
        args = [arg for arg in given if not isinstance(arg, dict)]
        for k, arg in enumerate(args):
            if any(arg is one for one in (refusals.view, refusals.target, refusals.subject)):
                for wrong in (3, "ab", [1, 2], MDView, *[Mapping((2, 3))] * (arg is not refusals.subject)):
                    with pytest.raises((errors.OperandError, errors.ConversionError)):
                        function(*[wrong if j == k else other.right for j, other in enumerate(args)])
                    asked += 1
    assert asked > 150
