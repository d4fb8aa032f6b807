// A document as it was read: its chunks in order, page by page, with the cited one marked.
import { html, shownUri, useEffect, useLoaded, useRef, Busy, Failure } from "../ui.js";
import { t } from "../text.js";
import { all, get, lastPart } from "../wire.js";
import { speaks } from "../language.js";
import { bearing } from "./report.js";
import { Marked, scrollTo } from "./evidence.js";

const MOST_CHUNKS = 2000;

/** Return the chunk's document: ".../documents/d/chunks/c" without its last two parts. */
export function documentOf(chunk) { return chunk.split("/").slice(0, -2).join("/"); }

async function load(name, signal) {
  const [document, chunks] = await Promise.all([
    get(`v1/${name}`, { signal }),
    all(`v1alpha/${name}/chunks`, "chunks", { signal, most: MOST_CHUNKS, size: 1000 }),
  ]);
  return { document, chunks };
}

export function titleOf(document) {
  const derived = document.derivedStructData ?? {};
  return derived.title || document.structData?.title || derived.link || document.id;
}

export function DocumentView({ name, chunk, sentence = "", onClose }) {
  const { value, error, again } = useLoaded((signal) => load(name, signal), [name]);
  const box = useRef();
  const opener = useRef(document.activeElement);
  // Who opened it with the keyboard reads on here, and goes on where they were when it is closed.
  useEffect(() => { if (value) box.current?.focus({ preventScroll: true }); }, [Boolean(value)]);
  const close = () => { onClose(); if (opener.current?.isConnected) opener.current.focus({ preventScroll: true }); };
  useEffect(() => {
    const target = box.current?.querySelector("[aria-current]");
    const mark = target?.querySelector("mark") ?? target;
    if (mark) scrollTo(box.current, mark, 80);
  }, [value, chunk, sentence]);
  return html`<section class="document" aria-label=${t.document.label} onKeyDown=${(event) => { if (event.key === "Escape" && onClose) close(); }}>
    ${error && html`<${Failure} error=${error} onAgain=${again} />
      ${onClose && html`<button type="button" class="quiet" onClick=${close}>${t.document.close}</button>`}`}
    ${!value && !error && html`<${Busy}>${t.document.loading}<//>`}
    ${value && html`
      <header>
        <h3 ...${speaks(titleOf(value.document))}>${titleOf(value.document)}</h3>
        ${onClose && html`<button type="button" class="quiet" onClick=${close}>${t.document.close}</button>`}
        <p class="muted">${[value.document.content?.mimeType, t.document.chunks(value.chunks.length), shownUri(value.document.derivedStructData?.link)]
          .filter(Boolean).join(" · ")}</p>
      </header>
      <div class="pages" ref=${box} tabindex="0" role="group" aria-label=${t.document.text}>
        ${pagesOf(value.chunks).map((page) => html`<div class="page">
          ${page.label && html`<p class="page-number">${page.label}</p>`}
          ${page.chunks.map((one) => html`<${Chunk} chunk=${one}
            current=${chunk && lastPart(chunk) === one.id} sentence=${sentence} />`)}
        </div>`)}
        ${value.chunks.length === 0 && html`<p class="muted">${t.document.empty}</p>`}
      </div>`}
  </section>`;
}

function Chunk({ chunk, current, sentence }) {
  const text = chunk.content ?? "";
  const found = current && sentence ? bearing(text, sentence) : { ranges: [], words: [] };
  const headings = chunk.derivedStructData?.headings ?? [];
  return html`<div class="chunk" aria-current=${current ? "location" : undefined}>
    <p class="chunk-place"><code>${chunk.id}</code>${headings.length > 0 && html` <span ...${speaks(headings[0])}>${headings.join(" › ")}</span>`}</p>
    <div class="chunk-text" ...${speaks(text)}><${Marked} text=${text} found=${found} /></div>
  </div>`;
}

function pagesOf(chunks) {
  const pages = [];
  for (const chunk of chunks) {
    const start = chunk.pageSpan?.pageStart;
    const label = start ? t.document.page(start) : "";
    const last = pages[pages.length - 1];
    if (last && last.label === label) last.chunks.push(chunk);
    else pages.push({ label, chunks: [chunk] });
  }
  return pages;
}
