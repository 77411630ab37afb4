"""Views of what other libraries hold, without copies: `asview` takes whatever has memory to share.

It may know views and everything below them; a view's own export to others is `mdview.views.export`. Begin with
`asview`, which says how an object is asked for its memory. Partners are loaded by their users.
`mdview.interop.cpp`, a submodule of its own, takes views to functions of C++ and back. `mdview.interop.files` opens,
saves and converts files, `mdview.interop.writers` tells which parallel writers collide.
"""
