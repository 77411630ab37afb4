"""Drawing: pictures of views as pure functions from extents and elements to text."""
