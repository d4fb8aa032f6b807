// The frame around the pages: navigation, project, key.
import { html, render, useEffect, useLayoutEffect, useRef, useState, forgetKept, Failure, Busy } from "./ui.js";
import { t } from "./text.js";
import {
  chooseProject, currentKey, currentProject, get, keepKey, whenRefused,
} from "./wire.js";
import { Ask } from "./pages/ask.js";

// The first page is here at once; the others come when they are opened.
const PAGES = {
  ask: async () => Ask,
  check: async () => (await import("./pages/check.js")).Check,
  documents: async () => (await import("./pages/documents.js")).Documents,
  conversations: async () => (await import("./pages/conversations.js")).Conversations,
  quality: async () => (await import("./pages/quality.js")).Quality,
  status: async () => (await import("./pages/status.js")).Status,
};

/** Return the page and the parameters that the address names: "#/documents?store=handbook". */
function route() {
  const [page, query] = window.location.hash.replace(/^#\/?/, "").split("?");
  return { page: page in PAGES ? page : "ask", parameters: new URLSearchParams(query ?? "") };
}

function useRoute() {
  const [place, setPlace] = useState(route);
  useEffect(() => {
    const moved = () => setPlace(route());
    window.addEventListener("hashchange", moved);
    return () => window.removeEventListener("hashchange", moved);
  }, []);
  return place;
}

function usePage(name) {
  const [page, setPage] = useState(() => (name === "ask" ? { name, draw: Ask } : {}));
  useEffect(() => {
    let wanted = true;
    PAGES[name]().then(
      (draw) => { if (wanted) setPage({ name, draw }); },
      (error) => { if (wanted) setPage({ name, error }); },
    );
    return () => { wanted = false; };
  }, [name]);
  return page.name === name ? page : {};
}

function App() {
  const place = useRoute();
  const page = usePage(place.page);
  const [caller, setCaller] = useState(null);
  const [refusal, setRefusal] = useState(null);
  const [failure, setFailure] = useState(null);
  const [generation, setGeneration] = useState(0);

  const meet = async () => {
    setFailure(null);
    try {
      const found = await get("v1/toulmin/caller");
      if (found.projects && !found.projects.includes(currentProject())) chooseProject(found.projects[0]);
      setCaller(found);
      setRefusal(null);
      setGeneration((count) => count + 1);
    } catch (error) {
      if (error.code !== 401) setFailure(error);
    }
  };
  useLayoutEffect(() => { // before the browser paints, so that the answer is on its way meanwhile
    whenRefused((error) => { setRefusal(error); });
    meet();
  }, []);
  useEffect(() => {
    document.title = `${t.nav[place.page]} · Toulmin`;
  }, [place.page]);

  const signIn = (key) => { keepKey(key); forgetKept(); setRefusal(null); meet(); };
  const signOut = () => { keepKey(""); forgetKept(); setCaller(null); meet(); };
  const choose = (project) => { chooseProject(project); forgetKept(); setGeneration((count) => count + 1); };

  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>${t.skip}</a>
    <header class="top">
      <a class="wordmark" href="#/ask">Toulmin</a>
      <nav aria-label=${t.navLabel}>${Object.keys(PAGES).map((name) => html`
        <a href=${`#/${name}`} aria-current=${name === place.page ? "page" : undefined}>${t.nav[name]}</a>`)}
      </nav>
      ${caller && !refusal && html`<${Who} caller=${caller} onProject=${choose} onSignOut=${signOut} />`}
    </header>
    <main id="main" tabindex="-1">
      ${refusal && html`<${SignIn} refusal=${refusal} onKey=${signIn} />`}
      ${!refusal && failure && html`<${Failure} error=${failure} onAgain=${meet} />`}
      ${!refusal && !failure && page.error && html`<${Failure} error=${page.error} />`}
      ${!refusal && !failure && caller && page.draw
        && html`<${page.draw} key=${`${place.page} ${generation}`} caller=${caller} parameters=${place.parameters} />`}
      ${!refusal && !failure && !page.error && !(caller && page.draw) && html`<${Busy}>${t.loading}<//>`}
    </main>`;
}

function Who({ caller, onProject, onSignOut }) {
  const given = caller.projects;
  return html`<div class="who">
    <label>${t.project}${given
      ? html`<select value=${currentProject()} onChange=${(event) => onProject(event.target.value)}>
          ${given.map((one) => html`<option value=${one}>${one}</option>`)}</select>`
      : html`<input size="8" spellcheck="false" value=${currentProject()}
          onChange=${(event) => onProject(event.target.value.trim() || "default")} />`}</label>
    ${currentKey() && html`<span class="muted">${t.roles[caller.role]}</span>
      <button type="button" class="quiet" onClick=${onSignOut}>${t.signOut}</button>`}
  </div>`;
}

function SignIn({ refusal, onKey }) {
  const [key, setKey] = useState("");
  const submit = (event) => { event.preventDefault(); if (key.trim()) onKey(key.trim()); };
  const missing = refusal.reason === "CREDENTIALS_MISSING";
  const box = useRef();
  useEffect(() => box.current.focus(), []);
  return html`<form class="sign-in" onSubmit=${submit}>
    <h1>${t.signIn.title}</h1>
    <p>${t.signIn.why}</p>
    ${!missing && html`<p class="notice bad" role="alert">${refusal.message}</p>`}
    <label for="key">${t.signIn.key}</label>
    <input id="key" ref=${box} type="password" autocomplete="off" spellcheck="false" value=${key} onInput=${(event) => setKey(event.target.value)} />
    <p class="muted">${t.signIn.kept}</p>
    <button type="submit">${t.signIn.go}</button>
  </form>`;
}

render(html`<${App} />`, document.getElementById("app"));
