"""The memory of numbers holds no text."""

from array import array

from mdview import MDView

view = MDView(array("d", [1.0, 2.0]), (2,))
memory: "memoryview[bytes]" = view.memoryview()  # error: the items are floats
print(memory)
