// The work behind a turn: ask, read the stream, then check each sentence for the words it rests on.
import { indexOfByte } from "../bytes.js";
import { get, lastPart, names, post, stream } from "../wire.js";
import { reportOf, SPEC } from "../parts/report.js";

const RELEVANT = 0.1;
const MOST_FACTS = 20;
const MOST_CHARACTERS = 10000;

/** Ask one question and tell what changes of its turn, until it is answered and checked. */
export async function answerTurn({ store, session, question, signal, onSession, onChange }) {
  const request = {
    query: { text: question },
    session: session || `${names.store(store)}/sessions/-`,
    answerGenerationSpec: { includeCitations: true },
    groundingSpec: { includeGroundingSupports: true },
    relatedQuestionsSpec: { enable: true },
    searchSpec: { searchParams: { searchResultMode: "CHUNKS" } },
  };
  let answer = {};
  try {
    for await (const message of stream(`v1/${names.serving(store)}:streamAnswer`, request, { signal })) {
      if (message.session?.name) onSession(message.session.name);
      answer = grown(answer, message.answer ?? {});
      onChange({ answer });
    }
    onChange({ state: "answered" });
  } catch (error) {
    onChange(error.name === "AbortError" ? { state: "stopped" } : { state: "failed", error });
    return;
  }
  await checkTurn(answer, signal, onChange);
}

/** Each streamed item adds to the answer; the last one is the whole of it. */
function grown(answer, part) {
  if (part.state !== "STREAMING") return { ...answer, ...part };
  const added = (field) => [...(answer[field] ?? []), ...(part[field] ?? [])];
  return {
    ...answer,
    state: part.state,
    answerText: (answer.answerText ?? "") + (part.answerText ?? ""),
    citations: added("citations"),
    references: added("references"),
    groundingSupports: added("groundingSupports"),
  };
}

/** Check the answer against what it cites and what else was found, for words and contradictions. */
async function checkTurn(answer, signal, onChange) {
  if (isDeclined(answer) || !answer.answerText) return;
  const facts = factsOf(answer);
  if (!facts.length) return;
  onChange({ checking: true });
  try {
    const response = await post(`v1/${names.grounding()}:check`, {
      answerCandidate: answer.answerText,
      facts: facts.map((fact) => ({
        factText: fact.text, ...(fact.title ? { attributes: { title: fact.title } } : {}),
      })),
      groundingSpec: SPEC,
    }, { signal });
    onChange({ checking: false, report: reportOf(answer.answerText, response), facts });
  } catch (error) {
    onChange({ checking: false, checkError: error.name === "AbortError" ? null : error });
  }
}

export function isDeclined(answer) { return (answer.answerSkippedReasons ?? []).length > 0; }

/** What a reference is: {text, title, document, chunk, page}. */
export function sourceOf(reference) {
  const chunk = reference.chunkInfo;
  if (chunk) {
    const about = chunk.documentMetadata ?? {};
    return {
      text: chunk.content ?? "", title: about.title || lastPart(about.uri ?? about.document),
      document: about.document, chunk: chunk.chunk, page: about.pageIdentifier, uri: about.uri,
    };
  }
  const whole = reference.unstructuredDocumentInfo;
  if (whole) {
    const first = whole.chunkContents?.[0] ?? {};
    return {
      text: first.content ?? "", title: whole.title || lastPart(whole.uri ?? whole.document),
      document: whole.document, page: first.pageIdentifier, uri: whole.uri,
    };
  }
  const data = reference.structuredDocumentInfo ?? {};
  return { text: JSON.stringify(data.structData ?? {}, null, 1), title: data.title || lastPart(data.document), document: data.document };
}

/** The passages that were found, from the steps. */
export function foundIn(answer) {
  const results = (answer.steps ?? []).flatMap((step) => step.actions ?? [])
    .flatMap((action) => action.observation?.searchResults ?? []);
  return results.flatMap((result) => (result.chunkInfo ?? []).map((chunk) => ({
    text: chunk.content ?? "", title: result.title || lastPart(result.document),
    document: result.document, chunk: chunk.chunk, relevance: chunk.relevanceScore ?? 0, uri: result.uri,
  })));
}

function factsOf(answer) {
  const cited = (answer.references ?? []).map(sourceOf);
  const known = new Set(cited.map((one) => one.text));
  const others = foundIn(answer).filter((one) => one.relevance >= RELEVANT && !known.has(one.text));
  return [...cited, ...others].filter((one) => one.text.trim() && one.text.length <= MOST_CHARACTERS)
    .slice(0, MOST_FACTS);
}

/**
 * Return the answer's sentences: {start, end, text, score, checked, references, claims}; what lies
 * between them (spaces, line ends) has no score.
 */
export function segmentsOf(turn) {
  const text = turn.answer.answerText ?? "";
  const at = indexOfByte(text);
  const supports = turn.answer.groundingSupports ?? [];
  const segments = [];
  let end = 0;
  for (const support of supports) {
    const from = at(support.startIndex ?? 0);
    const to = at(support.endIndex ?? 0);
    if (to <= from || from < end) continue;
    if (from > end) segments.push({ start: end, end: from, text: text.slice(end, from), gap: true });
    segments.push({
      start: from,
      end: to,
      text: text.slice(from, to),
      checked: support.groundingCheckRequired === true,
      score: support.groundingCheckRequired ? support.groundingScore ?? 0 : undefined,
      references: citedIn(turn.answer, at, from, to, support),
      claims: (turn.report?.claims ?? []).filter((claim) => claim.start < to && claim.end > from),
    });
    end = to;
  }
  if (end < text.length) segments.push({ start: end, end: text.length, text: text.slice(end), gap: true });
  return segments;
}

function citedIn(answer, at, from, to, support) {
  const cited = (answer.citations ?? [])
    .filter((one) => at(one.startIndex ?? 0) < to && at(one.endIndex ?? 0) > from)
    .flatMap((one) => one.sources ?? []);
  const ids = (cited.length ? cited : support.sources ?? []).map((one) => Number(one.referenceId));
  return [...new Set(ids)];
}

/** The turns of a session as they are kept. */
export async function keptTurns(name) {
  const session = await get(`v1/${name}?includeAnswerDetails=true`);
  return (session.turns ?? []).map((turn) => ({
    question: turn.query?.text ?? "",
    state: "answered",
    answer: turn.detailedAnswer ?? {},
  }));
}
