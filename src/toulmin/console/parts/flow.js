// A text as it is written with the marks of its claims: Ask's answer and Check's report.
import { html } from "../ui.js";
import { heatOf } from "./report.js";
import { plain, Table, tablesIn, withTables } from "./tables.js";

/**
 * `claims` are the text's in order: {start, end, score, active, bad, look, marks}, where `look` are
 * the handlers of who points at one and `marks` stand behind it. In a Markdown table a row is a claim.
 */
export function Flow({ text, claims }) {
  const tables = tablesIn(text).filter((table) => claims.every((claim) => !meet(claim, table)
    || (claim.start >= table.start && claim.end <= table.end && rowsOf(table, claim).length < 2)));
  return html`<div class="answer-text">${withTables(text,
    (from, to) => lines(text, from, to, claims.filter((claim) => meet(claim, { start: from, end: to }))),
    (table) => html`<${ClaimedTable} text=${text} table=${table} claims=${claims} />`, tables)}</div>`;
}

const FENCED = /^```\n([^]*)\n```$/;

function meet(one, other) { return one.start < other.end && one.end > other.start; }

function rowsOf(table, claim) { return table.rows.filter((row) => meet(row, claim)); }

export function classOf({ score, active, bad }) {
  return `claim ${heatOf(score)}${active ? " active" : ""}${bad ? " contradicted" : ""}`;
}

function lines(text, from, to, claims) {
  const parts = [];
  let at = from;
  for (const claim of claims) {
    if (claim.start > at) parts.push(html`<span>${text.slice(at, claim.start)}</span>`);
    const said = text.slice(claim.start, claim.end);
    const code = FENCED.exec(said);
    parts.push(html`<span class=${classOf(claim)}><span class=${code ? "claim-text code" : "claim-text"} tabindex="0" role="button"
      aria-pressed=${claim.active} ...${claim.look}>${code ? code[1] : said}</span>${claim.marks}</span>`);
    at = claim.end;
  }
  if (to > at) parts.push(html`<span>${text.slice(at, to)}</span>`);
  return parts;
}

/** The first cell of a row is what the keyboard reaches; the pointer may be on any. */
function ClaimedTable({ text, table, claims }) {
  const claimOf = (row) => (row.head ? undefined : claims.find((claim) => meet(claim, row)));
  const words = ([start, end]) => plain(text.slice(start, end));
  const cell = (start, end, row, column) => {
    const claim = claimOf(row);
    if (!claim || column > 0) return words([start, end]);
    return html`<span class="claim-text" tabindex="0" role="button" aria-pressed=${claim.active}
      aria-label=${row.cells.map(words).join(", ")} ...${claim.look}>${words([start, end]) || "–"}</span>`;
  };
  const row = (one) => {
    const claim = claimOf(one);
    return claim ? { class: classOf(claim), onMouseEnter: claim.look.onMouseEnter, onClick: claim.look.onClick } : {};
  };
  return html`<${Table} table=${table} cell=${cell} row=${row} last=${(one) => claimOf(one)?.marks} />`;
}
