/* Links indices with their places in memory, for the mouse, the keyboard and screen readers.
 *
 * `mdview.link(root)` does it for each `.mdview-figure` in `root` that is not linked yet; for the document, this script
 * does. A figure says what its SVG does not: `data-itemsize` and `data-line`, the bytes of an element and of a cache
 * line; `data-tile`, the sizes of a tile.
 */
(() => {
  "use strict";

  /* The dimension in which a key moves, counted from the last one, and the direction. */
  const STEPS = {
    ArrowRight: [1, 1],
    ArrowLeft: [1, -1],
    ArrowDown: [2, 1],
    ArrowUp: [2, -1],
    PageDown: [3, 1],
    PageUp: [3, -1],
  };
  const numbers = (text) => (text ? text.split(",").map(Number) : []);
  const tuple = (entries) => (entries.length === 1 ? String(entries[0]) : `(${entries.join(", ")})`);
  const MOST_NAMED = 8;

  /* What a picture shows: an index in a grid, or a place in memory. */
  function itemOf(node) {
    const isCell = node.classList.contains("cell");
    const index = isCell ? numbers(node.dataset.index) : null;
    return { node, isCell, index, offset: node.dataset.offset ?? null };
  }

  /* Tab enters each group once: a grid of indices, a strip of memory. The same index again begins another grid. */
  function grouped(items) {
    const groups = { true: [], false: [] };
    for (const item of items) {
      const known = groups[item.isCell];
      const name = String(item.isCell ? item.index : item.offset);
      if (!known.length || known.at(-1).names.has(name)) known.push({ items: [], names: new Set() });
      item.group = known.at(-1);
      item.group.items.push(item);
      item.group.names.add(name);
    }
    return [...groups.true, ...groups.false];
  }

  /* The nearest item of the same group in the direction of a key; none at an edge. */
  function neighbour(item, key) {
    const [axis, sign] = STEPS[key];
    const entries = (other) => other.index ?? [Number(other.offset)];
    const at = item.isCell ? item.index.length - axis : 0;
    const steps = (other) => sign * (entries(other)[at] - entries(item)[at]);
    const isInLine = (other) => entries(other).every((entry, k) => k === at || entry === entries(item)[k]);
    return item.group.items.filter((o) => steps(o) > 0 && isInLine(o)).sort((a, b) => steps(a) - steps(b))[0];
  }

  function link(figure) {
    const status = figure.querySelector(".mdview-status");
    const live = figure.querySelector(".mdview-live");
    const idle = status.textContent;
    const items = [...figure.querySelectorAll("g.cell[data-index], g.slot[data-offset]")].map(itemOf);
    const byNode = new Map(items.map((item) => [item.node, item]));
    const byOffset = new Map();
    for (const item of items) {
      if (!byOffset.has(item.offset)) byOffset.set(item.offset, []);
      byOffset.get(item.offset).push(item);
    }
    const marked = new Set();
    let pinned = null;
    let focused = null;
    let current = null; // what the mouse is on, else what has the focus

    const itemAt = ({ target }) => byNode.get(target.closest("g.cell, g.slot")) ?? null;
    const partners = (item) => (item.offset === null ? [item] : byOffset.get(item.offset));
    const indices = (item) => [
      ...new Set(partners(item).filter((other) => other.isCell && other !== item).map((other) => tuple(other.index))),
    ];

    function named(found) {
      const more = found.length > MOST_NAMED ? `, ${found.length - MOST_NAMED} more` : "";
      return `${found.length === 1 ? "index" : "indices"} ${found.slice(0, MOST_NAMED).join(", ")}${more}`;
    }

    function label(item) {
      const { isCell, index, offset, node } = item;
      if (isCell) return `index ${tuple(index)}, ${offset === null ? "padding" : `offset ${offset}`}`;
      const kind = ["outside", "hole"].find((name) => node.classList.contains(name));
      return `offset ${offset}, ${kind ?? named(indices(item))}`;
    }

    function facts(item) {
      const { itemsize, line, tile } = figure.dataset;
      const found = [label(item)];
      const also = item.isCell ? indices(item).filter((other) => other !== tuple(item.index)) : [];
      if (also.length) found.push(`also ${named(also)}`);
      if (item.offset !== null && itemsize) {
        const byte = item.offset * itemsize;
        found.push(`byte ${byte}`, `cache line ${Math.floor(byte / line)}`);
      }
      if (item.isCell && tile) {
        const sizes = numbers(tile);
        found.push(`tile ${tuple(item.index.map((entry, k) => Math.floor(entry / sizes[k])))}`);
      }
      return found.join(" · ");
    }

    function lit(item) {
      const others = partners(item).filter((other) => other !== item);
      const cells = indices(item);
      const places = item.isCell && others.some((other) => !other.isCell) ? [`offset ${item.offset}`] : [];
      return `lit: ${[...places, ...(cells.length ? [named(cells)] : [])].join(" and ") || "nothing else"}`;
    }

    function render(isSpoken) {
      for (const item of marked) item.node.classList.remove("lit", "pinned");
      marked.clear();
      for (const chosen of [current, pinned].filter(Boolean)) {
        for (const item of partners(chosen)) marked.add(item);
      }
      for (const item of marked) item.node.classList.add("lit");
      pinned?.node.classList.add("pinned");
      const chosen = current ?? pinned;
      status.textContent = chosen ? facts(chosen) : idle;
      if (isSpoken) live.textContent = chosen ? lit(chosen) : "";
    }

    function pin(item) {
      pinned?.node.setAttribute("aria-pressed", "false");
      pinned = item === pinned ? null : item;
      pinned?.node.setAttribute("aria-pressed", "true");
      render(true);
    }

    function press(event) {
      const item = itemAt(event);
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Escape") {
        current = null;
        pin(pinned);
      } else if (item && (event.key === "Enter" || event.key === " ")) {
        pin(item);
        event.preventDefault();
      } else if (item && event.key in STEPS) {
        neighbour(item, event.key)?.node.focus();
        event.preventDefault();
      }
    }

    function enter(item) {
      for (const other of item.group.items) other.node.setAttribute("tabindex", other === item ? "0" : "-1");
    }

    for (const svg of figure.querySelectorAll("svg")) svg.setAttribute("role", "group"); // an image hides what is in it
    for (const item of items) {
      item.node.setAttribute("role", "button");
      item.node.setAttribute("aria-pressed", "false");
      item.node.setAttribute("aria-label", label(item));
    }
    for (const group of grouped(items)) enter(group.items[0]);

    function choose(item, isSpoken) {
      if (item === current) return;
      current = item;
      render(isSpoken);
    }

    function focus(item) {
      focused = item;
      if (item) enter(item);
      choose(item, true);
    }

    figure.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") choose(itemAt(event) ?? focused);
    });
    figure.addEventListener("pointerleave", () => choose(focused));
    figure.addEventListener("focusin", (event) => focus(itemAt(event)));
    figure.addEventListener("focusout", () => focus(null));
    figure.addEventListener("click", (event) => {
      const item = itemAt(event);
      if (item) pin(item);
      if (item && !pinned) item.node.blur();
    });
    figure.addEventListener("keydown", press);
    figure.dataset.linked = "";
  }

  function linkAll(root = document) {
    root.querySelectorAll(".mdview-figure:not([data-linked])").forEach(link);
  }

  window.mdview = { link: linkAll };
  linkAll();
})();
