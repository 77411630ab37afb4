"""Pages with pictures, as Chromium shows them: what is lit by the mouse and the keyboard, colours, widths, requests."""

import io
import json
from array import array
from importlib import import_module
from itertools import pairwise

import pytest

import mdview as md
from mdview.drawing import to_html

pytestmark = pytest.mark.deep

DESKTOP, PHONE = (1200, 900), (390, 844)

PAGES = {
    "right": lambda: (md.Mapping((3, 4)),),
    "tiled": lambda: (md.MDView(array("i", range(48)), (6, 8), md.LayoutTiled(2, 4)),),
    "padded": lambda: (md.Mapping((4, 6), md.LayoutRightPadded(8)),),
    "halo": lambda: (md.pad(md.Mapping((3, 4)), 1),),
    "packed": lambda: (md.Mapping((4, 4), md.LayoutBlasPacked("upper", "row")),),
    "broadcast": lambda: (md.broadcast_to(md.Mapping((4,)), (3, 4)),),
    "morton": lambda: (md.Mapping((4, 4), md.LayoutMorton()),),
    "flipped": lambda: (md.Mapping((3, 4)), md.flip(md.Mapping((3, 4)), (0,))),
    "rank 1": lambda: (md.Mapping((7,)),),
    "rank 3": lambda: (md.Mapping((2, 3, 4)),),
    "scalar": lambda: (md.Mapping(()),),
    "empty": lambda: (md.Mapping((0, 4)),),
    "million": lambda: (md.Mapping((1000, 1000), md.LayoutTiled(8, 8)),),
}


class Page:
    """A page in the browser."""

    def __init__(self, browser, path):
        self.browser, self.path, self.webdriver = browser, path, import_module("selenium.webdriver")

    def show(self, html, size=DESKTOP, scheme="light"):
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": scheme}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.path.write_text(html, encoding="utf-8")
        self.browser.get(self.path.as_uri())

    def run(self, script, *given):
        return self.browser.execute_script(script, *given)

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def cell(self, *index):
        return self.find(f'g.cell[data-index="{",".join(map(str, index))}"]')

    def slot(self, offset):
        return self.find(f'g.slot[data-offset="{offset}"]')

    def hover(self, element):
        self.run("arguments[0].scrollIntoView({ block: 'center', inline: 'center' })", element)
        self.webdriver.ActionChains(self.browser, duration=0).move_to_element(element).perform()

    def press(self, *keys):
        codes = [getattr(self.webdriver.Keys, key, key) for key in keys]
        self.webdriver.ActionChains(self.browser, duration=0).send_keys(*codes).perform()

    @property
    def lit(self):
        """What is lit: indices as texts, offsets as ints."""
        found = self.run(
            "const told = (n) => [n.dataset.index ?? null, n.dataset.offset ?? null];"
            "return [...document.querySelectorAll('.lit')].map(told)"
        )
        return {index if index is not None else int(offset) for index, offset in found}

    @property
    def focus(self):
        return self.run("const n = document.activeElement; return n.dataset.index ?? n.dataset.offset ?? n.className")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def trouble(self):
        """What the console said, and what was loaded besides the page itself."""
        said = [entry["message"] for entry in self.browser.get_log("browser")]
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [*said, *[url for url in asked if url != self.path.as_uri() and not url.startswith("data:")]]


@pytest.fixture
def page(chromium, tmp_path):
    page = Page(chromium, tmp_path / "page.html")
    page.trouble()
    yield page
    assert page.trouble() == []


def png(page):
    return import_module("PIL.Image").open(io.BytesIO(page.browser.get_screenshot_as_png())).convert("RGB")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_seen(page, name, size, scheme):
    page.show(to_html(*PAGES[name]()), size, scheme)
    image = png(page)
    assert image.size == size
    shades = image.convert("L").histogram()
    dark, bright = sum(shades[:64]), sum(shades[192:])
    assert (dark > bright) == (scheme == "dark")
    assert min(dark, bright) > 500  # text and lines
    assert page.run("return document.documentElement.scrollWidth") <= size[0]


LIT = [
    # the page, what the mouse is on, what is lit, and a part of what is said
    ("tiled", (2, 5), {"2,5", 25}, "index (2, 5), offset 25 · byte 100 · cache line 1 · tile (1, 1)"),
    ("tiled", 7, {7, "1,3"}, ""),
    ("packed", 1, {1, "0,1", "1,0"}, "offset 1, indices (0, 1), (1, 0)"),
    ("packed", (0, 1), {1, "0,1", "1,0"}, "also ind"),
    ("broadcast", 2, {2, "0,2", "1,2", "2,2"}, "offset 2, indices (0, 2), (1, 2)"),
    ("halo", (0, 0), {"0,0"}, "index (0, 0), padding"),
    ("halo", (1, 1), {"1,1", 0}, ""),
]


@pytest.mark.parametrize(("name", "at", "lit", "said"), LIT)
def test_the_mouse_lights_an_index_and_its_place(page, name, at, lit, said):
    page.show(to_html(*PAGES[name]()))
    page.hover(page.cell(*at) if isinstance(at, tuple) else page.slot(at))
    assert page.lit == lit
    assert said in page.text(".mdview-status")
    assert page.text(".mdview-live") == ""
    page.hover(page.find("h1"))
    assert page.lit == set()


def test_what_is_lit_looks_different(page):
    page.show(to_html(*PAGES["right"]()))
    look = "const s = getComputedStyle(arguments[0].querySelector('rect')); return [s.stroke, s.strokeWidth]"
    before = page.run(look, page.slot(6))
    page.hover(page.cell(1, 2))
    assert page.run(look, page.slot(6)) != before
    page.hover(page.cell(0, 0))
    assert page.run(look, page.slot(6)) == before


MOVES = [
    # the page, the cell that has the focus, keys, what has it then, what is lit, and what is read out
    ("tiled", (0, 0), ["ARROW_RIGHT", "ARROW_RIGHT", "ARROW_DOWN"], "1,2", {"1,2", 6}, "lit: offset 6"),
    ("tiled", (1, 2), ["ARROW_LEFT", "ARROW_UP", "ARROW_UP"], "0,1", {"0,1", 1}, "lit: offset 1"),
    ("tiled", (0, 1), ["TAB", "ARROW_RIGHT", "ARROW_RIGHT", "ARROW_LEFT"], "1", {"0,1", 1}, "lit: index (0, 1)"),
    ("rank 3", (0, 1, 1), ["PAGE_DOWN", "ARROW_DOWN", "ARROW_RIGHT"], "1,2,2", {"1,2,2", 22}, "lit: offset 22"),
    ("rank 1", (0,), ["ARROW_RIGHT", "ARROW_DOWN"], "1", {"1", 1}, "lit: offset 1"),
]


@pytest.mark.parametrize("case", MOVES, ids=lambda case: f"{case[0]} {case[1]}")
def test_arrows_move_by_index_and_along_memory(page, case):
    name, start, keys, focus, lit, said = case
    page.show(to_html(*PAGES[name]()))
    page.run("arguments[0].focus()", page.cell(*start))
    page.press(*keys)
    assert (page.focus, page.lit, page.text(".mdview-live")) == (focus, lit, said)
    assert page.find(":focus").get_attribute("aria-label").startswith(("index", "offset"))


def test_tab_enters_the_grid_once_and_memory_once_where_they_were_left(page):
    page.show(to_html(*PAGES["right"]()))
    page.run("document.querySelector('.mdview-theme').focus()")
    page.press("TAB")
    assert page.focus == "0,0"
    page.press("ARROW_RIGHT", "TAB")
    assert page.focus == "0"
    assert page.find('g.cell[tabindex="0"]').get_attribute("data-index") == "0,1"
    page.press("TAB")
    assert page.run("return [document.body, document.documentElement].includes(document.activeElement)")
    assert page.run("return document.querySelectorAll('[tabindex=\"0\"]').length") == 2


@pytest.mark.parametrize("key", ["ENTER", " "])
def test_a_pin_stays_until_it_is_cleared(page, key):
    page.show(to_html(*PAGES["right"]()))
    page.run("arguments[0].focus()", page.cell(1, 1))
    page.press(key)
    assert page.find(".pinned").get_attribute("aria-pressed") == "true"
    page.press("ARROW_RIGHT")
    assert page.lit == {"1,1", 5, "1,2", 6}
    page.hover(page.find("h1"))
    page.press("ESCAPE")
    assert page.lit == set()
    assert page.run("return document.querySelectorAll('[aria-pressed=true], .pinned').length") == 0


def test_a_click_pins_and_a_second_one_clears(page):
    page.show(to_html(*PAGES["right"]()), PHONE)
    page.cell(0, 2).click()
    page.hover(page.find("h1"))
    assert page.lit == {"0,2", 2}
    page.cell(0, 2).click()
    assert page.lit == set()


def test_two_figures_on_a_page_answer_apart_and_one_that_comes_later_does_too(page):
    first = to_html(md.Mapping((2, 2)), page=False)
    page.show(f"<!DOCTYPE html>{first}{to_html(md.Mapping((2, 2)), page=False)}<div id='later'></div>")
    page.hover(page.cell(0, 1))
    assert page.lit == {"0,1", 1}
    assert page.run("return document.querySelectorAll('.lit').length") == 2
    later = "const d = document.querySelector('#later'); d.innerHTML = arguments[0]; mdview.link(d); mdview.link()"
    page.run(later, to_html(md.Mapping((5,)), page=False))
    page.hover(page.find('#later g.cell[data-index="4"]'))
    assert page.lit == {"4"} | {4}


def test_before_and_after_light_each_other(page):
    page.show(to_html(*PAGES["flipped"]()))
    page.hover(page.cell(0, 1))
    assert page.lit >= {"0,1", "2,1"}
    assert len({*page.run("return [...document.querySelectorAll('.lit')].map((n) => n.dataset.offset)")}) == 1


def test_the_button_turns_light_into_dark_and_back(page):
    page.show(to_html(*PAGES["tiled"]()))
    grounds = [png(page).convert("L").getpixel((2, 400))]
    for _ in range(2):
        page.find(".mdview-theme").click()
        grounds.append(png(page).convert("L").getpixel((2, 400)))
    assert all(abs(a - b) > 150 for a, b in pairwise(grounds))
    page.show(to_html(*PAGES["tiled"]()), scheme="dark")
    page.find(".mdview-theme").click()
    image = png(page).convert("L").histogram()
    assert sum(image[192:]) > sum(image[:64])


JUPYTER = """<!DOCTYPE html><body data-jp-theme-light="{is_light}" style="background: {ground}; color: {ink}">
<div class="jp-RenderedHTMLCommon">{cards}</div>"""


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_cards_are_legible_in_the_light_and_the_dark_jupyter(page, theme, system):
    """Whatever the system says: in a notebook its own theme decides."""
    given = [
        md.MDView(bytearray(64), (8, 8), md.LayoutTiled(4, 4)),
        md.Mapping((3, 4), md.LayoutRightPadded(8)),
    ]
    cards = "".join([one._repr_html_() for one in given])
    ground, ink = ("#ffffff", "#111111") if theme == "light" else ("#111111", "#eeeeee")
    is_light = str(theme == "light").lower()
    page.show(JUPYTER.format(is_light=is_light, ground=ground, ink=ink, cards=cards), scheme=system)
    shades = png(page).convert("L").histogram()
    assert (sum(shades[:96]) > sum(shades[160:])) == (theme == "dark")
    assert min(sum(shades[:96]), sum(shades[160:])) > 500
    assert page.run("return document.documentElement.scrollWidth") <= DESKTOP[0]


def test_nothing_runs_that_is_not_the_script_of_the_page(page):
    page.show(to_html(*PAGES["right"](), title="</title><script>document.title = 'run'</script>"))
    assert page.browser.title == "</title><script>document.title = 'run'</script>"
    forbidden = "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)"
    page.run(forbidden)
    assert page.run("return window.ran ?? null") is None
    assert "Content Security Policy" in page.trouble()[0]


def test_a_million_elements_are_a_small_page(page):
    html = to_html(*PAGES["million"]())
    assert len(html) < 300_000
    page.show(html)
    page.hover(page.cell(0, 1))
    assert "0,1" in page.lit
