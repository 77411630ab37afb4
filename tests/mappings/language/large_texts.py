"""Large and strange texts, each of which is refused: run in a process of its own, since what hangs never ends."""

import mdview as md
from mdview.errors import NotationError

N = 10**5
LARGE = {
    "nothing": "",
    "white space": " \n" * N,
    "open parentheses": "(" * N,
    "open brackets": "right (3,) " + "[" * N,
    "nested layouts": "transpose(" * N,
    "nested tuples": "right " + "(" * N,
    "quotes": '"' * N,
    "an open quote": "m:X('" + "a" * N,
    "dots": "." * N,
    "a long name": "a" * N,
    "a dotted name": "a." * N + "b:C (3,)",
    "a long number": f"right ({'9' * N},)",
    "a long hexadecimal number": f"right (0x{'f' * N},)",
    "a long index": f"right (3,) [{'9' * 4000}]",
    "an infinite extent": "right (1e9999,)",
    "digits of another script": "right (٣,)",
    "a raised digit": "right (²,)",
    "zero characters": "\0" * N,
    "surrogates": "\ud800" * N,
    "commas": "right (" + "," * N,
    "colons": "right (3,) [" + ":" * N,
    "minus signs": "right (" + "-" * N,
    "reshapes within each other": "tiled(2, 2) (6, 4)"
    + " reshape((8, 3)) permute_dims((1, 0)) reshape((6, 4)) [:, ::-1]" * 1600,
    "an unknown operation at the end": "right (3,)" + " flip(0)" * 10_000 + " x",
}


def main():
    for name, text in LARGE.items():
        try:
            md.parse(text)
        except NotationError as error:
            if len(str(error)) > 1000:
                print(name, "has a long message")
        else:
            print(name, "is read")


if __name__ == "__main__":
    main()
