"""`transform` with a function of texts over numbers."""

from mdview import MDView, transform


def shout(text: str) -> str:
    return text.upper()


numbers = MDView([1.0, 2.0], (2,))
print(transform(shout, numbers))  # error: the elements are numbers
