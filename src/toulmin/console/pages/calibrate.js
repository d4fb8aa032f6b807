// Calibration on the Quality page: for admins; what is fitted is a file, and this server stays as it is.
import { html, saveAs, useEffect, useKept, useRef, useState, Busy, Failure, Figure, Progress } from "../ui.js";
import { t } from "../text.js";
import { Plot } from "../parts/plot.js";
import { calibrate, tooFew } from "./calibrate_work.js";

const FILE = "calibration.json";

export function Calibrate({ file, caller }) {
  const [fit, setFit] = useKept("quality.fit", null); // {file, said}
  const [scored, setScored] = useState(null); // how many; null: nothing is at work
  const [error, setError] = useState(null);
  const stop = useRef(null);
  useEffect(() => () => stop.current?.abort(), []);
  useEffect(() => { stop.current?.abort(); setError(null); }, [file]);

  const few = tooFew(file.examples);
  const run = async () => {
    const mine = new AbortController();
    stop.current = mine;
    setError(null);
    setFit(null);
    setScored(0);
    try {
      const said = await calibrate(file.examples, { signal: mine.signal, onScored: (count) => { if (!mine.signal.aborted) setScored(count); } });
      setFit({ file, said });
    } catch (failure) {
      if (failure.name !== "AbortError") setError(failure);
    }
    setScored(null);
  };
  return html`<section class="calibrate"><h2>${t.calibrate.title}</h2>
    <p class="muted">${t.calibrate.intro}</p>
    ${caller.role !== "admin" && html`<p class="muted">${t.calibrate.adminsOnly} <code>toulmin calibrate FILE --out ${FILE}</code></p>`}
    ${caller.role === "admin" && few && html`<p class="muted">${t.calibrate.few(few)}</p>`}
    ${caller.role === "admin" && !few && html`<div class="actions">${scored === null
      ? html`<button type="button" onClick=${run}>${t.calibrate.run}</button>`
      : html`<button type="button" onClick=${() => stop.current.abort()}>${t.ask.stop}</button>`}</div>`}
    ${scored !== null && html`<${Busy}>${scored < file.examples.length ? t.calibrate.scoring(scored, file.examples.length) : t.calibrate.fitting}<//><${Progress} share=${scored / file.examples.length} label=${t.calibrate.run} />`}
    <${Failure} error=${error} />
    ${fit && fit.file === file && html`<${Fit} said=${fit.said} />`}
  </section>`;
}

function Fit({ said }) {
  const { support, contradiction } = said.figures;
  const at = said.citationThreshold;
  return html`
    ${said.warnings.length > 0 && html`<div class="notice" role="alert">${said.warnings.map((one) => html`<p>${one[0].toUpperCase() + one.slice(1)}.</p>`)}</div>`}
    <p>${t.calibrate.held(said.examples)}</p>
    <dl class="figures">
      <${Figure} name=${t.quality.ece} ...${change(support.ece)} />
      <${Figure} name=${t.quality.brier} ...${change(support.brier)} />
      <${Figure} name=${t.quality.balanced} ...${change(support.balanced_accuracy)} note=${t.calibrate.thresholds(said.defaultThreshold, at)} />
      <${Figure} name=${t.calibrate.threshold} value=${at.toFixed(2)} />
    </dl>
    <${Curves} curves=${said.curves.support} of=${t.calibrate.support} />
    ${contradiction && html`<h3>${t.calibrate.contradictionTitle}</h3>
      <dl class="figures"><${Figure} name=${t.quality.ece} ...${change(contradiction.ece)} /><${Figure} name=${t.quality.brier} ...${change(contradiction.brier)} /></dl>
      <${Curves} curves=${said.curves.contradiction} of=${t.calibrate.contradiction} />`}
    <h3>${t.calibrate.use}</h3>
    <p><button type="button" onClick=${() => saveAs(FILE, said.file)}>${t.calibrate.save}</button></p>
    <p>${t.calibrate.unchanged}</p>
    <ul class="ways"><li><code>toulmin serve --calibration ${FILE}</code></li>
      <li>${t.calibrate.inSettings} <code>calibration = "/path/to/${FILE}"</code></li>
      <li>${t.calibrate.inEnvironment} <code>TOULMIN_CALIBRATION=/path/to/${FILE}</code></li></ul>
    <p class="muted">${t.calibrate.after(at, said.defaultThreshold)}</p>`;
}

function change([before, after]) { return { value: `${before.toFixed(3)} → ${after.toFixed(3)}` }; }

function Curves({ curves, of }) {
  const dots = (bins) => bins.map((bin) => [bin.mean, bin.share, bin.count]);
  return html`<div class="plots">${[[t.calibrate.before(of), curves.before], [t.calibrate.curveAfter(of), curves.after]].map(([title, bins]) => html`
    <${Plot} title=${title} about=${t.quality.reliabilityHint} x=${t.quality.meanScore} y=${t.calibrate.shareTrue} diagonal=${true} dots=${dots(bins)} />`)}</div>`;
}
