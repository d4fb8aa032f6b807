// A long list of which only what is near the view is drawn: blocks of rows that keep their height.
import { html, useEffect, useRef, useState } from "../ui.js";

const BLOCK = 40;
const GUESS = 44; // pixels of a row that was never drawn

/** Draw `items` with `row(item, index)`; each row must be an <li>. */
export function Windowed({ items, row, label }) {
  const blocks = [];
  for (let from = 0; from < items.length; from += BLOCK) blocks.push(from);
  return html`<div role="list" class="windowed" aria-label=${label}>${blocks.map((from) => html`
    <${Block} key=${from} from=${from} count=${Math.min(BLOCK, items.length - from)} items=${items} row=${row}
      near=${from < 2 * BLOCK} />`)}</div>`;
}

function Block({ from, count, items, row, near }) {
  const box = useRef();
  const height = useRef(0);
  const [shown, setShown] = useState(near);
  useEffect(() => {
    const watcher = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting && box.current) height.current = box.current.offsetHeight;
      setShown(entry.isIntersecting);
    }, { rootMargin: "800px 0px" });
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  const space = shown ? undefined : { height: `${height.current || count * GUESS}px` };
  return html`<div ref=${box} style=${space} role="presentation">${shown
    && items.slice(from, from + count).map((item, i) => row(item, from + i, {
      role: "listitem", "aria-setsize": items.length, "aria-posinset": from + i + 1,
    }))}</div>`;
}
