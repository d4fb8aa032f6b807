// Labelled examples: read from a file, and sent through the check two at a time.
import { names, post, WireError } from "../wire.js";

const AT_ONCE = 2;
const FACT_CHARACTERS = 10000;

/** Return the text of a file, of one packed by gzip too. */
export async function textOf(file) {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (head[0] !== 0x1f || head[1] !== 0x8b) return file.text();
  try {
    return await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  } catch {
    throw new WireError({ status: "INVALID_ARGUMENT", message: "The file begins as gzip does but cannot be unpacked." });
  }
}

/** Return the examples of JSON lines: {line, premise: [text], claim, label, contradiction}; the first wrong line is refused. */
export function examplesOf(content) {
  const rows = [];
  content.split(/\r?\n/).forEach((line, index) => {
    if (!line.trim()) return;
    const refuse = (what) => { throw new WireError({ status: "INVALID_ARGUMENT", message: `Line ${index + 1}: ${what}` }); };
    let row;
    try { row = JSON.parse(line); } catch (error) { return refuse(`no JSON (${error.message})`); }
    if (typeof row !== "object" || row === null || Array.isArray(row)) return refuse("must be an object with premise, claim and label");
    const premise = [row.premise].flat();
    if (!premise.length || premise.some((one) => typeof one !== "string" || !one.trim())) refuse("premise must be a text or a list of texts");
    if (typeof row.claim !== "string" || !row.claim.trim()) refuse("claim must be a text");
    if (![0, 1, true, false].includes(row.label)) refuse(`label is ${JSON.stringify(row.label)}; it must be 1 or 0`);
    if (![true, false, null, undefined].includes(row.contradiction)) refuse(`contradiction is ${JSON.stringify(row.contradiction)}; it must be true, false or null`);
    if (row.contradiction && row.label) refuse("contradiction is true and label is 1; a claim is not both");
    rows.push({
      line: index + 1, id: row.id, premise, claim: row.claim, label: Boolean(row.label), contradiction: row.contradiction ?? null,
    });
    return undefined;
  });
  if (!rows.length) throw new WireError({ status: "INVALID_ARGUMENT", message: "The file has no examples." });
  return rows;
}

/** Check every example; hand over rows as they come, in the order of the examples. */
export async function evaluate(examples, { signal, onRows }) {
  await inTurn(examples, (example) => scored(example, signal), onRows);
}

/** Run `one` for every item, two at a time; hand over the results as they come, in the order of the items. */
export async function inTurn(items, one, onDone) {
  const done = new Map();
  let next = 0;
  let told = 0;
  let failed = false;
  const run = async () => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try { done.set(index, await one(items[index])); } catch (error) { failed = true; throw error; }
      const ready = [];
      while (done.has(told)) { ready.push(done.get(told)); done.delete(told); told += 1; }
      if (ready.length) onDone(ready);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

async function scored(example, signal) {
  try {
    const response = await post(`v1/${names.grounding()}:check`, {
      answerCandidate: example.claim, facts: example.premise.flatMap(split).map((factText) => ({ factText })),
    }, { signal });
    return { ...example, score: response.supportScore ?? 0 };
  } catch (error) {
    // One example that the check refuses is counted and left out; a server that is gone ends the run.
    if (error.name === "AbortError" || error.status !== "INVALID_ARGUMENT") throw error;
    return { ...example, score: 0, error: error.message };
  }
}

function split(text) {
  const parts = [];
  for (let rest = text; rest; ) {
    const cut = rest.length > FACT_CHARACTERS ? Math.max(rest.lastIndexOf("\n", FACT_CHARACTERS), FACT_CHARACTERS / 2) : rest.length;
    if (rest.slice(0, cut).trim()) parts.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return parts;
}
