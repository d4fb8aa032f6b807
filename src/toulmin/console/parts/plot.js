// A plot over the unit square: dots with a diagonal, or a line with a mark; and its data as a table.
import { html } from "../ui.js";
import { t } from "../text.js";

const W = 420;
const H = 260;
const BOX = { left: 58, right: 410, top: 12, bottom: 212 };
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const px = (x) => BOX.left + x * (BOX.right - BOX.left);
const py = (y) => BOX.bottom - y * (BOX.bottom - BOX.top);

export function Plot({ title, about, x, y, dots = [], line = [], diagonal = false, mark }) {
  const most = Math.max(1, ...dots.map((dot) => dot[2]));
  return html`<figure class="plot"><figcaption><b>${title}</b> <span class="muted">${about}</span></figcaption>
    <svg viewBox=${`0 0 ${W} ${H}`} role="img" aria-label=${title}>
      ${TICKS.map((one) => html`<g><line class="grid" x1=${px(0)} x2=${px(1)} y1=${py(one)} y2=${py(one)} />
        <text x=${px(0) - 6} y=${py(one) + 4} text-anchor="end">${one}</text><text x=${px(one)} y=${py(0) + 16} text-anchor="middle">${one}</text></g>`)}
      <text x=${(BOX.left + BOX.right) / 2} y=${H - 10} text-anchor="middle">${x}</text>
      <text x="12" y=${(BOX.top + BOX.bottom) / 2} text-anchor="middle" transform=${`rotate(-90 12 ${(BOX.top + BOX.bottom) / 2})`}>${y}</text>
      ${diagonal && html`<line class="diagonal" x1=${px(0)} y1=${py(0)} x2=${px(1)} y2=${py(1)} />`}
      ${mark !== undefined && html`<line class="mark" x1=${px(mark)} x2=${px(mark)} y1=${py(0)} y2=${py(1)} />`}
      ${line.length > 0 && html`<polyline points=${line.map(([a, b]) => `${px(a)},${py(b)}`).join(" ")} />`}
      ${dots.length > 1 && html`<polyline points=${dots.map(([a, b]) => `${px(a)},${py(b)}`).join(" ")} />`}
      ${dots.map(([a, b, count]) => html`<circle cx=${px(a)} cy=${py(b)} r=${3 + 5 * Math.sqrt(count / most)}><title>${t.quality.dot(count)}</title></circle>`)}
    </svg>
    ${dots.length > 0 && html`<details><summary>${t.quality.table}</summary><table><thead><tr><th scope="col" class="n">${x}</th><th scope="col" class="n">${y}</th><th scope="col" class="n">${t.quality.examples}</th></tr></thead>
      <tbody>${dots.map(([a, b, count]) => html`<tr><td class="n">${a.toFixed(3)}</td><td class="n">${b.toFixed(3)}</td><td class="n">${count}</td></tr>`)}</tbody></table></details>`}
  </figure>`;
}
