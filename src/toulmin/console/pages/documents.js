// Documents: data stores, what is in them, what was read of each file, and uploads by drop.
import {
  html, shownUri, useEffect, useKept, useLoaded, useRef, useSeconds, useState, when, Busy, Failure, Progress,
} from "../ui.js";
import { t } from "../text.js";
import { all, finished, get, lastPart, names, post, remove } from "../wire.js";
import { speaks } from "../language.js";
import { DocumentView, titleOf } from "../parts/document.js";
import { filesOf, MOST_BYTES, upload } from "./documents_work.js";

const PAGE = 100;
const AT_ONCE = 2;

// Files that wait are lost with the page, so the browser asks before it goes.
let underway = 0;
window.addEventListener("beforeunload", (event) => { if (underway) event.preventDefault(); });

export function Documents({ caller }) {
  const stores = useLoaded((signal) => all(`v1/${names.collection()}/dataStores`, "dataStores", { signal }), []);
  const [store, setStore] = useKept("documents.store", "");
  const [naming, setNaming] = useState(false);
  const [lost, setLost] = useState(""); // a store that was deleted meanwhile
  const [error, setError] = useState(null);
  const ids = (stores.value ?? []).map((one) => lastPart(one.name));
  const chosen = ids.includes(store) ? store : ids[0] ?? "";
  const mayWrite = caller.role !== "viewer";

  const create = async (id) => {
    setError(null);
    try {
      const operation = await post(`v1/${names.collection()}/dataStores?dataStoreId=${encodeURIComponent(id)}`, {
        displayName: id, industryVertical: "GENERIC", solutionTypes: ["SOLUTION_TYPE_SEARCH"], contentConfig: "CONTENT_REQUIRED",
      });
      await finished(operation.name);
      setStore(id);
      setNaming(false);
      stores.again();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    }
  };
  const drop = async () => {
    if (!window.confirm(t.documents.confirmStore(chosen))) return;
    setError(null);
    try {
      await finished((await remove(`v1/${names.store(chosen)}`)).name);
      stores.again();
    } catch (failure) {
      if (failure.code === 404) gone();
      else setError(failure);
    }
  };
  const gone = () => { setLost(chosen); stores.again(); };
  if (!stores.value && !stores.error) return html`<${Busy}>${t.loading}<//>`;
  return html`<div class="documents">
    <div class="page-head"><h1>${t.documents.title}</h1>
      ${ids.length > 0 && html`<label>${t.ask.store}
        <select value=${chosen} onChange=${(event) => setStore(event.target.value)}>${ids.map((id) => html`<option value=${id}>${id}</option>`)}</select></label>`}
      ${mayWrite && ids.length > 0 && html`<button type="button" class="quiet" onClick=${() => setNaming(!naming)} aria-expanded=${naming}>${t.documents.newStore}</button>
        <button type="button" class="quiet danger" onClick=${drop}>${t.documents.dropStore}</button>`}
    </div>
    <${Failure} error=${stores.error ?? error} onAgain=${stores.error && stores.again} />
    ${lost && stores.value && !ids.includes(lost) && html`<p class="notice" role="alert">${t.gone(lost)}</p>`}
    ${naming && html`<${NewStore} onCreate=${create} />`}
    ${stores.value && html`<${Store} key=${chosen} store=${chosen} mayWrite=${mayWrite} onCreate=${create} onGone=${gone} />`}
  </div>`;
}

function NewStore({ onCreate }) {
  const [id, setId] = useState("");
  return html`<form class="new-store" onSubmit=${(event) => { event.preventDefault(); onCreate(id.trim()); }}>
    <label for="store-id">${t.documents.storeId}</label>
    <input id="store-id" required pattern="[a-z0-9][a-z0-9_\\-]*" maxlength="63" spellcheck="false" value=${id} onInput=${(event) => setId(event.target.value)} />
    <button type="submit">${t.documents.create}</button><span class="muted">${t.documents.storeIdHint}</span></form>`;
}

function Store({ store, mayWrite, onCreate, onGone }) {
  const [uploads, setUploads] = useKept("documents.uploads", []);
  const [open, setOpen] = useState(null);
  const [token, setToken] = useState([""]);
  const list = useLoaded((signal) => (store
    ? get(`v1/${names.branch(store)}/documents?pageSize=${PAGE}&pageToken=${encodeURIComponent(token[token.length - 1])}`, { signal })
    : Promise.resolve({})), [store, token]);
  const [error, setError] = useState(null);
  const read = uploads.filter((row) => row.store === store && row.phase === "done").length;
  const before = useRef(read);
  useEffect(() => { // what is read stands in the list, also for who left the page and came back
    if (read === before.current) return undefined;
    before.current = read;
    const timer = setTimeout(list.again, 300);
    return () => clearTimeout(timer);
  }, [read]);
  useEffect(() => { if (list.error?.code === 404) onGone(); }, [list.error]);

  const add = async (files) => {
    const target = store || t.documents.firstStore;
    if (!store && !(await onCreate(target))) return;
    const rows = files.map(({ file, path }, index) => ({ key: `${Date.now()}-${index}`, store: target, path, size: file.size, phase: "waiting" }));
    setUploads((old) => [...rows, ...old]);
    const change = (key, part) => setUploads((old) => old.map((row) => (row.key === key ? { ...row, ...part } : row)));
    const queue = rows.map((row, index) => ({ row, file: files[index].file }));
    const one = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { row, file } = next;
        if (!file.size || file.size > MOST_BYTES) {
          change(row.key, { phase: "failed", reason: file.size ? t.documents.tooLarge : t.documents.emptyFile });
          continue;
        }
        try {
          change(row.key, await upload(target, file, row.path, { onChange: (part) => change(row.key, part) }));
        } catch (failure) {
          change(row.key, { phase: "failed", reason: failure.message });
          if (failure.code === 404) list.again();
        }
      }
    };
    underway += 1;
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    underway -= 1;
  };
  const drop = async (document) => {
    if (!window.confirm(t.documents.confirm(titleOf(document)))) return;
    setError(null);
    try {
      await remove(`v1/${document.name}`);
    } catch (failure) {
      if (failure.code !== 404) { setError(failure); return; } // else somebody else did it
    }
    if (open === document.name) setOpen(null);
    list.again();
  };
  const documents = list.value?.documents ?? [];
  return html`
    ${mayWrite && html`<${DropZone} onFiles=${add} empty=${!documents.length && !list.loading} />`}
    <${Uploads} uploads=${uploads.filter((row) => row.store === store)} onOpen=${setOpen}
      onClear=${() => setUploads((old) => old.filter((row) => row.phase !== "done" && row.phase !== "failed"))} />
    <${Failure} error=${error ?? list.error} onAgain=${list.error && list.again} />
    <div class=${open ? "split" : ""}>
      <div>
        ${documents.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label=${t.documents.list}><table><thead><tr>
          <th scope="col">${t.documents.name}</th>${!open && html`<th scope="col" class="type">${t.documents.type}</th>`}<th scope="col">${t.documents.indexed}</th>
          ${mayWrite && html`<th scope="col"><span class="hidden">${t.documents.actions}</span></th>`}</tr></thead>
          <tbody>${documents.map((one) => html`<tr key=${one.name} class=${open === one.name ? "open" : ""}>
            <td><button type="button" class="link" ...${speaks(titleOf(one))} aria-expanded=${open === one.name} onClick=${() => setOpen(open === one.name ? null : one.name)}>${titleOf(one)}</button>
              <small class="muted path">${shownUri(one.derivedStructData?.link)}</small></td>
            ${!open && html`<td class="muted type">${one.derivedStructData?.mime_type ?? one.content?.mimeType ?? ""}</td>`}
            <td class="muted nowrap">${one.indexTime ? when(one.indexTime) : t.documents.waiting}</td>
            ${mayWrite && html`<td class="n"><button type="button" class="quiet small" aria-label=${`${t.remove}: ${titleOf(one)}`} onClick=${() => drop(one)}>${t.remove}</button></td>`}
          </tr>`)}</tbody></table></div>`}
        ${list.loading && !documents.length && html`<${Busy}>${t.loading}<//>`}
        ${(token.length > 1 || list.value?.nextPageToken) && html`<p class="pager">
          <button type="button" class="quiet" disabled=${token.length < 2} onClick=${() => setToken(token.slice(0, -1))}>${t.documents.previous}</button>
          <button type="button" class="quiet" disabled=${!list.value?.nextPageToken} onClick=${() => setToken([...token, list.value.nextPageToken])}>${t.documents.next}</button></p>`}
      </div>
      ${open && html`<aside class="evidence active" aria-label=${t.document.label}><h2 class="hidden">${t.document.label}</h2><${DocumentView} key=${open} name=${open} onClose=${() => setOpen(null)} /></aside>`}
    </div>`;
}

function DropZone({ onFiles, empty }) {
  const [over, setOver] = useState(false);
  const input = useRef();
  const picked = (event) => {
    onFiles([...event.target.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
    event.target.value = "";
  };
  return html`<div class=${`drop${over ? " over" : ""}${empty ? " large" : ""}`}
      onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}
      onDrop=${async (event) => { event.preventDefault(); setOver(false); onFiles(await filesOf(event.dataTransfer)); }}>
    <p>${t.documents.drop} <button type="button" class="link" onClick=${() => input.current.click()}>${t.documents.choose}</button></p>
    <p class="muted"><small>${t.documents.formats}</small></p>
    <input ref=${input} class="hidden" type="file" multiple tabindex="-1" aria-label=${t.documents.choose} onChange=${picked} />
  </div>`;
}

function Uploads({ uploads, onOpen, onClear }) {
  if (!uploads.length) return null;
  const done = uploads.filter((row) => row.phase === "done").length;
  const failed = uploads.filter((row) => row.phase === "failed").length;
  return html`<section class="uploads" aria-label=${t.documents.uploads}>
    <p role="status">${t.documents.counts(done, failed, uploads.length)}
      ${done + failed === uploads.length && html` <button type="button" class="quiet small" onClick=${onClear}>${t.documents.clear}</button>`}</p>
    <ul class="plain" tabindex="0" aria-label=${t.documents.uploads}>${uploads.slice(0, 200).map((row) => html`<${Upload} key=${row.key} row=${row} onOpen=${onOpen} />`)}</ul>
  </section>`;
}

function Upload({ row, onOpen }) {
  const working = row.phase === "indexing";
  const seconds = useSeconds(working);
  return html`<li class=${`upload ${row.phase}`}>
    <span class="name">${row.document
      ? html`<button type="button" class="link" onClick=${() => onOpen(row.document)}>${row.path}</button>` : row.path}</span>
    <span class="muted n">${size(row.size)}</span>
    <span class="phase">${row.phase === "failed" ? html`<b class="bad">${t.documents.phases.failed}</b>` : t.documents.phases[working && row.share ? "embedding" : row.phase]}${working && html` <span class="nowrap">${t.documents.progress(row.share, seconds)}</span>`}</span>
    ${(row.phase === "sending" || working) && html`<${Progress} share=${row.share} label=${row.path} />`}
    ${row.reason && html`<span class="reason">${row.reason}</span>`}
  </li>`;
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(0)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
