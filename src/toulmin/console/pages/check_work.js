// The work behind Check: long texts in parts, saved reports, facts against each other.
import { names, post, WireError } from "../wire.js";
import { joined, reportOf, SPEC } from "../parts/report.js";

// Well below the API's 4,096 tokens and 600 sentences, in any script.
const PART = 9000;
const PART_UNSPACED = 2400;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Cut a text between paragraphs, else between sentences, into parts that one request may hold. */
export function partsOf(text) {
  const most = UNSPACED.test(text) ? PART_UNSPACED : PART;
  const parts = [];
  let from = 0;
  while (text.length - from > most) {
    const window = text.slice(from, from + most);
    const cut = Math.max(window.lastIndexOf("\n"), lastSentence(window));
    const length = cut > most / 4 ? cut + 1 : most;
    parts.push({ start: from, text: window.slice(0, length) });
    from += length;
  }
  parts.push({ start: from, text: text.slice(from) });
  return parts.filter((part) => part.text.trim());
}

function lastSentence(window) {
  let last = -1;
  for (const match of window.matchAll(/[.!?]\s|[。！？]/gu)) last = match.index;
  return last;
}

/** Check a text part by part; tell the share that is done. */
export async function check(text, source, { signal, onProgress }) {
  const parts = partsOf(text);
  const reports = [];
  for (const [index, part] of parts.entries()) {
    onProgress(index / parts.length, parts.length);
    const response = await post(`v1/${names.grounding()}:check`, {
      answerCandidate: part.text, ...source, groundingSpec: SPEC,
    }, { signal });
    reports.push(reportOf(part.text, response, { offset: part.start }));
  }
  return joined(text, reports);
}

/** Return the report of a saved CheckGroundingResponse, with or without the text it is about. */
export function opened(content) {
  let saved;
  try {
    saved = JSON.parse(content);
  } catch (error) {
    throw new WireError({ status: "INVALID_ARGUMENT", message: `This file is no JSON: ${error.message}` });
  }
  if (!Array.isArray(saved.claims)) {
    throw new WireError({ status: "INVALID_ARGUMENT", message: "This file has no claims; it must be the answer of a check." });
  }
  if (saved.answerCandidate) return { report: reportOf(saved.answerCandidate, saved), facts: saved.facts ?? [] };
  const report = reportOf("", { ...saved, claims: [] });
  let text = "";
  for (const claim of saved.claims) {
    const start = text.length ? text.length + 1 : 0;
    text += `${text ? " " : ""}${claim.claimText ?? ""}`;
    const [made] = reportOf(claim.claimText ?? "", { claims: [{ ...claim, startPos: 0, endPos: undefined, spans: [] }] }).claims;
    report.claims.push({ ...made, start, end: text.length, text: claim.claimText ?? "" });
  }
  return { report: { ...report, text }, facts: [] };
}

/** Check every fact against the others; return what contradicts what, worst first. */
export async function conflicts(facts, { signal, onProgress, threshold }) {
  const found = [];
  for (const [index, fact] of facts.entries()) {
    onProgress(index / facts.length);
    const others = facts.map((text, at) => ({ text, at })).filter((other) => other.at !== index);
    for (const part of partsOf(fact)) {
      const report = reportOf(part.text, await post(`v1/${names.grounding()}:check`, {
        answerCandidate: part.text,
        facts: others.map((other) => ({ factText: other.text })),
        groundingSpec: SPEC,
      }, { signal }));
      for (const claim of report.claims) {
        if (!claim.checked || claim.contradiction < threshold || !claim.anti.length) continue;
        const chunk = report.chunks[claim.anti[0]];
        found.push({ fact: index, sentence: claim.text, other: others[Number(chunk.source)].at, passage: chunk.text, contradiction: claim.contradiction });
      }
    }
  }
  return found.sort((a, b) => b.contradiction - a.contradiction);
}
