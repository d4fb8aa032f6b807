// The work behind Check: long texts in parts, saved reports, facts laid beside one another.
import { lastPart, names, post, WireError } from "../wire.js";
import { t } from "../text.js";
import { indexOfByte } from "../bytes.js";
import { documentOf } from "../parts/document.js";
import { correctionOf, joined, reportOf, SPEC } from "../parts/report.js";

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

const FACT_CHARACTERS = 10000;

/**
 * Return the facts as a request may hold them, [{text, number}]: one that is too long becomes several
 * of its number, cut between paragraphs where possible.
 */
export function piecesOf(facts) {
  return facts.flatMap(({ text, number }) => {
    const pieces = [];
    let rest = text;
    while (rest.length > FACT_CHARACTERS) {
      const cut = rest.lastIndexOf("\n", FACT_CHARACTERS);
      const at = cut > FACT_CHARACTERS / 4 ? cut : FACT_CHARACTERS;
      pieces.push({ text: rest.slice(0, at), number });
      rest = rest.slice(at).trimStart();
    }
    return [...pieces, { text: rest, number }];
  });
}

function sent(pieces) { return pieces.map((piece) => ({ factText: piece.text })); }

/**
 * Check a text part by part against {facts: pieces} or {groundingSource}; tell the share that is done.
 *
 * With `corrected`, a threshold, claims below it have their correction: a request of its own, as
 * thresholds of the report move without one and what is corrected depends on them. With `compared`,
 * the report has the conflicts between the facts.
 */
export async function check(text, { facts, ...source }, { signal, onProgress, corrected = null, compared = false }) {
  const parts = partsOf(text);
  const against = facts ? { facts: sent(facts) } : source;
  const reports = [];
  for (const [index, part] of parts.entries()) {
    onProgress(index / parts.length, parts.length);
    const response = await post(`v1/${names.grounding()}:check`, {
      answerCandidate: part.text, ...against, groundingSpec: { ...SPEC, enableFactConflicts: compared },
    }, { signal });
    const report = reportOf(part.text, response, { offset: part.start });
    if (corrected !== null) {
      const { claims = [] } = await post(`v1/${names.grounding()}:check`, {
        answerCandidate: part.text, ...against,
        groundingSpec: { citationThreshold: corrected, enableCorrections: true },
      }, { signal });
      const at = indexOfByte(part.text);
      report.claims.forEach((claim, place) => { claim.correction = correctionOf(claims[place] ?? {}, at, part.start); });
    }
    reports.push(report);
  }
  return joined(text, reports);
}

// A request must have a text; this one states nothing, so that no sentence of it is checked.
const STATES_NOTHING = "Here is what I found.";

/** Return a report without claims that has the conflicts between facts, as `piecesOf` returns them. */
export async function compare(facts, { signal }) {
  const response = await post(`v1/${names.grounding()}:check`, {
    answerCandidate: STATES_NOTHING, facts: sent(facts), groundingSpec: { enableFactConflicts: true },
  }, { signal });
  return reportOf("", { factConflicts: response.factConflicts });
}

/** Return the text of a file that `opened` reads. */
export function saved({ report, facts, compared }) {
  const claims = report.claims.map((claim) => ({
    claimText: claim.text, groundingCheckRequired: claim.checked, score: claim.score,
    contradictionScore: claim.contradiction, citationIndices: claim.citations, antiCitationIndices: claim.anti,
    factConflictIndices: claim.conflicts,
  }));
  const citedChunks = report.chunks.map((chunk) => ({ chunkText: chunk.text, source: chunk.source, title: chunk.title, uri: chunk.uri }));
  const found = compared ? { factConflicts: report.conflicts } : {};
  return JSON.stringify({ claims, citedChunks, ...found, facts: (facts ?? []).map(({ text, number }) => ({ factText: text, number })) }, null, 1);
}

/** Return {report, facts, compared} of a saved CheckGroundingResponse, with or without the text it is about. */
export function opened(content) {
  let found;
  try {
    found = JSON.parse(content);
  } catch (error) {
    throw new WireError({ status: "INVALID_ARGUMENT", message: `This file is no JSON: ${error.message}` });
  }
  if (!Array.isArray(found?.claims) || found.claims.some((one) => typeof (one?.claimText ?? null) !== "string")) {
    throw new WireError({ status: "INVALID_ARGUMENT", message: "This file has no claims with their texts; it must be the answer of a check." });
  }
  const facts = (found.facts ?? []).map((one, index) => ({ text: one.factText ?? "", number: one.number ?? index + 1 }));
  const compared = Array.isArray(found.factConflicts);
  if (found.answerCandidate) return { report: reportOf(found.answerCandidate, found), facts, compared };
  const report = reportOf("", { ...found, claims: [] });
  let text = "";
  for (const claim of found.claims) {
    const start = text.length ? text.length + 1 : 0;
    text += `${text ? " " : ""}${claim.claimText ?? ""}`;
    const [made] = reportOf(claim.claimText ?? "", { claims: [{ ...claim, startPos: 0, endPos: undefined, spans: [] }] }).claims;
    report.claims.push({ ...made, start, end: text.length, text: claim.claimText ?? "" });
  }
  return { report: { ...report, text }, facts, compared };
}

/** A source by the number that its fact has on the page (one sent in pieces has one), else by its document's title. */
export function titleOf(source, { report, facts }) {
  if (/^\d+$/.test(source)) return t.check.fact(facts?.[Number(source)]?.number ?? Number(source) + 1);
  const title = report.chunks.find((chunk) => chunk.source === source)?.title;
  return title || (source.includes("/chunks/") ? lastPart(documentOf(source)) : source);
}
