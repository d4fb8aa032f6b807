// Beside the answer: what the sentence under the pointer rests on, and what contradicts it.
import { html } from "../ui.js";
import { t } from "../text.js";
import { indexOfByte } from "../bytes.js";
import { DEFAULTS, verdictOf } from "../parts/report.js";
import { Passage, Sentence, Verdict } from "../parts/evidence.js";
import { contradictionOf } from "./ask_turn.js";
import { segmentsOf, sourceOf } from "./ask_work.js";

export function AnswerEvidence({ turn, segment, citation, onOpen }) {
  const shown = turn && segmentsOf(turn)[segment];
  if (!shown || shown.gap) return html`<p class="muted evidence-hint">${t.evidence.hint}</p>`;
  const references = turn.answer.references ?? [];
  const ids = citation === undefined ? shown.references : [citation, ...shown.references.filter((id) => id !== citation)];
  const sources = ids.filter((id) => references[id]).map((id) => ({ id, ...sourceOf(references[id]) }));
  const against = contradicting(turn, shown);
  const claim = { ...shown, contradiction: turn.report ? contradictionOf(shown) : undefined };
  const verdict = verdictOf({ ...claim, contradiction: claim.contradiction ?? 0 }, DEFAULTS);
  return html`<div>
    <h2 class="hidden">${t.evidence.title}</h2>
    <${Sentence} text=${shown.text} spans=${spansIn(shown)} />
    <${Verdict} claim=${claim} verdict=${verdict} />
    ${against.map((fact) => html`<${Passage} title=${fact.title} text=${fact.text} sentence=${shown.text} contradicts=${true}
      onOpen=${fact.document && (() => onOpen(fact.chunk, shown.text, fact.document))} />`)}
    ${sources.slice(0, 1).map((source) => html`<${Passage} key=${source.id} number=${source.id + 1} title=${source.title}
      place=${source.page ? t.evidence.page(source.page) : ""} text=${source.text} sentence=${shown.text}
      spans=${spansOf(turn, shown, source)}
      onOpen=${source.document && (() => onOpen(source.chunk, shown.text, source.document))} />`)}
    ${sources.length > 1 && html`<details class="also"><summary>${t.evidence.alsoCited} (${sources.length - 1})</summary>
      ${sources.slice(1).map((source) => html`<${Passage} key=${source.id} number=${source.id + 1} title=${source.title}
        place=${source.page ? t.evidence.page(source.page) : ""} text=${source.text} sentence=${shown.text}
        onOpen=${source.document && (() => onOpen(source.chunk, shown.text, source.document))} />`)}</details>`}
    ${sources.length === 0 && shown.checked && html`<p class="muted">${t.evidence.none}</p>`}
  </div>`;
}

function spansIn(segment) {
  return segment.claims.flatMap((claim) => claim.spans.map((span) => ({
    ...span, start: span.start + claim.start - segment.start, end: span.end + claim.start - segment.start,
  }))).filter((span) => span.start >= 0 && span.end <= segment.text.length);
}

/** The facts whose chunks contradict a claim of the sentence, by the check. */
function contradicting(turn, segment) {
  if (!turn.report || contradictionOf(segment) < DEFAULTS.anti) return [];
  const ids = segment.claims.filter((claim) => (claim.contradiction ?? 0) >= DEFAULTS.anti)
    .flatMap((claim) => claim.anti).map((index) => Number(turn.report.chunks[index]?.source));
  return [...new Set(ids)].map((id) => turn.facts[id]).filter(Boolean).slice(0, 3);
}

/** Where in the source the check says that the words are, in UTF-16. */
function spansOf(turn, segment, source) {
  const at = indexOfByte(source.text);
  return segment.claims.flatMap((claim) => claim.spans)
    .filter((one) => one.supported && turn.facts?.[Number(one.source)]?.text === source.text)
    .map((one) => [at(one.factStart), at(one.factEnd)]);
}
