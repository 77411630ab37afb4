"""What a page or a card consists of."""

from html.parser import HTMLParser

EMPTY = {"meta", "br", "rect", "line", "path", "circle", "polygon", "polyline", "use", "img"}


class Read(HTMLParser):
    """Tags, attributes and texts; tags that are open must be closed in their order, those in `open` are not."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
