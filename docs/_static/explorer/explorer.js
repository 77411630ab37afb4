// The explorer page: an expression in the field and in the address, its answer below. Answers are those that the docs were
// built with, or come from mdview itself, which runs in a worker. `index.js` calls `start`, each script that is loaded
// later calls `keep` (an answer) or `python` (what the worker needs).
const mdviewExplorer = (() => {
  "use strict";
  let patience = 8000; // milliseconds that an answer may take
  const PAUSE = 150; // milliseconds without a key before what is typed is asked
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  const find = (selector) => document.querySelector(`.explorer ${selector}`);
  const field = find("input");
  const first = field.value;
  const answers = new Map();
  let known = { python: false, answers: {} };
  let bringing = null; // the promise of Python
  let resolveParts = null;
  let wanted = null; // what is asked next
  let isBusy = false;
  let isEditing = false;
  let pause = null;

  // Addresses.

  const quoted = (text) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

  // The expression in the address; none where there is a place of the page.
  function addressed() {
    const text = location.hash.slice(1);
    if (document.getElementById(text)) return null;
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // a lone % stands for itself
    }
  }

  const link = () => `${location.href.split("#")[0]}#${quoted(field.value.trim())}`;

  // What is seen.

  const say = (text) => {
    find(".explorer-state").textContent = text;
  };

  function filled(name, children) {
    find(`.explorer-${name}`).replaceChildren(...children);
  }

  function element(name, text) {
    return Object.assign(document.createElement(name), { textContent: text });
  }

  // A message, and below it the line with a caret, if it has one.
  function fail(text) {
    const [message, ...lines] = text.split("\n");
    const error = find(".explorer-error");
    error.hidden = false;
    error.replaceChildren(element("p", message), ...(lines.length ? [element("pre", lines.join("\n"))] : []));
    find(".explorer-answer").classList.add("explorer-stale");
    field.setAttribute("aria-invalid", "true");
  }

  function calm() {
    find(".explorer-error").hidden = true;
    find(".explorer-answer").classList.remove("explorer-stale");
    field.removeAttribute("aria-invalid");
  }

  function show(answer) {
    if (answer.error !== undefined) {
      fail(answer.error);
      return;
    }
    calm();
    const figure = find(".explorer-figure");
    figure.innerHTML = answer.figure;
    window.mdview?.link(figure);
    filled("explained", answer.explained.map((sentence) => element("li", sentence)));
    const rows = answer.facts.map(([name, text]) => {
      const row = document.createElement("tr");
      row.append(Object.assign(element("th", name), { scope: "row" }), element("td", text));
      return row;
    });
    filled("facts tbody", rows);
    for (const name of ["written", "python", "cpp", "c"]) find(`.explorer-${name}`).textContent = answer[name];
    find(".explorer-answer").hidden = false;
  }

  // Answers.

  function load(name) {
    return new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src: here + name });
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${name} cannot be loaded`));
      document.head.append(script);
    });
  }

  // A worker, and the one question that it is asked at a time.
  class Python {
    constructor(parts) {
      this.parts = parts;
      this.last = Promise.resolve();
    }

    start() {
      const url = URL.createObjectURL(new Blob([this.parts.worker], { type: "text/javascript" }));
      this.worker = new Worker(url);
      return this.asked(this.parts, 0);
    }

    asked(message, within) {
      return new Promise((resolve, reject) => {
        const timer = within && setTimeout(() => reject(new Error("late")), within);
        const ended = (end, value) => {
          clearTimeout(timer);
          end(value);
        };
        this.worker.onerror = (event) => ended(reject, new Error(event.message ?? "the worker cannot start"));
        this.worker.onmessage = ({ data }) => {
          if (data.stage) say(data.stage);
          else if (data.failure) ended(reject, new Error(data.failure));
          else ended(resolve, data.answer);
        };
        this.worker.postMessage(message);
      });
    }

    // The answer to one expression, after all that were asked before. A worker that is late or has failed is replaced.
    answer(expression) {
      const next = this.last.then(async () => {
        try {
          return await this.asked({ expression }, patience);
        } catch (error) {
          this.worker.terminate();
          this.restarted = this.start();
          const late = `it took more than ${patience / 1000} seconds and was stopped`;
          return { expression, error: `No answer: ${error.message === "late" ? late : error.message}.`, isKept: false };
        }
      });
      this.last = next.then(() => this.restarted);
      return next;
    }
  }

  function bring() {
    bringing ??= (async () => {
      say("Python is loading (9 MB).");
      const parts = new Promise((resolve) => {
        resolveParts = resolve;
      });
      await load("python.js");
      const python = new Python(await parts);
      say("Python is starting.");
      await python.start();
      say("Ready: Python and mdview run in this page.");
      return python;
    })();
    return bringing;
  }

  async function ask(expression) {
    const python = await bring();
    return python.answer(expression);
  }

  async function answered(expression) {
    if (answers.has(expression)) return answers.get(expression);
    const number = known.answers[expression];
    if (number !== undefined) {
      await load(`answer${number}.js`);
      return answers.get(expression);
    }
    if (!known.python) {
      return { expression, error: "These pages were built without Python: they answer the examples and links only." };
    }
    const answer = await ask(expression);
    if (answer.isKept !== false) answers.set(expression, answer);
    return answer;
  }

  // Answer the latest expression; what was typed meanwhile and then changed is never asked.
  async function look(expression) {
    wanted = expression;
    if (isBusy) return;
    isBusy = true;
    while (wanted !== null) {
      const now = wanted;
      wanted = null;
      try {
        const answer = await answered(now);
        if (wanted === null) show(answer);
      } catch (error) {
        fail(`No answer: ${error.message}.`);
      }
    }
    isBusy = false;
  }

  // Events.

  function typed() {
    const address = `#${quoted(field.value.trim())}`;
    if (isEditing) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    isEditing = true;
    clearTimeout(pause);
    pause = setTimeout(() => look(field.value.trim()), PAUSE);
  }

  function moved() {
    const text = addressed();
    if (text === null) return;
    isEditing = false;
    clearTimeout(pause);
    field.value = text || first;
    look(field.value.trim());
  }

  async function copied() {
    try {
      await navigator.clipboard.writeText(link());
      say("The link is copied.");
    } catch {
      say(link()); // no page but a secure one may write to the clipboard
    }
  }

  function start(told) {
    known = told;
    field.addEventListener("input", typed);
    field.addEventListener("blur", () => {
      isEditing = false;
    });
    find("form").addEventListener("submit", (event) => {
      event.preventDefault();
      isEditing = false;
      clearTimeout(pause);
      look(field.value.trim());
    });
    find(".explorer-copy").addEventListener("click", copied);
    window.addEventListener("popstate", moved);
    field.value = addressed() || first;
    look(field.value.trim());
    if (!known.python) {
      say("These pages were built without Python: they answer the examples and links only.");
      field.readOnly = true;
    } else {
      bring().catch((error) => say(`Python cannot run here: ${error.message}. The examples are there without it.`));
    }
  }

  return {
    start,
    ask,
    patience: (milliseconds) => {
      patience = milliseconds;
    },
    keep: (answer) => answers.set(answer.expression, answer),
    python: (parts) => resolveParts(parts),
  };
})();
