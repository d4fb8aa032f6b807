// One conversation: its turns, each with messages, the variables that changed, and its check.
import { html, score } from "../ui.js";
import { t } from "../text.js";
import { lastPart } from "../wire.js";
import { speaks } from "../language.js";

export function Transcript({ conversation }) {
  const variables = variablesOf(conversation.turns ?? []);
  return html`<article class="transcript"><h2><code>${lastPart(conversation.name)}</code></h2>
    ${(conversation.turns ?? []).map((turn, index) => html`<section class="said" aria-label=${t.conversations.turn(index + 1)}>
      <p class="turn-head"><span class="muted">${t.conversations.turn(index + 1)}</span><${Check} span=${turn.rootSpan} /></p>
      ${(turn.messages ?? []).map((message) => html`<${Message} message=${message} />`)}
      <${Spans} span=${turn.rootSpan} />
    </section>`)}
    ${variables.length > 0 && html`<section><h3>${t.conversations.variables}</h3><table><thead><tr>
      <th scope="col">${t.conversations.turnColumn}</th><th scope="col">${t.conversations.variable}</th><th scope="col">${t.conversations.value}</th></tr></thead>
      <tbody>${variables.map((row) => html`<tr><td class="n">${row.turn}</td><td><code>${row.name}</code></td><td><${Value} value=${row.value} /></td></tr>`)}</tbody></table></section>`}
  </article>`;
}

/** The verdict of the turn's check, as v1beta's HallucinationResult words it. */
function Check({ span }) {
  const found = span?.attributes?.hallucination;
  if (!found) return null;
  const bad = found.score === 0;
  return html`<span class=${`chip ${bad ? "bad" : found.score === 1 ? "supported" : ""}`} title=${found.explanation}>
    ${bad && html`<span class="neq" aria-hidden="true">≠</span>`}${found.label}${found.support !== undefined ? ` ${score(found.support)}` : ""}</span>
    <small class="muted">${found.explanation}</small>`;
}

function Message({ message }) {
  const user = message.role === "user";
  return html`<div class=${`message ${user ? "user" : "agent"}`}><p class="role">${user ? t.conversations.user : message.role}</p>
    <div>${(message.chunks ?? []).map((chunk) => html`<${Chunk} chunk=${chunk} />`)}</div></div>`;
}

/** One chunk; a kind that is not known here is shown as it came, not left out. */
function Chunk({ chunk }) {
  if (chunk.text !== undefined) return html`<p class="text" ...${speaks(chunk.text)}>${chunk.text}</p>`;
  if (chunk.transcript !== undefined) return html`<${Kind} name=${t.conversations.kinds.transcript}><p class="text" ...${speaks(chunk.transcript)}>${chunk.transcript}</p><//>`;
  if (chunk.toolCall) {
    return html`<${Kind} name=${t.conversations.kinds.toolCall} what=${chunk.toolCall.displayName || lastPart(chunk.toolCall.tool)}><${Value} value=${chunk.toolCall.args ?? {}} /><//>`;
  }
  if (chunk.toolResponse) {
    return html`<${Kind} name=${t.conversations.kinds.toolResponse} what=${chunk.toolResponse.displayName || lastPart(chunk.toolResponse.tool)}><${Value} value=${chunk.toolResponse.response ?? {}} /><//>`;
  }
  if (chunk.agentTransfer) {
    return html`<${Kind} name=${t.conversations.kinds.transfer} what=${chunk.agentTransfer.displayName || lastPart(chunk.agentTransfer.targetAgent)} />`;
  }
  if (chunk.updatedVariables || chunk.defaultVariables) {
    const kind = chunk.updatedVariables ? "updated" : "defaults";
    return html`<${Kind} name=${t.conversations.kinds[kind]}><${Value} value=${chunk.updatedVariables ?? chunk.defaultVariables} /><//>`;
  }
  if (chunk.image) return html`<${Kind} name=${t.conversations.kinds.image} what=${chunk.image.mimeType}><${Picture} image=${chunk.image} /><//>`;
  if (chunk.blob) return html`<${Kind} name=${t.conversations.kinds.blob} what=${`${chunk.blob.mimeType ?? ""} ${t.conversations.bytes(Math.floor(((chunk.blob.data ?? "").length * 3) / 4))}`} />`;
  const [name, value] = Object.entries(chunk)[0] ?? ["", {}];
  return html`<${Kind} name=${t.conversations.kinds[name] ?? name}><${Value} value=${value} /><//>`;
}

function Kind({ name, what, children }) {
  return html`<div class="kind"><p><span class="chip">${name}</span> ${what && html`<b>${what}</b>`}</p>${children}</div>`;
}

/** A picture from the conversation itself, as an address that only this page has. */
function Picture({ image }) {
  if (!image.data || !/^image\/(png|jpeg|webp)$/.test(image.mimeType ?? "")) return null;
  const bytes = Uint8Array.from(atob(image.data.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: image.mimeType }));
  return html`<img src=${url} alt=${t.conversations.imageAlt} onLoad=${() => URL.revokeObjectURL(url)} />`;
}

function isFlat(value) {
  return Boolean(value) && typeof value === "object" && !Array.isArray(value)
    && Object.values(value).every((one) => one === null || typeof one !== "object");
}

function Value({ value }) {
  const parts = Object.entries(value ?? {});
  if (parts.length === 1 && isFlat(parts[0][1])) {
    return html`<div class="nested"><code class="muted">${parts[0][0]}</code><${Value} value=${parts[0][1]} /></div>`;
  }
  if (!isFlat(value)) return html`<pre dir="auto">${JSON.stringify(value, null, 1)}</pre>`;
  const rows = Object.entries(value);
  if (!rows.length) return html`<p class="muted">${t.conversations.empty}</p>`;
  return html`<dl class="values">${rows.map(([name, one]) => html`<div><dt>${name}</dt><dd ...${speaks(String(one))}>${String(one)}</dd></div>`)}</dl>`;
}

function Spans({ span }) {
  const parts = span?.childSpans ?? [];
  if (!parts.length) return null;
  return html`<details><summary>${t.conversations.steps} · ${seconds(span)}</summary>
    <ul class="plain spans">${parts.map((one) => html`<li><code>${one.name}</code> <span class="muted">${seconds(one)}</span>
      ${Object.keys(one.attributes ?? {}).length > 0 && html`<code class="muted">${JSON.stringify(one.attributes)}</code>`}</li>`)}</ul></details>`;
}

function seconds(span) { return `${(parseFloat(span.duration ?? "0") * 1000).toFixed(0)} ms`; }

/** Every change of a variable, in order: what was sent as a variable, and what agents and tools set. */
function variablesOf(turns) {
  const rows = [];
  turns.forEach((turn, index) => {
    for (const chunk of (turn.messages ?? []).flatMap((message) => message.chunks ?? [])) {
      const set = chunk.updatedVariables ?? chunk.defaultVariables ?? {};
      for (const [name, value] of Object.entries(set)) rows.push({ turn: index + 1, name, value });
    }
  });
  return rows;
}
