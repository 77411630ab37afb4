// Python beside the page: a worker that starts Pyodide from what the page hands to it, and answers one expression after
// the other. Nothing is loaded from anywhere.

// From a disk only a worker of the classic kind may start. Pyodide takes that for one that cannot import modules, and
// finds out by this function, which no worker of the other kind has.
self.importScripts = () => {
  throw new TypeError("this worker imports modules");
};

const BASE = "https://pyodide.invalid/";

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function started({ packed, lock }) {
  const names = Object.keys(packed);
  const opened = await Promise.all(names.map((name) => unpacked(packed[name])));
  const parts = Object.fromEntries(names.map((name, number) => [name, opened[number]]));
  const files = {
    [`${BASE}pyodide.asm.wasm`]: [parts.wasm, "application/wasm"],
    [`${BASE}python_stdlib.zip`]: [parts.stdlib, "application/zip"],
  };
  self.fetch = async (asked) => {
    const [content, type] = files[String(asked)] ?? [];
    return content ? new Response(content, { headers: { "Content-Type": type } }) : Response.error();
  };
  const imported = (name) => import(URL.createObjectURL(new Blob([parts[name]], { type: "text/javascript" })));
  const { loadPyodide } = await imported("pyodide");
  const { default: createPyodideModule } = await imported("asm");
  const pyodide = await loadPyodide({
    createPyodideModule,
    indexURL: BASE,
    packageBaseUrl: BASE,
    lockFileContents: lock,
  });
  postMessage({ stage: "Python has started and loads mdview." });
  pyodide.unpackArchive(new Uint8Array(parts.mdview), "zip", { extractDir: "/explorer" });
  return pyodide.runPython(`
import json, sys
sys.path.insert(0, "/explorer")
from explorer_answers import answer
answer("right (2, 3)")  # loads what each answer needs
lambda expression: json.dumps(answer(expression))
`);
}

let answer = null;

onmessage = async ({ data }) => {
  try {
    if (answer === null) {
      answer = await started(data);
      postMessage({ ready: true });
    } else {
      postMessage({ answer: JSON.parse(answer(data.expression)) });
    }
  } catch (error) {
    postMessage({ failure: String(error.message ?? error).trim().split("\n").pop() });
  }
};
