// A sentence and what it rests on: passages with the words that bear it, and what contradicts it.
import { html, score, useEffect, useRef } from "../ui.js";
import { t } from "../text.js";
import { speaks } from "../language.js";
import { bearing } from "./report.js";
import { plain, rowIn, Table, withTables } from "./tables.js";

/**
 * A text of which some is marked, and within that some words; `found` is what `bearing` returns.
 * Its Markdown tables are drawn as tables.
 */
export function Marked({ text, found, against = false }) {
  const words = (start, end, shown) => wrapped(text, start, end, found.words, (part) => html`<b>${part}</b>`, shown);
  const marked = (from, to, shown) => wrapped(text, from, to, found.ranges, (_, start, end) => html`
    <mark class=${against ? "against" : ""}>${words(start, end, shown)}</mark>`, shown);
  return html`<div>${withTables(text, (from, to) => html`<span>${marked(from, to)}</span>`,
    (table) => html`<${Table} table=${table} cell=${(from, to) => marked(from, to, plain)} />`)}</div>`;
}

/** Return the parts of text[from:to], what of `ranges` (in order) lies in it as `wrap` makes it. */
function wrapped(text, from, to, ranges, wrap, shown = (part) => part) {
  const parts = [];
  let at = from;
  for (const range of ranges) {
    const [start, end] = [Math.max(range[0], at), Math.min(range[1], to)];
    if (start >= end) continue;
    if (start > at) parts.push(shown(text.slice(at, start)));
    parts.push(wrap(shown(text.slice(start, end)), start, end, range));
    at = end;
  }
  parts.push(shown(text.slice(at, to)));
  return parts;
}

/** Scroll a box so far that an element in it stands so many pixels below its top. */
export function scrollTo(box, element, below) {
  box.scrollTop += element.getBoundingClientRect().top - box.getBoundingClientRect().top - below;
}

/** One passage, scrolled to the words that bear the sentence. */
export function Passage({ number, title, place, text, sentence, spans, contradicts, onOpen }) {
  const box = useRef();
  const found = bearing(text, sentence, spans);
  useEffect(() => {
    const mark = box.current?.querySelector("mark");
    if (mark) scrollTo(box.current, mark, 48);
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
  const ranges = (spans ?? []).map((one) => [one.start, one.end, one.supported]);
  const parts = (from, to, shown) => wrapped(text, from, to, ranges,
    (part, _start, _end, [, , supported]) => html`<span class=${supported ? "borne" : "bare"}>${part}</span>`, shown);
  const table = rowIn(text);
  return html`<div class="sentence" ...${speaks(text)}>${table
    ? html`<${Table} table=${table} cell=${(from, to) => parts(from, to, plain)} />`
    : parts(0, text.length)}</div>`;
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
