# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.interop.files.file_opening import open_view as open_view
from mdview.interop.files.file_saving import relayout_file as relayout_file, save as save
