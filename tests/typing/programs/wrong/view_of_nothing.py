"""Neither numbers nor dictionaries have memory that a view could share."""

from mdview import asview


def main(count: int, table: dict[str, float]) -> None:
    print(asview(count))  # error: a number has no memory
    print(asview(table))  # error: nor has a dictionary
    print(asview("text"))  # error: nor has a text before it is encoded
    print(asview(b"text").size)


main(3, {})
