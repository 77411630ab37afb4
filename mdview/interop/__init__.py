"""Views of what other libraries hold, without copies: one module for each partner, loaded by its user only.

It may know views and everything below them; a view's own export to NumPy is `mdview.views.export`. Begin with `numpy`,
which takes anything that NumPy can make an array of without copying.
"""
