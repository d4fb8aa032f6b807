// Ask: a question, its answer sentence by sentence, and what each sentence rests on.
import {
  hasRoomBeside, html, useEffect, useKept, useLoaded, useRef, useState, when, Busy, Failure,
} from "../ui.js";
import { t } from "../text.js";
import { all, get, lastPart, names, remove } from "../wire.js";
import { DocumentView, documentOf } from "../parts/document.js";
import { Turn } from "./ask_turn.js";
import { AnswerEvidence } from "./ask_evidence.js";
import { answerTurn, keptTurns, segmentsOf } from "./ask_work.js";

const EARLIER = 30;
const MOST_CHARACTERS = 10000; // of a question, as the server counts them: a sign beyond the basic plane is one

function lengthOf(text) { return text.length > MOST_CHARACTERS ? [...text.trim()].length : text.length; }

export function Ask({ caller }) {
  const stores = useLoaded((signal) => all(`v1/${names.collection()}/dataStores`, "dataStores", { signal }), []);
  const [store, setStore] = useKept("ask.store", "");
  const [lost, setLost] = useState(null); // {store, question}: it was deleted meanwhile
  const ids = (stores.value ?? []).map((one) => lastPart(one.name));
  const chosen = ids.includes(store) ? store : ids[0] ?? "";
  if (stores.error) return html`<${Failure} error=${stores.error} onAgain=${stores.again} />`;
  if (!stores.value) return html`<${Busy}>${t.loading}<//>`;
  if (!ids.length) return html`<${NoStores} />`;
  return html`<${Conversation} key=${chosen} store=${chosen} stores=${stores.value} caller=${caller}
    lost=${lost && !ids.includes(lost.store) ? lost : null} onStore=${(id) => { setLost(null); setStore(id); }}
    onGone=${(question) => { setLost({ store: chosen, question }); stores.again(); }} />`;
}

function NoStores() {
  return html`<section class="empty">
    <h1>${t.ask.noStores}</h1>
    <p>${t.ask.noStoresMore}</p>
    <p><a class="button" href="#/documents">${t.ask.addSome}</a></p>
  </section>`;
}

function Conversation({ store, stores, lost, onStore, onGone, caller }) {
  const [turns, setTurns] = useKept(`ask.turns.${store}`, []);
  const [session, setSession] = useKept(`ask.session.${store}`, "");
  const [draft, setDraft] = useKept(`ask.draft.${store}`, "");
  const [focus, setFocus] = useState(null); // {turn, segment, citation}
  const [open, setOpen] = useState(null); // {document, chunk, sentence}
  const [failure, setFailure] = useState(null);
  const stop = useRef(null);
  const thread = useRef();
  const busy = turns.some((turn) => turn.state === "asking");

  useEffect(() => {
    if (lost) setDraft(lost.question);
    return () => stop.current?.abort();
  }, []);

  const change = (index, part) => setTurns((old) => old.map((turn, i) => (i === index ? { ...turn, ...part } : turn)));

  const ask = async (question, index = turns.length) => {
    if (!question.trim() || busy || lengthOf(question) > MOST_CHARACTERS) return;
    stop.current = new AbortController();
    setTurns((old) => [...old.slice(0, index), { question: question.trim(), state: "asking", answer: {} }]);
    if (index === turns.length) setDraft("");
    setFocus(null);
    setOpen(null);
    requestAnimationFrame(() => thread.current?.lastElementChild?.scrollIntoView({ block: "nearest" }));
    await answerTurn({
      store,
      session,
      question: question.trim(),
      signal: stop.current.signal,
      onSession: setSession,
      onChange: (part) => {
        change(index, part);
        if (part.error?.code === 404) onGone(question);
      },
    });
  };

  const begin = () => {
    stop.current?.abort();
    setTurns([]);
    setSession("");
    setFocus(null);
    setOpen(null);
    setFailure(null);
  };

  const reopen = async (name) => {
    begin();
    try {
      setTurns(await keptTurns(name));
      setSession(name);
    } catch (error) {
      setFailure(error);
    }
  };

  const show = (turn, segment, citation) => {
    setFocus((old) => (old && old.turn === turn && old.segment === segment && old.citation === citation
      ? old : { turn, segment, citation }));
  };
  const focused = focus && turns[focus.turn];

  // Where there is room beside the answer, its first sentence's evidence is there at once.
  const latest = turns[turns.length - 1];
  useEffect(() => {
    if (latest?.state !== "answered" || focus || open || !hasRoomBeside()) return;
    const first = segmentsOf(latest).findIndex((segment) => !segment.gap);
    if (first >= 0) setFocus({ turn: turns.length - 1, segment: first });
  }, [latest?.state]);

  return html`<div class=${`ask split${turns.length ? "" : " fresh"}`}>
    <div class="thread">
      <div class="thread-head">
        <h1 class=${turns.length ? "" : "lead"}>${turns.length ? t.ask.title : t.ask.lead}</h1>
        <label>${t.ask.store}
          <select value=${store} onChange=${(event) => onStore(event.target.value)}>
            ${stores.map((one) => html`<option value=${lastPart(one.name)}>${one.displayName || lastPart(one.name)}</option>`)}
          </select></label>
        ${turns.length > 0 && html`<button type="button" class="quiet" onClick=${begin}>${t.ask.newConversation}</button>`}
        <${Earlier} store=${store} current=${session} caller=${caller} onOpen=${reopen} onGone=${begin} />
      </div>
      ${lost && html`<p class="notice" role="alert">${t.gone(lost.store)}</p>`}
      <div ref=${thread} class="turns" aria-live="polite">
        ${turns.map((turn, index) => html`<${Turn} key=${index} turn=${turn}
          focus=${focus && focus.turn === index ? focus : null}
          onFocus=${(segment, citation) => show(index, segment, citation)}
          onAsk=${(question) => ask(question)} onAgain=${() => ask(turn.question, index)}
          onOpen=${setOpen} last=${index === turns.length - 1} />`)}
      </div>
      <${Failure} error=${failure} />
      <${Composer} draft=${draft} busy=${busy} further=${turns.length > 0} onDraft=${setDraft}
        onAsk=${(question) => ask(question)} onStop=${() => stop.current?.abort()} />
      ${turns.length === 0 && html`<${Hints} store=${store} onAsk=${(question) => ask(question)} />`}
    </div>
    ${turns.length > 0 && html`<aside class=${`evidence${focused || open ? " active" : ""}`} aria-label=${t.evidence.title}>
      ${(focused || open) && html`<button type="button" class="quiet sheet-close" onClick=${() => { setFocus(null); setOpen(null); }}>${t.close}</button>`}
      ${open
        ? html`<${DocumentView} name=${open.document} chunk=${open.chunk} sentence=${open.sentence} onClose=${() => setOpen(null)} />`
        : html`<${AnswerEvidence} turn=${focused} segment=${focus?.segment} citation=${focus?.citation}
            onOpen=${(chunk, sentence, document) => setOpen({ document: document ?? documentOf(chunk), chunk, sentence })} />`}
    </aside>`}
  </div>`;
}

function Composer({ draft, busy, further, onDraft, onAsk, onStop }) {
  const box = useRef();
  const length = lengthOf(draft);
  useEffect(() => { if (!busy) box.current?.focus({ preventScroll: true }); }, [busy]);
  const keys = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      onAsk(draft);
    }
  };
  return html`<form class="composer" onSubmit=${(event) => { event.preventDefault(); onAsk(draft); }}>
    <label class="hidden" for="question">${t.ask.question}</label>
    <textarea id="question" ref=${box} rows="1" dir="auto" value=${draft} aria-invalid=${length > MOST_CHARACTERS}
      placeholder=${further ? t.ask.followUp : t.ask.placeholder}
      onInput=${(event) => onDraft(event.target.value)} onKeyDown=${keys}></textarea>
    ${busy
      ? html`<button type="button" onClick=${(event) => { event.preventDefault(); onStop(); }}>${t.ask.stop}</button>`
      : html`<button type="submit" disabled=${!draft.trim() || length > MOST_CHARACTERS}>${t.ask.go}</button>`}
    ${length > MOST_CHARACTERS && html`<p class="notice bad" role="alert">${t.ask.tooLong(length, MOST_CHARACTERS)}</p>`}
  </form>`;
}

function Hints({ store, onAsk }) {
  const examples = t.ask.examples[store] ?? [];
  return html`<div class="hints">
    <p class="muted">${t.ask.hint}</p>
    ${examples.length > 0 && html`<p class="muted">${t.ask.tryOne}</p>
      <ul class="plain">${examples.map((one) => html`<li><button type="button" class="link" dir="auto" onClick=${() => onAsk(one)}>${one}</button></li>`)}</ul>`}
  </div>`;
}

function Earlier({ store, current, caller, onOpen, onGone }) {
  const [shown, setShown] = useState(false);
  const list = useLoaded(
    (signal) => (shown
      ? get(`v1/${names.store(store)}/sessions?pageSize=${EARLIER}&orderBy=update_time%20desc`, { signal })
      : Promise.resolve(null)),
    [shown, store, current],
  );
  const box = useRef();
  const away = (event) => { if (!event.currentTarget.contains(event.relatedTarget)) box.current.open = false; };
  const drop = async (name) => {
    await remove(`v1/${name}`);
    if (name === current) onGone();
    list.again();
  };
  const sessions = list.value?.sessions ?? [];
  return html`<details class="menu" ref=${box} onFocusOut=${away}
      onToggle=${(event) => setShown(event.currentTarget.open)}
      onKeyDown=${(event) => { if (event.key === "Escape") box.current.open = false; }}>
    <summary>${t.ask.earlier}</summary>
    <div class="menu-body">
      <${Failure} error=${list.error} />
      ${list.value && sessions.length === 0 && html`<p class="muted">${t.ask.noEarlier}</p>`}
      <ul class="plain">${sessions.map((one) => html`<li key=${one.name}>
        <button type="button" class="link" dir="auto" aria-current=${one.name === current ? "true" : undefined}
          onClick=${() => { box.current.open = false; onOpen(one.name); }}>${one.displayName || lastPart(one.name)}</button>
        <small class="muted">${when(one.endTime ?? one.startTime)}</small>
        ${caller.role !== "viewer" && html`<button type="button" class="quiet small" aria-label=${`${t.ask.deleteSession}: ${one.displayName}`} onClick=${() => drop(one.name)}>${t.remove}</button>`}
      </li>`)}</ul>
    </div>
  </details>`;
}
