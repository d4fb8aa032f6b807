// Check: a text and facts, and how well each of its sentences is borne out by them.
import {
  html, picked, saveAs, useEffect, useKept, useLoaded, useRef, useState, Busy, Failure, Progress,
} from "../ui.js";
import { t } from "../text.js";
import { all, lastPart, names } from "../wire.js";
import { DEFAULTS } from "../parts/report.js";
import { check, compare, opened, piecesOf, saved } from "./check_work.js";
import { Conflicts } from "./check_conflicts.js";
import { Report } from "./check_report.js";

const MOST_FACTS = 200;

export function Check() {
  const [text, setText] = useKept("check.text", "");
  const [facts, setFacts] = useKept("check.facts", [""]);
  const [source, setSource] = useKept("check.source", "facts");
  const [store, setStore] = useKept("check.store", "");
  const [correcting, setCorrecting] = useKept("check.correcting", false);
  const [comparing, setComparing] = useKept("check.comparing", false);
  const [result, setResult] = useKept("check.result", null); // {report, facts, corrected, compared}; facts: null, from a data store
  const [thresholds, setThresholds] = useKept("check.thresholds", DEFAULTS);
  const [work, setWork] = useState(null); // {share, parts}
  const [error, setError] = useState(null);
  const stop = useRef(null);
  const outcome = useRef();
  useEffect(() => () => stop.current?.abort(), []);

  const given = facts.map((one, index) => ({ text: one.trim(), number: index + 1 })).filter((one) => one.text);
  // Facts can be compared without a text to check.
  const ready = text.trim() ? (source === "store" ? store : given.length > 0) : comparing && source === "facts" && given.length > 1;

  const run = async (action) => {
    stop.current = new AbortController();
    setError(null);
    setWork({ share: 0 });
    try {
      await action(stop.current.signal);
    } catch (failure) {
      if (failure.name !== "AbortError") setError(failure);
    }
    setWork(null);
  };
  const start = () => run(async (signal) => {
    const from = source === "store"
      ? { groundingSource: { searchSource: names.serving(store) } }
      : { facts: piecesOf(given) };
    const report = text.trim()
      ? await check(text, from, {
        signal, onProgress: (share, parts) => setWork({ share, parts }), corrected: correcting ? thresholds.citation : null, compared: comparing,
      })
      : await compare(from.facts, { signal });
    setResult({ report, facts: from.facts ?? null, corrected: correcting, compared: comparing });
    requestAnimationFrame(() => outcome.current?.scrollIntoView({ block: "start", behavior: "smooth" }));
  });
  // The same button says Check by the time the click would act, so it is kept from sending the form.
  const halt = (event) => { event.preventDefault(); stop.current.abort(); };
  const open = async (file) => {
    setError(null);
    try {
      const found = opened(await file.text());
      setResult(found);
    } catch (failure) {
      setError(failure);
    }
  };

  return html`<div class="check">
    <div class="page-head"><h1>${t.check.title}</h1>
      <label class="file-button">${t.check.open}<input type="file" accept=".json,application/json" onChange=${(event) => picked(event, open)} /></label>
      ${result && html`<button type="button" class="quiet" onClick=${() => saveAs("report.json", saved(result))}>${t.check.save}</button>`}
    </div>
    <form class="inputs" onSubmit=${(event) => { event.preventDefault(); if (ready && !work) start(); }}>
      <div><label for="candidate">${t.check.text}</label>
        <textarea id="candidate" rows="9" dir="auto" value=${text} placeholder=${t.check.textHint} onInput=${(event) => setText(event.target.value)}></textarea></div>
      <fieldset><legend>${t.check.against}</legend>
        <div class="choice">
          <label><input type="radio" name="source" checked=${source === "facts"} onChange=${() => setSource("facts")} /> ${t.check.facts}</label>
          <label><input type="radio" name="source" checked=${source === "store"} onChange=${() => setSource("store")} /> ${t.check.store}</label>
        </div>
        ${source === "facts"
          ? html`<${Facts} facts=${facts} onFacts=${setFacts} />`
          : html`<${StoreChoice} store=${store} onStore=${setStore} />`}
      </fieldset>
      <div class="actions">
        ${work
          ? html`<button type="button" onClick=${halt}>${t.ask.stop}</button>`
          : html`<button type="submit" disabled=${!ready}>${t.check.go}</button>`}
        <label class="option"><input type="checkbox" checked=${correcting} onChange=${(event) => setCorrecting(event.target.checked)} /> ${t.check.correcting}</label>
        <label class="option"><input type="checkbox" checked=${comparing} onChange=${(event) => setComparing(event.target.checked)} /> ${t.check.comparing}</label>
        ${!text && !given.length && html`<button type="button" class="link" onClick=${() => { setText(t.check.exampleText); setFacts(t.check.exampleFacts); }}>${t.check.example}</button>`}
      </div>
      ${work && (work.parts > 1 || !result) && html`<${Busy}>${work.parts > 1 ? t.check.part(Math.round(work.share * work.parts) + 1, work.parts) : t.check.checking}<//>`}
      ${work && work.parts > 1 && html`<${Progress} share=${work.share} label=${t.check.checking} />`}
    </form>
    <${Failure} error=${error} />
    <div ref=${outcome}>${result?.compared && html`<${Conflicts} result=${result} thresholds=${thresholds} />`}
      ${result && (!result.compared || result.report.claims.length > 0) && html`<${Report} result=${result} thresholds=${thresholds} onThresholds=${setThresholds} />`}</div>
  </div>`;
}

function Facts({ facts, onFacts }) {
  const change = (index, value) => onFacts(facts.map((one, i) => (i === index ? value : one)));
  return html`<ol class="plain facts">${facts.map((fact, index) => html`<li key=${index}>
      <label for=${`fact-${index}`}>${t.check.fact(index + 1)}</label>
      ${facts.length > 1 && html`<button type="button" class="quiet small" aria-label=${t.check.dropFact(index + 1)} onClick=${() => onFacts(facts.filter((_, i) => i !== index))}>${t.remove}</button>`}
      <textarea id=${`fact-${index}`} rows=${facts.length > 2 ? 2 : 4} dir="auto" value=${fact} onInput=${(event) => change(index, event.target.value)}></textarea>
    </li>`)}</ol>
    ${facts.length < MOST_FACTS && html`<button type="button" class="quiet" onClick=${() => onFacts([...facts, ""])}>${t.check.addFact}</button>`}`;
}

function StoreChoice({ store, onStore }) {
  const stores = useLoaded((signal) => all(`v1/${names.collection()}/dataStores`, "dataStores", { signal }), []);
  const ids = (stores.value ?? []).map((one) => lastPart(one.name));
  useEffect(() => { if (ids.length && !ids.includes(store)) onStore(ids[0]); }, [stores.value]);
  if (stores.error) return html`<${Failure} error=${stores.error} onAgain=${stores.again} />`;
  if (stores.value && !ids.length) return html`<p class="muted">${t.ask.noStores} <a href="#/documents">${t.ask.addSome}</a></p>`;
  return html`<select aria-label=${t.ask.store} value=${store} onChange=${(event) => onStore(event.target.value)}>
    ${ids.map((id) => html`<option value=${id}>${id}</option>`)}</select>
    <p class="muted">${t.check.storeHint}</p>`;
}
