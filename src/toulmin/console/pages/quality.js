// Quality: labelled examples through the check, with the figures that `toulmin evaluate` has.
import { html, picked, saveAs, score, useEffect, useKept, useMemo, useRef, useState, Busy, Failure, Figure, Progress } from "../ui.js";
import { t } from "../text.js";
import { speaks } from "../language.js";
import { atThreshold, auroc, brier, calibrationError, reliability, sweep } from "../parts/statistics.js";
import { Windowed } from "../parts/windowed.js";
import { Plot } from "../parts/plot.js";
import { Calibrate } from "./calibrate.js";
import { evaluate, examplesOf, textOf } from "./quality_work.js";

export function Quality({ caller }) {
  const [file, setFile] = useKept("quality.file", null); // {name, examples}
  const [rows, setRows] = useKept("quality.rows", []);
  const [threshold, setThreshold] = useKept("quality.threshold", 0.6);
  const [working, setWorking] = useState(false);
  const [error, setError] = useState(null);
  const stop = useRef(null);
  useEffect(() => () => stop.current?.abort(), []);

  const choose = async (chosen) => {
    setError(null);
    try {
      setFile({ name: chosen.name, examples: examplesOf(await textOf(chosen)) });
      setRows([]);
    } catch (failure) {
      setFile(null);
      setError(failure);
    }
  };
  const run = async () => {
    stop.current = new AbortController();
    setWorking(true);
    setError(null);
    setRows([]);
    try {
      await evaluate(file.examples, { signal: stop.current.signal, onRows: (done) => setRows((old) => [...old, ...done]) });
    } catch (failure) {
      if (failure.name !== "AbortError") setError(failure);
    }
    setWorking(false);
  };
  return html`<div class="quality">
    <div class="page-head"><h1>${t.nav.quality}</h1>
      <label class="file-button">${t.quality.choose}<input type="file" accept=".jsonl,.json,.txt,.gz" onChange=${(event) => picked(event, choose)} /></label>
      ${rows.length > 0 && !working && html`<button type="button" class="quiet" onClick=${() => saveAs("evaluation.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"), "application/jsonl")}>${t.quality.save}</button>`}
    </div>
    ${!file && html`<div class="intro"><p>${t.quality.intro}</p><pre>${t.quality.format}</pre></div>`}
    <${Failure} error=${error} />
    ${file && html`<div class="actions"><span>${t.quality.file(file.name, file.examples.length)}</span>
      ${working ? html`<button type="button" onClick=${() => stop.current.abort()}>${t.ask.stop}</button>` : html`<button type="button" onClick=${run}>${t.quality.run}</button>`}</div>`}
    ${working && html`<${Busy}>${t.quality.progress(rows.length, file.examples.length)}<//><${Progress} share=${rows.length / file.examples.length} label=${t.quality.run} />`}
    ${rows.length > 0 && html`<${Figures} rows=${rows} threshold=${threshold} onThreshold=${setThreshold} />`}
    ${file && html`<${Calibrate} file=${file} caller=${caller} />`}
  </div>`;
}

function Figures({ rows, threshold, onThreshold }) {
  const judged = useMemo(() => rows.filter((row) => !row.error), [rows]);
  const curve = useMemo(() => sweep(judged), [judged]);
  const bins = useMemo(() => reliability(judged), [judged]);
  const here = atThreshold(judged, threshold);
  const failed = rows.length - judged.length;
  return html`<dl class="figures">
      <${Figure} name=${t.quality.auroc} value=${three(auroc(judged))} />
      <${Figure} name=${t.quality.balanced} value=${three(here.balanced)} note=${t.quality.at(threshold)} />
      <${Figure} name=${t.quality.falsePass} value=${percent(here.falsePass)} />
      <${Figure} name=${t.quality.falseStrip} value=${percent(here.stripped)} />
      <${Figure} name=${t.quality.ece} value=${three(calibrationError(judged))} />
      <${Figure} name=${t.quality.brier} value=${three(brier(judged))} />
      ${failed > 0 && html`<${Figure} name=${t.quality.failed} value=${failed} />`}
    </dl>
    <div class="controls"><label class="threshold">${t.quality.threshold}
      <input type="range" min="0.01" max="0.99" step="0.01" value=${threshold} onInput=${(event) => onThreshold(Number(event.target.value))} /><output class="score">${threshold.toFixed(2)}</output></label>
      ${curve.best[1] >= 0 && html`<span class="muted">${t.quality.best(curve.best[0], three(curve.best[1]))}</span>`}</div>
    <div class="plots">
      <${Plot} title=${t.quality.reliability} about=${t.quality.reliabilityHint} x=${t.quality.meanScore} y=${t.quality.shareSupported}
        diagonal=${true} dots=${bins.map((bin) => [bin.mean, bin.share, bin.count])} />
      <${Plot} title=${t.quality.sweep} about=${t.quality.sweepHint} x=${t.quality.threshold} y=${t.quality.balanced}
        line=${curve.points} mark=${threshold} />
    </div>
    <${Confusions} rows=${judged} threshold=${threshold} />`;
}

function Confusions({ rows, threshold }) {
  const [kind, setKind] = useState("pass");
  const wrong = rows.filter((row) => (kind === "pass" ? !row.label && row.score >= threshold : row.label && row.score < threshold))
    .sort((a, b) => (kind === "pass" ? b.score - a.score : a.score - b.score));
  return html`<section><h2>${t.quality.confusions}</h2>
    <div class="choice"><label><input type="radio" name="confusion" checked=${kind === "pass"} onChange=${() => setKind("pass")} /> ${t.quality.falsePass}</label>
      <label><input type="radio" name="confusion" checked=${kind === "strip"} onChange=${() => setKind("strip")} /> ${t.quality.falseStrip}</label></div>
    <p class="muted" role="status">${t.quality.count(wrong.length)}</p>
    <${Windowed} items=${wrong} label=${t.quality.confusions} row=${(row, _, attributes) => html`<div class="row" ...${attributes}>
      <p><span class="chip">${score(row.score)}</span> <span ...${speaks(row.claim)}>${row.claim}</span></p>
      <details><summary>${t.quality.premise}</summary><p class="premise" ...${speaks(row.premise.join(" "))}>${row.premise.join("\n\n")}</p></details></div>`} /></section>`;
}

function three(value) { return value === undefined ? "–" : value.toFixed(3); }
function percent(value) { return value === undefined ? "–" : `${(100 * value).toFixed(1)} %`; }
