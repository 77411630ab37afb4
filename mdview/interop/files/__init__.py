"""Files hold the elements of views: at each offset of a mapping, counted from where the data begins, lies an element.

Begin with `opening` and `saving`; `headers` says what is in a file: the format of its elements, and where they lie.
A new file takes the place of an old one at once or not at all; see `replacing`. `parts` copies what does not fit in
memory.
"""
