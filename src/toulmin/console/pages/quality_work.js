// Labelled examples: read from a file, and sent through the check two at a time.
import { names, post, WireError } from "../wire.js";

const AT_ONCE = 2;
const FACT_CHARACTERS = 10000;

/** Return the examples of JSON lines: {premise: [text], claim, label}; the first wrong line is refused. */
export function examplesOf(content) {
  const rows = [];
  content.split(/\r?\n/).forEach((line, index) => {
    if (!line.trim()) return;
    const refuse = (what) => { throw new WireError({ status: "INVALID_ARGUMENT", message: `Line ${index + 1}: ${what}` }); };
    let row;
    try { row = JSON.parse(line); } catch (error) { return refuse(`no JSON (${error.message})`); }
    const premise = [row.premise].flat();
    if (!premise.length || premise.some((one) => typeof one !== "string" || !one.trim())) refuse("premise must be a text or a list of texts");
    if (typeof row.claim !== "string" || !row.claim.trim()) refuse("claim must be a text");
    if (![0, 1, true, false].includes(row.label)) refuse(`label is ${JSON.stringify(row.label)}; it must be 1 or 0`);
    rows.push({ id: row.id, premise, claim: row.claim, label: Boolean(row.label) });
    return undefined;
  });
  if (!rows.length) throw new WireError({ status: "INVALID_ARGUMENT", message: "The file has no examples." });
  return rows;
}

/** Check every example; hand over rows as they come, in the order of the examples. */
export async function evaluate(examples, { signal, onRows }) {
  const done = new Map();
  let next = 0;
  let told = 0;
  const one = async () => {
    while (next < examples.length) {
      const index = next;
      next += 1;
      done.set(index, await scored(examples[index], signal));
      const ready = [];
      while (done.has(told)) { ready.push(done.get(told)); done.delete(told); told += 1; }
      if (ready.length) onRows(ready);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
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
