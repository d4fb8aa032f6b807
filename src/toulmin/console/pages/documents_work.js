// Uploads: each file is an import of its own, so each has its own progress and its own failure.
import { finished, get, lastPart, names, send } from "../wire.js";

// base64 makes four bytes of three, and the server takes 32 MiB.
export const MOST_BYTES = 23 * 1024 * 1024;

/** Return an id of a document for a path: what is readable of it, and a hash of all of it. */
export function idOf(path) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(path)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  const readable = path.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "").slice(-48) || "file";
  return `${readable}-${hash.toString(16).padStart(8, "0")}`;
}

// What browsers do not know the type of, by its ending; without one the server takes it for text.
const TYPES = {
  md: "text/markdown", markdown: "text/markdown", csv: "text/csv", tsv: "text/tab-separated-values",
  doc: "application/msword", ppt: "application/vnd.ms-powerpoint", rtf: "application/rtf", rst: "text/x-rst", org: "text/org", adoc: "text/asciidoc", asciidoc: "text/asciidoc",
  eml: "message/rfc822", msg: "application/vnd.ms-outlook", epub: "application/epub+zip", jsonl: "application/jsonl",
  odt: "application/vnd.oasis.opendocument.text", ods: "application/vnd.oasis.opendocument.spreadsheet",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Send one file and wait until it is searchable; tell {phase, share} as it goes. */
export async function upload(store, file, path, { signal, onChange }) {
  onChange({ phase: "reading" });
  const rawBytes = await base64(file);
  const document = {
    id: idOf(path),
    structData: { uri: path },
    content: { mimeType: TYPES[path.split(".").pop().toLowerCase()] ?? file.type.split(";")[0], rawBytes },
  };
  onChange({ phase: "sending", share: 0 });
  const operation = await send(`v1/${names.branch(store)}/documents:import`, {
    inlineSource: { documents: [document] }, reconciliationMode: "INCREMENTAL",
  }, { signal, onProgress: (share) => onChange(share < 1 ? { phase: "sending", share } : { phase: "indexing", share: undefined }) });
  onChange({ phase: "indexing", share: undefined });
  // The operation counts documents; how far one is, is told beside it, by the server that reads it.
  const look = async (current) => {
    if (current.done) return;
    const said = await get(`v1/toulmin/imports/${operation.name}`, { signal }).catch(() => ({}));
    if (said.totalTexts) onChange({ share: said.embeddedTexts / said.totalTexts });
  };
  const done = await finished(operation.name, { signal, onLook: look });
  const faults = done.response?.errorSamples ?? [];
  if (faults.length) return { phase: "failed", reason: faults[0].message.replace(`${document.id}: `, "") };
  return { phase: "done", document: `${names.branch(store)}/documents/${lastPart(document.id)}` };
}

/** Return the files of a drop, those in folders too, with their paths. */
export async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  const found = [];
  for (const entry of entries) await gather(entry, found);
  return found;
}

async function gather(entry, found) {
  if (entry.name.startsWith(".")) return;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    found.push({ file, path: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const batch = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (!batch.length) return;
    for (const one of batch) await gather(one, found);
  }
}
