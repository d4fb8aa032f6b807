// A calibration of labelled examples: scored one by one without any calibration, then fitted, as `toulmin calibrate` does.
import { post, WireError } from "../wire.js";
import { inTurn } from "./quality_work.js";

const LEAST = 50;
const LEAST_OF_A_LABEL = 10;

/** Return why the examples are too few to fit; empty: they are enough. */
export function tooFew(examples) {
  if (examples.length < LEAST) return { examples: examples.length };
  for (const label of [true, false]) {
    const count = examples.filter((one) => one.label === label).length;
    if (count < LEAST_OF_A_LABEL) return { label, count };
  }
  return null;
}

/** Score every example, then fit; tell how many are scored. Return what the server says of the fit. */
export async function calibrate(examples, { signal, onScored }) {
  const rows = [];
  let models;
  const one = async (example) => {
    const scored = await scoredPlainly(example, signal);
    models ??= scored.models;
    return { label: Number(example.label), contradiction: example.contradiction, supports: scored.supports, contradictions: scored.contradictions };
  };
  await inTurn(examples, one, (done) => { rows.push(...done); onScored(rows.length); });
  return post("v1/toulmin/calibrations:fit", { models, examples: rows }, { signal });
}

async function scoredPlainly({ line, premise, claim, label, contradiction }, signal) {
  try {
    return await post("v1/toulmin/calibrations:score", { premise, claim, label: Number(label), contradiction }, { signal });
  } catch (error) {
    // A fit of the rest would not be that of the file: the line is named, and nothing is fitted.
    if (error.status === "INVALID_ARGUMENT") throw new WireError({ status: error.status, message: `Line ${line}: ${error.message}` });
    throw error;
  }
}
