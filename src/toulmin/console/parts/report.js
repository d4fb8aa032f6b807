// A check's response as the pages read it: offsets in the string, marks by thresholds.
import { indexOfByte } from "../bytes.js";
import { tablesIn } from "./tables.js";

export const DEFAULTS = { citation: 0.6, anti: 0.8 };
// What is asked for, so that thresholds can move without a new request.
export const LOWEST = 0.1;

/** What a check is asked to report for these pages. */
export const SPEC = {
  citationThreshold: LOWEST,
  antiCitationThreshold: LOWEST,
  enableClaimLevelScore: true,
  enableAntiCitations: true,
  enableExplanations: true,
};

/** Return the report of a CheckGroundingResponse about `text`. */
export function reportOf(text, response, { offset = 0 } = {}) {
  const at = indexOfByte(text);
  const claims = (response.claims ?? []).map((claim) => {
    const start = at(claim.startPos);
    const end = at(claim.endPos);
    return {
      start: start + offset,
      end: end + offset,
      text: text.slice(start, end),
      checked: claim.groundingCheckRequired === true,
      score: claim.groundingCheckRequired ? claim.score ?? 0 : undefined,
      contradiction: claim.groundingCheckRequired ? claim.contradictionScore ?? 0 : undefined,
      citations: claim.citationIndices ?? [],
      anti: claim.antiCitationIndices ?? [],
      spans: (claim.spans ?? []).map((span) => ({
        start: at(span.startPos) - start,
        end: at(span.endPos) - start,
        supported: span.supported === true,
        source: span.source,
        factStart: span.factStartPos ?? 0,
        factEnd: span.factEndPos ?? 0,
      })),
      correction: correctionOf(claim, at, offset),
      conflicts: claim.factConflictIndices ?? [],
    };
  });
  const chunks = (response.citedChunks ?? []).map((chunk) => ({
    text: chunk.chunkText ?? "", source: chunk.source ?? "", title: chunk.title, uri: chunk.uri,
  }));
  return { text, claims, chunks, conflicts: response.factConflicts ?? [] };
}

/** Return {score, changes} of what the facts say instead, in places of the whole text; null: nothing. */
export function correctionOf(claim, at, offset) {
  if (!claim.correctedText) return null;
  return {
    score: claim.correctedScore ?? 0,
    changes: (claim.replacements ?? []).map((one) => ({
      start: at(one.startPos) + offset, end: at(one.endPos) + offset, text: one.text ?? "",
    })),
  };
}

/**
 * Return a report's text as it was and as it is corrected, in pieces: {text}, {was} or {now}.
 * Without {was} the pieces are the corrected text.
 */
export function differenceOf({ text, claims }) {
  const pieces = [];
  let at = 0;
  for (const change of claims.flatMap((claim) => claim.correction?.changes ?? [])) {
    pieces.push({ text: text.slice(at, change.start) });
    if (change.end > change.start) pieces.push({ was: text.slice(change.start, change.end) });
    if (change.text) pieces.push({ now: change.text });
    at = change.end;
  }
  pieces.push({ text: text.slice(at) });
  return pieces;
}

/** Return one report of several about consecutive parts of a text. */
export function joined(text, reports) {
  const chunks = [];
  const conflicts = [];
  const claims = [];
  const addChunk = adder(chunks, (chunk) => `${chunk.source}\n${chunk.text}`);
  const addConflict = adder(conflicts, JSON.stringify);
  for (const report of reports) {
    const moved = report.chunks.map(addChunk);
    const movedConflicts = report.conflicts.map(addConflict);
    for (const claim of report.claims) {
      claims.push({
        ...claim,
        citations: claim.citations.map((i) => moved[i]),
        anti: claim.anti.map((i) => moved[i]),
        conflicts: claim.conflicts.map((i) => movedConflicts[i]),
      });
    }
  }
  return { text, claims, chunks, conflicts };
}

/** Return a function that adds what is not yet in `list`, by its key, and says where it stands. */
function adder(list, keyOf) {
  const places = new Map();
  return (one) => {
    const key = keyOf(one);
    if (!places.has(key)) { places.set(key, list.length); list.push(one); }
    return places.get(key);
  };
}

/** Return the two sides of a conflict between facts, [{source, sentence, range}]: the range is of the words that differ. */
export function sidesOf(conflict) {
  return (conflict.sides ?? []).map(({ source = "", sentence = "", startPos = 0, valueStartPos = 0, valueEndPos = 0 }) => {
    const at = indexOfByte(sentence); // positions are those of the fact, which the sentence is a part of
    return { source, sentence, range: [at(valueStartPos - startPos), at(valueEndPos - startPos)] };
  });
}

/** Return the conflicts, by their indices, that a claim rests on one side of; none while it is not borne out. */
export function disputesOf(claim, thresholds) {
  return claim.checked && claim.score >= thresholds.citation ? claim.conflicts : [];
}

/** Return the mean of a score over the claims that need a check; 1 or 0 where none does. */
export function mean(claims, field) {
  const checked = claims.filter((claim) => claim.checked);
  if (!checked.length) return field === "score" ? 1 : 0;
  return checked.reduce((sum, claim) => sum + claim[field], 0) / checked.length;
}

/** Return "contradicted", "supported", "unsupported" or, for what states nothing, "unchecked". */
export function verdictOf(claim, thresholds) {
  if (!claim.checked) return "unchecked";
  if (claim.contradiction >= thresholds.anti) return "contradicted";
  return claim.score >= thresholds.citation ? "supported" : "unsupported";
}

/** Return the class of a support's tint, from s0 (none) to s4 (full). */
export function heatOf(value) {
  if (value === undefined) return "";
  return `s${Math.min(4, Math.floor(value * 5))}`;
}

const WORD = /[\p{L}\p{N}]+(?:[.,'’-][\p{L}\p{N}]+)*/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });
// A line end in the middle of a sentence; as a space it is as long, so that offsets stay.
const WRAP = /(?<=[\p{Ll},;])\n(?=\p{Ll})/gu;
// From this share of a passage on, the words that the check names are no help to a reader.
const WHOLE = 0.7;

/**
 * Return what of a passage bears a sentence, as {kind, ranges, words}: lists of [start, end].
 *
 * "verbatim": the passage says the sentence itself. "span": the check names these words. "sentence":
 * the check names nothing, or all of the passage, so it is that sentence of the passage that shares
 * most words with it; `words` are those. "none": nothing is shared.
 */
export function bearing(passage, sentence, spans = []) {
  const verbatim = find(passage, sentence);
  if (verbatim) return { kind: "verbatim", ranges: [verbatim], words: [] };
  const named = merged(spans.filter(([start, end]) => start >= 0 && end > start && end <= passage.length));
  const length = named.reduce((sum, [start, end]) => sum + end - start, 0);
  if (length && length < WHOLE * passage.length) return { kind: "span", ranges: named, words: [] };
  return nearest(passage, sentence);
}

function find(passage, sentence) {
  const words = sentence.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0 || sentence.length > 3000) return null;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const match = new RegExp(escaped.join("\\s+")).exec(passage);
  return match ? [match.index, match.index + match[0].length] : null;
}

function termsOf(text) {
  if (UNSPACED.test(text)) {
    const pairs = [];
    for (let i = 0; i + 2 <= text.length; i += 1) {
      const pair = text.slice(i, i + 2);
      if (/^[\p{L}\p{N}]{2}$/u.test(pair) && !/^\p{Script=Hiragana}{2}$/u.test(pair)) {
        pairs.push({ start: i, end: i + 2, key: pair });
      }
    }
    return pairs;
  }
  return [...text.matchAll(WORD)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    key: match[0].toLowerCase(),
  })).filter((term) => term.key.length > 3 || /\p{N}/u.test(term.key));
}

/** Yield what of a passage may bear a sentence, {segment, index, named}: sentences, and rows of tables with the words of their heads. */
function* piecesOf(passage) {
  const sentencesIn = function* (from, to) {
    for (const { segment, index } of sentences.segment(passage.slice(from, to).replace(WRAP, " "))) {
      yield { segment, index: from + index, named: [] };
    }
  };
  let at = 0;
  for (const { start, end, rows } of tablesIn(passage)) {
    yield* sentencesIn(at, start);
    const textOf = (row) => passage.slice(row.start, row.end);
    const named = rows.filter((row) => row.head).flatMap((row) => termsOf(textOf(row)));
    for (const row of rows) if (!row.head) yield { segment: textOf(row), index: row.start, named };
    at = end;
  }
  yield* sentencesIn(at, passage.length);
}

function nearest(passage, sentence) {
  const wanted = new Set(termsOf(sentence).map((term) => term.key));
  let best = { count: 0 };
  for (const { segment, index, named } of piecesOf(passage)) {
    const hits = termsOf(segment).filter((term) => wanted.has(term.key));
    const keys = [...hits, ...named].map((term) => term.key).filter((key) => wanted.has(key));
    const count = hits.length ? new Set(keys).size : 0;
    if (count > best.count) best = { hits, count, index, segment };
  }
  if (!best.count) return { kind: "none", ranges: [], words: [] };
  const { hits, index, segment } = best;
  const lead = segment.length - segment.trimStart().length;
  return {
    kind: "sentence",
    ranges: [[index + lead, index + segment.trimEnd().length]],
    words: merged(hits.map((hit) => [hit.start + index, hit.end + index])),
  };
}

function merged(ranges) {
  const out = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out[out.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}
