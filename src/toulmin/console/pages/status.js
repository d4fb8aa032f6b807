// Status: load, latency, models, settings and keys, read again every few seconds.
import { html, useEffect, useLoaded, when, Busy, Failure, Figure } from "../ui.js";
import { t } from "../text.js";
import { get, text } from "../wire.js";
import { metricsOf, quantile, sumOf } from "../parts/metrics.js";

const EVERY_MS = 5000;

export function Status({ caller }) {
  const status = useLoaded((signal) => get("v1/toulmin/status", { signal }), []);
  const figures = useLoaded(async (signal) => metricsOf(await text("metrics", { signal })), []);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") { status.again(); figures.again(); }
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (status.error && !status.value) {
    return html`<div><div class="page-head"><h1>${t.nav.status}</h1></div>
      ${caller.role === "admin" && !caller.projects
        ? html`<${Failure} error=${status.error} onAgain=${status.again} />`
        : html`<p class="notice">${t.status.adminsOnly}</p>`}</div>`;
  }
  if (!status.value) return html`<${Busy}>${t.loading}<//>`;
  const now = status.value;
  return html`<div class="status">
    <div class="page-head"><h1>${t.nav.status}</h1>
      <span class="chip ${now.ready === "ok" ? "supported" : "bad"}">${now.ready === "ok" ? t.status.ready : now.ready}</span>
      <span class="muted">Toulmin ${now.version}</span></div>
    <dl class="figures">
      <${Figure} name=${t.status.uptime} value=${duration(now.uptimeSeconds)} />
      <${Figure} name=${t.status.inFlight} value=${now.requestsInFlight} note=${t.status.threads(now.workerThreads, now.maxQueue)} />
      <${Figure} name=${t.status.connections} value=${now.openConnections} />
      ${figures.value && html`<${Load} metrics=${figures.value} />`}
    </dl>
    ${figures.error && html`<p class="notice">${t.status.noMetrics} ${figures.error.message}</p>`}
    ${figures.value && html`<${Latency} metrics=${figures.value} />`}
    <section><h2>${t.status.models}</h2>
      <table><tbody>${Object.entries({ ...now.readers, ...now.models }).map(([name, version]) => html`<tr><th scope="row">${name}</th><td><code>${version}</code></td></tr>`)}
        <tr><th scope="row">${t.status.languageModel}</th><td>${now.languageModel || html`<span class="muted">${t.status.none}</span>`}</td></tr></tbody></table></section>
    <section><h2>${t.status.keys}</h2><${Keys} keys=${now.keys} open=${caller.open} /></section>
    <section><h2>${t.status.settings}</h2><${Settings} settings=${now.settings} /></section>
  </div>`;
}

function Load({ metrics }) {
  return html`<${Figure} name=${t.status.requests} value=${sumOf(metrics, "toulmin_requests_total").toLocaleString("en")} />
    <${Figure} name=${t.status.waiting} value=${sumOf(metrics, "toulmin_requests_waiting")} />
    <${Figure} name=${t.status.answers} value=${sumOf(metrics, "toulmin_answers_total").toLocaleString("en")}
      note=${t.status.declined(sumOf(metrics, "toulmin_answers_declined_total"))} />
    <${Figure} name=${t.status.lag} value=${sumOf(metrics, "toulmin_index_lag_changes")} />`;
}

function Latency({ metrics }) {
  const name = "toulmin_request_duration_seconds";
  const counts = metrics[`${name}_count`] ?? [];
  if (!counts.length) return null;
  const rows = counts.map(({ labels, value }) => ({
    rpc: labels.rpc, count: value,
    half: quantile(metrics, name, labels, 0.5), most: quantile(metrics, name, labels, 0.95),
  })).sort((a, b) => b.count - a.count);
  return html`<section class="latency"><h2>${t.status.latency}</h2><p class="muted">${t.status.latencyHint}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t.status.latency}><table><thead><tr><th scope="col">${t.status.rpc}</th><th scope="col" class="n">${t.status.calls}</th>
      <th scope="col" class="n">${t.status.half}</th><th scope="col" class="n">${t.status.most}</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr><td><code>${serviceOf(row.rpc)}.<wbr />${methodOf(row.rpc)}</code> <small class="muted">${apiOf(row.rpc)}</small></td>
        <td class="n">${row.count.toLocaleString("en")}</td><td class="n">${milliseconds(row.half)}</td><td class="n">${milliseconds(row.most)}</td></tr>`)}</tbody></table></div></section>`;
}

function serviceOf(rpc) { return rpc.split(".").at(-2); }

function methodOf(rpc) { return rpc.split(".").at(-1); }

/** "google.cloud.discoveryengine.v1.DocumentService.GetDocument" is of "discoveryengine v1". */
function apiOf(rpc) {
  return rpc.split(".").slice(0, -2).filter((part) => part !== "google" && part !== "cloud").join(" ");
}

function milliseconds(seconds) {
  if (seconds === undefined) return "–";
  return seconds === Infinity ? t.status.longer : t.status.upTo(Math.round(seconds * 1000));
}

function duration(seconds) {
  const parts = [[86400, "d"], [3600, "h"], [60, "min"]];
  for (const [size, unit] of parts) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  return `${Math.floor(seconds)} s`;
}

function Keys({ keys, open }) {
  if (!keys.length) return html`<p class="muted">${open ? t.status.open : t.status.noStored}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t.status.keys}><table><thead><tr>${t.status.keyColumns.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
    <tbody>${keys.map((key) => html`<tr><td>${key.displayName}</td><td><code>${key.id}</code></td><td>${key.role}</td>
      <td>${key.projects ? key.projects.join(", ") : t.status.allProjects}</td>
      <td>${key.state === "active" ? key.state : html`<span class="chip bad">${key.state}</span>`}</td><td class="muted">${when(key.expireTime)}</td></tr>`)}</tbody></table></div>`;
}

function Settings({ settings }) {
  const changed = settings.filter((one) => one.origin !== "default");
  const table = (rows) => html`<div class="scroll" tabindex="0" role="region" aria-label=${t.status.settings}><table class="settings"><thead><tr>${t.status.settingColumns.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
    <tbody>${rows.map((one) => html`<tr><td><code>${one.name}</code></td><td><code>${one.value}</code></td><td class="muted">${one.origin}</td><td class="muted">${one.help}</td></tr>`)}</tbody></table></div>`;
  return html`${changed.length ? table(changed) : html`<p class="muted">${t.status.allDefault}</p>`}
    <details><summary>${t.status.allSettings(settings.length)}</summary>${table(settings)}</details>`;
}
