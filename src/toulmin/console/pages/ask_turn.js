// One turn: the question, the answer's sentences with scores and citations, and how it came about.
import { html, score, shownUri, Busy, Failure } from "../ui.js";
import { t } from "../text.js";
import { speaks } from "../language.js";
import { DEFAULTS } from "../parts/report.js";
import { Flow } from "../parts/flow.js";
import { foundIn, isDeclined, segmentsOf, sourceOf } from "./ask_work.js";

const LONG = 600; // a question that is pasted; it scrolls, so that the answer is near

export function Turn({ turn, focus, onFocus, onAsk, onAgain, onOpen, last }) {
  const { answer } = turn;
  const declined = isDeclined(answer);
  return html`<article class="turn">
    <h2 class="question" tabindex=${turn.question.length > LONG ? 0 : undefined} ...${speaks(turn.question)}>${turn.question}</h2>
    ${turn.state === "asking" && !answer.answerText && html`<${Busy}>${t.ask.answering}<//>`}
    ${declined && html`<${Declined} answer=${answer} onOpen=${onOpen} />`}
    ${!declined && answer.answerText && html`<${Answer} turn=${turn} focus=${focus} onFocus=${onFocus} last=${last} />`}
    ${turn.checking && html`<${Busy}>${t.ask.checking}<//>`}
    ${turn.state === "stopped" && html`<p class="muted">${t.ask.stopped}</p>`}
    <${Failure} error=${turn.error} onAgain=${last && onAgain} />
    ${turn.checkError && html`<p class="notice">${t.ask.checkFailed}: ${turn.checkError.message}</p>`}
    ${turn.state === "answered" && !declined && html`<${Sources} answer=${answer} onOpen=${onOpen} />`}
    ${turn.state === "answered" && html`<${Steps} steps=${answer.steps ?? []} />`}
    ${last && turn.state === "answered" && html`<${Related} questions=${answer.relatedQuestions ?? []} onAsk=${onAsk} />`}
  </article>`;
}

/** Whether the check found a passage that contradicts a sentence. */
export function contradictionOf(segment) {
  return Math.max(0, ...(segment.claims ?? []).filter((claim) => claim.anti.length)
    .map((claim) => claim.contradiction ?? 0));
}

function Answer({ turn, focus, onFocus, last }) {
  const segments = segmentsOf(turn);
  const { answer } = turn;
  const done = turn.state !== "asking";
  const claims = segments.map((segment, index) => claimOf(segment, index, { answer, focus, onFocus }))
    .filter((one, index) => !segments[index].gap);
  return html`<div class="answer" ...${speaks(answer.answerText)}>
    <${Flow} text=${answer.answerText} claims=${claims} />
    ${done && answer.groundingScore !== undefined && html`<p class="answer-foot" dir="ltr" lang="en">
      <span>${t.ask.whole(score(answer.groundingScore))}</span>${last && html`<${Legend} />`}</p>`}
  </div>`;
}

/** A sentence of an answer as the claim that `Flow` draws. */
function claimOf(segment, index, { answer, focus, onFocus }) {
  const against = segment.gap ? 0 : contradictionOf(segment);
  const bad = against >= DEFAULTS.anti;
  const look = (citation) => ({
    onMouseEnter: () => onFocus(index, citation),
    onFocus: () => onFocus(index, citation),
    onClick: () => onFocus(index, citation),
  });
  const marks = !segment.gap && html`<span class="marks" dir="ltr" lang="en">${segment.checked && html`<span class="score" title=${t.ask.support(score(segment.score))}>${score(segment.score)}</span>`}
    ${segment.references.map((id) => html`<button type="button" class="cite" ...${look(id)}
      aria-label=${t.ask.cite(id + 1, sourceOf((answer.references ?? [])[id] ?? {}).title)}>${id + 1}</button>`)}
    ${bad && html`<span class="chip bad"><span class="neq" aria-hidden="true">≠</span>${t.verdicts.contradicted} ${score(against)}</span>`}</span>`;
  return { ...segment, active: focus?.segment === index, bad, look: look(undefined), marks };
}

export function Legend() {
  return html`<span class="legend"><span>${t.heat.label}</span> <span>0</span>${["s0", "s1", "s2", "s3", "s4"].map((one) => html`<i class=${one}></i>`)}<span>1</span>
    <span class="legend-mark"><b class="neq" aria-hidden="true">≠</b>${t.heat.contradicted}</span></span>`;
}

function Sources({ answer, onOpen }) {
  const references = answer.references ?? [];
  if (!references.length) return null;
  return html`<div class="sources"><h3>${t.ask.sources}</h3><ol class="plain">
    ${references.map((reference, id) => {
      const source = sourceOf(reference);
      return html`<li><span class="number">${id + 1}</span>
        <button type="button" class="link" ...${speaks(source.title)} disabled=${!source.document}
          onClick=${() => onOpen({ document: source.document, chunk: source.chunk, sentence: "" })}>${source.title}</button>
        ${source.page && html`<span class="muted">${t.evidence.page(source.page)}</span>`}
        ${source.uri && html`<small class="muted uri">${shownUri(source.uri)}</small>`}</li>`;
    })}</ol></div>`;
}

function Declined({ answer, onOpen }) {
  const near = foundIn(answer).slice(0, 3);
  return html`<div class="declined">
    <p><span class="chip">${t.ask.declined}</span>
      ${(answer.answerSkippedReasons ?? []).map((one) => ` ${t.ask.reasons[one] ?? one}`)}</p>
    <p class="muted" ...${speaks(answer.answerText)}>${answer.answerText}</p>
    ${near.length > 0 && html`<h3>${t.ask.nearest}</h3><ul class="plain near">${near.map((one) => html`<li>
      <button type="button" class="link" ...${speaks(one.title)} onClick=${() => onOpen({ document: one.document, chunk: one.chunk, sentence: "" })}>${one.title}</button>
      <span class="score">${score(one.relevance)}</span>
      <p class="clamp muted" ...${speaks(one.text)}>${one.text}</p></li>`)}</ul>`}
  </div>`;
}

function Steps({ steps }) {
  if (!steps.length) return null;
  return html`<details class="steps"><summary>${t.ask.steps} · <span class="muted">${t.ask.stepsCount(steps.length)}</span></summary>
    <ol>${steps.map((step) => html`<li>
      <span>${step.description}</span> ${step.thought && html`<span class="muted" dir="auto">${step.thought}</span>`}
      ${step.state === "FAILED" && html` <span class="chip bad">${t.failed}</span>`}
      ${(step.actions ?? []).map((action) => html`<${Found} action=${action} />`)}
    </li>`)}</ol></details>`;
}

function Found({ action }) {
  const results = action.observation?.searchResults ?? [];
  return html`<div class="found">
    ${action.searchAction?.query && html`<p><q dir="auto">${action.searchAction.query}</q></p>`}
    <ul class="plain">${results.map((one) => html`<li><span class="score">${score(one.chunkInfo?.[0]?.relevanceScore ?? 0)}</span>
      <span ...${speaks(one.title)}>${one.title}</span> <code>${one.chunkInfo?.[0]?.chunk?.split("/").pop()}</code></li>`)}</ul>
  </div>`;
}

function Related({ questions, onAsk }) {
  if (!questions.length) return null;
  return html`<div class="related"><h3>${t.ask.related}</h3><ul class="plain">
    ${questions.map((one) => html`<li><button type="button" class="link" ...${speaks(one)} onClick=${() => onAsk(one)}>${one}</button></li>`)}
  </ul></div>`;
}
