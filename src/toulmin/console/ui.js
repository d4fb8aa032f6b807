// What every page is drawn with: Preact, its hooks and its templates, and a few small parts.
import { Component, Fragment, h, render } from "./vendor/preact.js";
import {
  useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState,
} from "./vendor/hooks.js";
import htm from "./vendor/htm.js";
import { t } from "./text.js";

export {
  Component, Fragment, h, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState,
};
export const html = htm.bind(h);

const kept = new Map();

/** Like useState, but the value outlives the page: whoever comes back finds it as it was. */
export function useKept(name, initial) {
  const [, draw] = useState(0);
  const mounted = useRef(true);
  useEffect(() => () => { mounted.current = false; }, []);
  if (!kept.has(name)) kept.set(name, typeof initial === "function" ? initial() : initial);
  const set = useCallback((next) => {
    kept.set(name, typeof next === "function" ? next(kept.get(name)) : next);
    if (mounted.current) draw((count) => count + 1);
  }, [name]);
  return [kept.get(name), set];
}

/** Forget what pages kept: somebody else signed in, or another project was chosen. */
export function forgetKept() { kept.clear(); }

/** Run `load` when `keys` change; return {value, error, loading, again}. */
export function useLoaded(load, keys) {
  const [state, setState] = useState({ loading: true });
  const [turn, setTurn] = useState(0);
  useLayoutEffect(() => { // before the browser paints, so that the answer is on its way meanwhile
    const stop = new AbortController();
    setState((old) => ({ value: old.value, loading: true }));
    Promise.resolve(load(stop.signal)).then(
      (value) => { if (!stop.signal.aborted) setState({ value, loading: false }); },
      (error) => { if (!stop.signal.aborted) setState({ error, loading: false }); },
    );
    return () => stop.abort();
  }, [...keys, turn]);
  return { ...state, again: () => setTurn((count) => count + 1) };
}

/** A failure in words: what was refused, which field, and a way to see the rest. */
export function Failure({ error, onAgain }) {
  if (!error) return null;
  const fields = error.fields ?? [];
  return html`<div class="notice bad" role="alert">
    <p><strong>${error.status ?? t.failed}</strong> ${error.message}</p>
    ${fields.length > 0 && html`<ul>${fields.map((one) => html`
      <li><code>${one.field}</code> ${one.description}</li>`)}</ul>`}
    ${onAgain && html`<button type="button" class="quiet" onClick=${onAgain}>${t.again}</button>`}
  </div>`;
}

export function Busy({ children }) {
  return html`<p class="busy" role="status"><span class="spinner" aria-hidden="true"></span>${children}</p>`;
}

/** A headline figure with its name. */
export function Figure({ name, value, note }) {
  return html`<div class="figure"><dt>${name}</dt><dd>${value}${note && html`<small>${note}</small>`}</dd></div>`;
}

/** Share of something that is done, for eyes and for screen readers. */
export function Progress({ share, label }) {
  const known = share !== null && share !== undefined;
  const attributes = known ? { value: Math.round(share * 1000) / 1000, max: 1 } : {};
  return html`<progress aria-label=${label} ...${attributes}></progress>`;
}

/** Two decimals, as scores are shown everywhere; a dash where there is none. */
export function score(value) {
  return value === undefined || value === null ? "–" : value.toFixed(2);
}

const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export function when(text) { return text ? times.format(new Date(text)) : "–"; }

export function plural(count, one, many) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Seconds since `start`, drawn anew while `running`. */
export function useSeconds(running) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!running) return undefined;
    const begun = performance.now();
    setSeconds(0);
    const timer = setInterval(() => setSeconds((performance.now() - begun) / 1000), 500);
    return () => clearInterval(timer);
  }, [running]);
  return seconds;
}

/** Whether evidence stands beside a text; else it is a sheet over its lower half (pages.css). */
export function hasRoomBeside() { return window.matchMedia("(min-width: 60.01rem)").matches; }

/** Hand over the file that was picked; the same one can be picked again, when it was mended. */
export function picked(event, onFile) {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) onFile(file);
}

/** Offer a text as a file. */
export function saveAs(name, text, type = "application/json") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** An address as people read it: a file's path without its scheme and escapes. */
export function shownUri(uri) {
  if (!uri?.startsWith("file://")) return uri ?? "";
  try { return decodeURI(uri.slice("file://".length)); } catch { return uri; }
}
