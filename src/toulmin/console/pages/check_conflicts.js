// Where two facts cannot both be right: both sentences, the words that differ, the claims that rest on one.
import { html } from "../ui.js";
import { t } from "../text.js";
import { speaks } from "../language.js";
import { disputesOf, sidesOf } from "../parts/report.js";
import { Marked } from "../parts/evidence.js";
import { titleOf } from "./check_work.js";

/** All conflicts of a report; which claims rest on them moves with the threshold of support. */
export function Conflicts({ result, thresholds }) {
  const { claims, conflicts } = result.report;
  const resting = conflicts.map((_, index) => claims.filter((claim) => disputesOf(claim, thresholds).includes(index)));
  return html`<section class="conflicts"><h2>${t.check.conflicts(conflicts.length)}</h2>
    ${conflicts.length === 0 && html`<p class="muted">${t.check.noConflictHint}</p>`}
    <ol class="plain">${conflicts.map((conflict, index) => html`<li>
      <${Conflict} conflict=${conflict} result=${result} />
      ${resting[index].map((claim) => html`<p class="resting"><span class="muted">${t.check.resting}</span> <span ...${speaks(claim.text)}>${claim.text}</span></p>`)}</li>`)}</ol>
  </section>`;
}

/** The two sides of one conflict. */
export function Conflict({ conflict, result }) {
  return html`<p><span class="chip bad"><span class="neq" aria-hidden="true">≠</span>${t.check.differing(conflict.differing)}</span></p>
    <dl class="sides">${sidesOf(conflict).map(({ source, sentence, range }) => html`
      <dt>${titleOf(source, result)}</dt>
      <dd ...${speaks(sentence)}><${Marked} text=${sentence} found=${{ ranges: [range], words: [] }} against=${true} /></dd>`)}</dl>`;
}
