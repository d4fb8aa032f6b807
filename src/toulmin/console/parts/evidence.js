// A sentence and what it rests on: passages with the words that bear it, and what contradicts it.
import { html, score, useEffect, useRef } from "../ui.js";
import { t } from "../text.js";
import { speaks } from "../language.js";
import { bearing } from "./report.js";

/** A text of which some is marked, and within that some words; `found` is what `bearing` returns. */
export function Marked({ text, found, against = false }) {
  const words = (start, end) => wrapped(text, start, end,
    found.words.filter((one) => one[0] >= start && one[1] <= end), (part) => html`<b>${part}</b>`);
  return html`<span>${wrapped(text, 0, text.length, found.ranges,
    (_, start, end) => html`<mark class=${against ? "against" : ""}>${words(start, end)}</mark>`)}</span>`;
}

/** Return the parts of text[from:to], those of `ranges` (in order) as `wrap` makes them. */
function wrapped(text, from, to, ranges, wrap) {
  const parts = [];
  let at = from;
  for (const [start, end] of ranges) {
    if (start > at) parts.push(text.slice(at, start));
    parts.push(wrap(text.slice(start, end), start, end));
    at = end;
  }
  parts.push(text.slice(at, to));
  return parts;
}

/** One passage, scrolled to the words that bear the sentence. */
export function Passage({ number, title, place, text, sentence, spans, contradicts, onOpen }) {
  const box = useRef();
  const found = bearing(text, sentence, spans);
  useEffect(() => {
    const mark = box.current?.querySelector("mark");
    if (mark) box.current.scrollTop = mark.offsetTop - 48; // the box is what offsets are counted from
  }, [text, sentence, found.ranges[0]?.[0]]);
  const says = contradicts ? t.evidence.contradictingWords : t.evidence.kinds[found.kind];
  return html`<section class=${`passage${contradicts ? " against" : ""}`}>
    <header>
      <h3 ...${speaks(title)}>${number !== undefined && html`<span class="number">${number}</span>`}${title}</h3>
      ${contradicts && html`<span class="chip bad"><span class="neq" aria-hidden="true">≠</span>${t.evidence.contradicts}</span>`}
      ${place && html`<span class="muted">${place}</span>`}
    </header>
    <blockquote ref=${box} tabindex="0" ...${speaks(text)}>
      <${Marked} text=${text} found=${found} against=${contradicts === true} />
    </blockquote>
    <footer class="muted">
      <span>${says}</span>
      ${onOpen && html`<button type="button" class="link" onClick=${onOpen}>${t.evidence.openDocument}</button>`}
    </footer>
  </section>`;
}

/** The sentence itself, its words underlined by whether the check found them borne out. */
export function Sentence({ text, spans }) {
  const parts = [];
  let at = 0;
  for (const span of spans ?? []) {
    if (span.start < at || span.end <= span.start) continue;
    if (span.start > at) parts.push(text.slice(at, span.start));
    parts.push(html`<span class=${span.supported ? "borne" : "bare"}>${text.slice(span.start, span.end)}</span>`);
    at = span.end;
  }
  parts.push(text.slice(at));
  return html`<p class="sentence" ...${speaks(text)}>${parts}</p>`;
}

/** Scores of one claim, in words. */
export function Verdict({ claim, verdict }) {
  if (!claim.checked) return html`<p class="muted">${t.evidence.unchecked}</p>`;
  return html`<p class="verdict">
    <span class=${`chip ${verdict}`}>${verdict === "contradicted" && html`<span class="neq" aria-hidden="true">≠</span>`}${t.verdicts[verdict]}</span>
    <span>${t.evidence.support} <b>${score(claim.score)}</b></span>
    ${claim.contradiction !== undefined && html`<span>${t.evidence.contradiction} <b>${score(claim.contradiction)}</b></span>`}
  </p>`;
}
