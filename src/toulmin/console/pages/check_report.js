// The report of a check: figures, thresholds that move at once, the text with its marks, evidence.
import { hasRoomBeside, html, score, useEffect, useMemo, useState, Figure } from "../ui.js";
import { t } from "../text.js";
import { indexOfByte } from "../bytes.js";
import { speaks } from "../language.js";
import { differenceOf, disputesOf, LOWEST, mean, verdictOf } from "../parts/report.js";
import { Passage, Sentence, Verdict } from "../parts/evidence.js";
import { classOf, Flow } from "../parts/flow.js";
import { plain, rowIn } from "../parts/tables.js";
import { DocumentView, documentOf } from "../parts/document.js";
import { Windowed } from "../parts/windowed.js";
import { Legend } from "./ask_turn.js";
import { Conflict } from "./check_conflicts.js";
import { titleOf } from "./check_work.js";

const FLOWING = 400; // claims up to which the text is shown as one, not as a list
const MOST_PASSAGES = 4;

export function Report({ result, thresholds, onThresholds }) {
  const { report } = result;
  const [shown, setShown] = useState("all");
  const [words, setWords] = useState("");
  const [wanted, setWanted] = useState(""); // "text" or "list"; empty: by the number of claims
  const [focus, setFocus] = useState(-1);
  const [open, setOpen] = useState(null);
  useEffect(() => {
    setFocus(hasRoomBeside() ? report.claims.findIndex((claim) => claim.checked) : -1);
    setOpen(null);
  }, [report]);
  const verdicts = useMemo(
    () => report.claims.map((claim) => verdictOf(claim, thresholds)),
    [report, thresholds],
  );
  const disputed = useMemo(
    () => report.claims.map((claim) => disputesOf(claim, thresholds).length > 0),
    [report, thresholds],
  );
  const counts = useMemo(() => {
    const all = { supported: 0, unsupported: 0, contradicted: 0, unchecked: 0 };
    for (const one of verdicts) all[one] += 1;
    return all;
  }, [verdicts]);
  const view = wanted || (report.claims.length > FLOWING ? "list" : "text");
  const rows = useMemo(() => {
    const needle = words.trim().toLowerCase();
    return report.claims.map((claim, index) => ({ claim, index })).filter(({ claim, index }) => (
      (shown === "all" || verdicts[index] === shown) && (!needle || claim.text.toLowerCase().includes(needle))));
  }, [report, verdicts, shown, words]);
  const look = (index) => { setFocus(index); setOpen(null); };

  return html`<section class="report" aria-label=${t.check.report}>
    <dl class="figures">
      <${Figure} name=${t.check.supportScore} value=${score(mean(report.claims, "score"))} />
      <${Figure} name=${t.check.contradictionScore} value=${score(mean(report.claims, "contradiction"))} />
      ${["supported", "unsupported", "contradicted", "unchecked"].map((one) => html`
        <${Figure} name=${t.verdicts[one]} value=${counts[one].toLocaleString("en")} />`)}
    </dl>
    <div class="controls">
      <${Threshold} name=${t.check.citationThreshold} value=${thresholds.citation} onValue=${(citation) => onThresholds({ ...thresholds, citation })} />
      <${Threshold} name=${t.check.antiThreshold} value=${thresholds.anti} onValue=${(anti) => onThresholds({ ...thresholds, anti })} />
      <label>${t.check.view}<select value=${view} onChange=${(event) => setWanted(event.target.value)}>
        <option value="text" disabled=${report.claims.length > 4 * FLOWING}>${t.check.asText}</option><option value="list">${t.check.asList}</option></select></label>
      ${view === "list" && html`<label>${t.check.show}<select value=${shown} onChange=${(event) => setShown(event.target.value)}>
        <option value="all">${t.check.all}</option>${Object.keys(counts).map((one) => html`<option value=${one}>${t.verdicts[one]}</option>`)}</select></label>
        <label>${t.check.words}<input type="search" size="14" value=${words} onInput=${(event) => setWords(event.target.value)} /></label>`}
    </div>
    <div class="split">
      <div>${view === "text"
        ? html`<${Flowing} report=${report} verdicts=${verdicts} disputed=${disputed} focus=${focus} onFocus=${look} />`
        : html`<p class="muted" role="status">${t.check.rows(rows.length, report.claims.length)}</p>
          <${Windowed} items=${rows} label=${t.check.claims} row=${({ claim, index }, _, attributes) => html`
            <${Row} key=${index} claim=${claim} verdict=${verdicts[index]} disputed=${disputed[index]} active=${focus === index} onFocus=${() => look(index)} attributes=${attributes} />`} />`}
      </div>
      <aside class=${`evidence${focus >= 0 ? " active" : ""}`} aria-label=${t.evidence.title}>
        <h2 class="hidden">${t.evidence.title}</h2>
        <button type="button" class="quiet sheet-close" onClick=${() => setFocus(-1)}>${t.close}</button>
        ${open
          ? html`<${DocumentView} name=${open.document} chunk=${open.chunk} sentence=${open.sentence} onClose=${() => setOpen(null)} />`
          : html`<${ClaimEvidence} claim=${report.claims[focus]} verdict=${verdicts[focus]} result=${result} thresholds=${thresholds} onOpen=${setOpen} />`}
      </aside>
    </div>
    ${result.corrected && html`<${Corrected} report=${report} />`}
  </section>`;
}

function Threshold({ name, value, onValue }) {
  return html`<label class="threshold">${name}
    <input type="range" min=${LOWEST} max="0.99" step="0.01" value=${value} onInput=${(event) => onValue(Number(event.target.value))} />
    <output class="score">${value.toFixed(2)}</output></label>`;
}

function Mark({ claim, verdict, disputed }) {
  return html`<span class="marks" dir="ltr" lang="en">${claim.checked && html`<span class="score">${score(claim.score)}</span>`}
    ${verdict === "contradicted" && html`<span class="chip bad"><span class="neq" aria-hidden="true">≠</span>${t.verdicts.contradicted} ${score(claim.contradiction)}</span>`}
    ${verdict === "unsupported" && html`<span class="chip unsupported">${t.verdicts.unsupported}</span>`}
    ${disputed && html`<span class="chip disputed">${t.check.disputed}</span>`}</span>`;
}

function look(onFocus, index) {
  return { onMouseEnter: () => onFocus(index), onFocus: () => onFocus(index), onClick: () => onFocus(index) };
}

function Flowing({ report, verdicts, disputed, focus, onFocus }) {
  const claims = report.claims.map((claim, index) => ({
    ...claim,
    active: focus === index,
    bad: verdicts[index] === "contradicted",
    look: look(onFocus, index),
    marks: html`<${Mark} claim=${claim} verdict=${verdicts[index]} disputed=${disputed[index]} />`,
  }));
  return html`<div ...${speaks(report.text)}><${Flow} text=${report.text} claims=${claims} />
    <p class="answer-foot" dir="ltr" lang="en"><${Legend} /></p></div>`;
}

/** The text with what was changed struck out and what stands there now underlined. */
function Corrected({ report }) {
  const [copied, setCopied] = useState(false);
  const count = report.claims.filter((claim) => claim.correction).length;
  const pieces = differenceOf(report);
  const copy = async () => {
    await navigator.clipboard.writeText(pieces.map((one) => one.text ?? one.now ?? "").join(""));
    setCopied(true);
  };
  return html`<section class="corrected"><h2>${t.check.corrected(count)}</h2>
    ${count > 0 && html`<p class="answer-text" ...${speaks(report.text)}>${pieces.map((one) => (
      one.was !== undefined ? html`<del>${one.was}</del>` : one.now !== undefined ? html`<ins>${one.now}</ins>` : one.text))}</p>
      <p class="muted">${t.check.correctedHint}</p>
      ${navigator.clipboard && html`<button type="button" class="quiet" onClick=${copy}>${copied ? t.check.copied : t.check.copyCorrected}</button>`}`}
  </section>`;
}

function Row({ claim, verdict, disputed, active, onFocus, attributes }) {
  const given = rowIn(claim.text)?.rows[0].cells.map(([start, end]) => plain(claim.text.slice(start, end))).join(" · ") ?? claim.text;
  return html`<div class=${`row ${classOf({ ...claim, active, bad: verdict === "contradicted" })}`} ...${attributes}>
    <span class="claim-text" tabindex="0" role="button" aria-pressed=${active} ...${speaks(claim.text)} onMouseEnter=${onFocus} onFocus=${onFocus} onClick=${onFocus}>${given}</span>
    <${Mark} claim=${claim} verdict=${verdict} disputed=${disputed} /></div>`;
}

/** The passages of a claim: what contradicts it, then what bears it, each once; and where the facts disagree on it. */
function ClaimEvidence({ claim, verdict, result, thresholds, onOpen }) {
  if (!claim) return html`<p class="muted evidence-hint">${t.evidence.hint}</p>`;
  const { report } = result;
  const against = verdict === "contradicted" ? claim.anti.slice(0, 2) : [];
  const bearing = claim.citations.filter((index) => !against.includes(index)).slice(0, MOST_PASSAGES);
  const passage = (index, contradicts) => {
    const chunk = report.chunks[index];
    if (!chunk) return null;
    const isChunk = chunk.source.includes("/chunks/");
    return html`<${Passage} key=${`${index}${contradicts}`} title=${chunk.title || titleOf(chunk.source, result)} text=${chunk.text} sentence=${claim.text}
      spans=${spansOf(claim, chunk, result.facts)} contradicts=${contradicts}
      onOpen=${isChunk && (() => onOpen({ document: documentOf(chunk.source), chunk: chunk.source, sentence: claim.text }))} />`;
  };
  return html`<div>
    <${Sentence} text=${claim.text} spans=${claim.spans} />
    <${Verdict} claim=${claim} verdict=${verdict} />
    ${disputesOf(claim, thresholds).map((index) => html`<${Conflict} conflict=${report.conflicts[index]} result=${result} />`)}
    ${against.map((index) => passage(index, true))}
    ${verdict !== "supported" && bearing.length > 0 && html`<p class="muted">${t.evidence.nearest}</p>`}
    ${bearing.map((index) => passage(index, false))}
    ${claim.checked && !against.length && !bearing.length && html`<p class="muted">${t.evidence.none}</p>`}
  </div>`;
}

/** Where in the chunk the check says that the words are: its offsets are those of the fact. */
function spansOf(claim, chunk, facts) {
  const fact = facts?.[Number(chunk.source)]?.text ?? chunk.text;
  const at = indexOfByte(fact);
  const offset = Math.max(0, fact.indexOf(chunk.text));
  return claim.spans.filter((one) => one.source === chunk.source)
    .map((one) => [at(one.factStart) - offset, at(one.factEnd) - offset]);
}
