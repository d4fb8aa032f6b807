// Requests to the server's own REST API: the same paths that Google's clients call.

const KEY = "toulmin.key";
const PROJECT = "toulmin.project";

let project = sessionStorage.getItem(PROJECT) ?? "default";

export function currentProject() { return project; }

export function chooseProject(name) {
  project = name;
  sessionStorage.setItem(PROJECT, name);
}

export function currentKey() { return sessionStorage.getItem(KEY) ?? ""; }

export function keepKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

/** Names of resources, as the API has them. */
export const names = {
  location: () => `projects/${project}/locations/global`,
  collection: () => `projects/${project}/locations/global/collections/default_collection`,
  store: (id) => `${names.collection()}/dataStores/${id}`,
  branch: (id) => `${names.store(id)}/branches/0`,
  serving: (id) => `${names.store(id)}/servingConfigs/default_search`,
  grounding: () => `${names.location()}/groundingConfigs/default_grounding_config`,
  ces: (location) => `projects/${project}/locations/${location}`,
};

export function lastPart(name) { return (name ?? "").split("/").pop(); }

/** What the server refused, as google.rpc.Status says it. */
export class WireError extends Error {
  constructor(status) {
    super(status.message ?? "");
    this.code = status.code ?? 0;
    this.status = status.status;
    const details = status.details ?? [];
    const find = (kind) => details.find((one) => (one["@type"] ?? "").endsWith(kind)) ?? {};
    this.reason = find("google.rpc.ErrorInfo").reason;
    this.fields = find("google.rpc.BadRequest").fieldViolations ?? [];
  }
}

let onRefused = () => {};

/** Call `action` whenever a request is refused for want of a right key. */
export function whenRefused(action) { onRefused = action; }

function headers(body) {
  const all = {};
  if (body !== undefined) all["content-type"] = "application/json";
  const key = currentKey();
  if (key) all["x-goog-api-key"] = key;
  return all;
}

async function open(method, path, body, signal) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: headers(body),
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: "omit",
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new WireError({ status: "UNAVAILABLE", message: `The server does not answer (${error.message}).` });
  }
  if (response.ok) return response;
  throw refused(response.status, await response.text());
}

function refused(status, text) {
  let error;
  try {
    const found = JSON.parse(text);
    error = new WireError((Array.isArray(found) ? found[0] : found).error);
  } catch {
    error = new WireError({ code: status, status: `HTTP ${status}`, message: text.slice(0, 300) });
  }
  if (status === 401) onRefused(error);
  return error;
}

/** Return the JSON that a path answers. */
export async function call(method, path, body, { signal } = {}) {
  const response = await open(method, `/${path}`, body, signal);
  return response.json();
}

/** Return the text that a path answers. */
export async function text(path, { signal } = {}) {
  return (await open("GET", `/${path}`, undefined, signal)).text();
}

export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body, options) => call("POST", path, body, options);
export const remove = (path, options) => call("DELETE", path, undefined, options);

/** Yield the messages of a streaming RPC as they come. */
export async function* stream(path, body, { signal } = {}) {
  const response = await open("POST", `/${path}?alt=sse`, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    waiting += value;
    const events = waiting.split("\r\n\r\n");
    waiting = events.pop();
    for (const event of events) yield messageOf(event);
  }
  if (waiting.trim()) yield messageOf(waiting);
}

function messageOf(event) {
  const message = JSON.parse(event.replace(/^data: /, ""));
  if (message.error) throw new WireError(message.error);
  return message;
}

/** Return all items of a list, page after page, at most `most`. */
export async function all(path, field, { signal, most = 1000, size = 100, query = "" } = {}) {
  const items = [];
  let token = "";
  do {
    const rest = token ? `&pageToken=${encodeURIComponent(token)}` : "";
    const page = await get(`${path}?pageSize=${size}${query}${rest}`, { signal });
    items.push(...(page[field] ?? []));
    token = page.nextPageToken ?? "";
  } while (token && items.length < most);
  return items;
}

/** Send JSON whose size matters, with its progress in [0, 1]; fetch does not tell it. */
export function send(path, body, { onProgress = () => {}, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/${path}`);
    for (const [name, value] of Object.entries(headers(body))) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText));
      else reject(refused(request.status, request.responseText));
    };
    request.onerror = () => reject(new WireError({
      status: "UNAVAILABLE", message: "The connection was lost while sending.",
    }));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(JSON.stringify(body));
  });
}

/** Wait until a long-running operation is done; tell its metadata at each look. */
export async function finished(name, { onLook = () => {}, signal, version = "v1" } = {}) {
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 1000)) {
    const operation = await get(`${version}/${name}`, { signal });
    await onLook(operation);
    if (operation.done) {
      if (operation.error) throw new WireError({ ...operation.error, status: operation.error.status ?? "FAILED" });
      return operation;
    }
    await new Promise((resolve) => { setTimeout(resolve, wait); });
  }
}
