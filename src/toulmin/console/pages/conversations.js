// Conversations: what was said with agents, with every kind of chunk and the check of each turn.
import { html, useKept, useLoaded, when, Busy, Failure } from "../ui.js";
import { t } from "../text.js";
import { all, get, lastPart, names } from "../wire.js";
import { Transcript } from "./conversation_view.js";

const MOST = 500;

export function Conversations() {
  const [location, setLocation] = useKept("conversations.location", "us");
  const [app, setApp] = useKept("conversations.app", "");
  const [open, setOpen] = useKept("conversations.open", "");
  const apps = useLoaded((signal) => all(`v1/${names.ces(location)}/apps`, "apps", { signal }), [location]);
  const found = apps.value ?? [];
  const chosen = found.some((one) => one.name === app) ? app : found[0]?.name ?? "";
  const list = useLoaded((signal) => (chosen
    ? all(`v1/${chosen}/conversations`, "conversations", { signal, most: MOST }) : Promise.resolve([])), [chosen]);
  return html`<div class="conversations">
    <div class="page-head"><h1>${t.nav.conversations}</h1>
      <label>${t.conversations.location} <input size="8" spellcheck="false" value=${location} onChange=${(event) => setLocation(event.target.value.trim() || "us")} /></label>
      ${found.length > 0 && html`<label>${t.conversations.app}<select value=${chosen} onChange=${(event) => setApp(event.target.value)}>
        ${found.map((one) => html`<option value=${one.name}>${one.displayName || lastPart(one.name)}</option>`)}</select></label>`}
    </div>
    <${Failure} error=${apps.error ?? list.error} onAgain=${(apps.error ? apps : list).again} />
    ${(apps.loading || list.loading) && !list.value && html`<${Busy}>${t.loading}<//>`}
    ${apps.value && !found.length && html`<p class="muted">${t.conversations.noApps(location)}</p>`}
    ${chosen && list.value && !list.value.length && html`<p class="muted">${t.conversations.none}</p>`}
    ${list.value?.length > 0 && html`<div class="split narrow-first">
      <ul class="plain picks" aria-label=${t.nav.conversations}>${list.value.map((one) => html`<li key=${one.name}>
        <button type="button" class="link" aria-pressed=${open === one.name} onClick=${() => setOpen(one.name)}>${lastPart(one.name)}</button>
        <small class="muted">${when(one.startTime)} · ${t.conversations.turns(one.turnCount ?? 0)}</small></li>`)}</ul>
      <div>${open.startsWith(chosen) && open ? html`<${Conversation} key=${open} name=${open} />` : html`<p class="muted">${t.conversations.choose}</p>`}</div>
    </div>`}
  </div>`;
}

function Conversation({ name }) {
  const one = useLoaded((signal) => get(`v1/${name}`, { signal }), [name]);
  if (one.error) return html`<${Failure} error=${one.error} onAgain=${one.again} />`;
  if (!one.value) return html`<${Busy}>${t.loading}<//>`;
  return html`<${Transcript} conversation=${one.value} />`;
}
