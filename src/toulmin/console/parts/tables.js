// Markdown tables in somebody's text, drawn as tables; every cell knows its place in the text.
import { html } from "../ui.js";

const LINE = /^[ \t]*(\|.*\|)[ \t]*$/gm;
const RULE = /^\|(?:[ \t]*:?-+:?[ \t]*\|)+$/;

/**
 * Return the tables of a text as {start, end, rows: [{start, end, head, cells: [[start, end], ...]}]}.
 * A table is two or more lines, each from a bar to a bar; the line of dashes is no row of it.
 */
export function tablesIn(text) {
  return runsIn(text).filter((lines) => lines.length > 1).map(tableOf).filter(({ rows }) => rows.length > 0);
}

/** Return a text that is one row as a table of that row; null: it is something else. */
export function rowIn(text) {
  const [lines] = runsIn(text);
  const is = lines?.length === 1 && lines[0].text === text.trim() && !RULE.test(lines[0].text);
  return is ? tableOf(lines) : null;
}

/** The lines from a bar to a bar, those together that follow each other. */
function runsIn(text) {
  const runs = [];
  let end = -1;
  for (const match of text.matchAll(LINE)) {
    const start = match.index + match[0].indexOf("|");
    if (end < 0 || !/^\r?\n$/.test(text.slice(end, match.index))) runs.push([]);
    runs.at(-1).push({ start, end: start + match[1].length, text: match[1] });
    end = match.index + match[0].length;
  }
  return runs;
}

function tableOf(lines) {
  const ruled = lines.length > 1 && RULE.test(lines[1].text);
  const rows = lines.filter((line) => !RULE.test(line.text));
  return {
    start: lines[0].start,
    end: lines.at(-1).end,
    rows: rows.map((line) => ({
      start: line.start, end: line.end, head: ruled && line === lines[0], cells: cellsOf(line),
    })),
  };
}

/** Where a row's cells are, without the spaces around them; a bar after a backslash is of the cell. */
function cellsOf({ start, text }) {
  const cells = [];
  let from = 1;
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === "\\") { at += 1; continue; }
    if (text[at] !== "|") continue;
    const cell = text.slice(from, at);
    const lead = cell.length - cell.trimStart().length;
    cells.push([start + from + lead, start + from + Math.max(lead, cell.trimEnd().length)]);
    from = at + 1;
  }
  return cells;
}

/** A cell's text as it is read: the backslash before a bar is not. */
export function plain(text) { return text.replaceAll("\\|", "|"); }

/** Return a text's parts: its tables as `drawn` makes them, what is between them as `flowing` does. */
export function withTables(text, flowing, drawn, tables = tablesIn(text)) {
  const parts = [];
  let at = 0;
  for (const table of tables) {
    // A table is a block: the line ends around it would be empty lines.
    const end = at + text.slice(at, table.start).trimEnd().length;
    if (end > at) parts.push(flowing(at, end));
    parts.push(drawn(table));
    at = table.end + /^\s*/.exec(text.slice(table.end))[0].length;
  }
  if (at < text.length) parts.push(flowing(at, text.length));
  return parts;
}

/**
 * A table: `row` returns the attributes of a row and `cell` what stands in one, `last` (if any) a
 * last cell, of no column of the text.
 */
export function Table({ table, row = () => ({}), cell, last }) {
  const line = (one) => {
    const end = last?.(one);
    return html`<tr ...${row(one)}>${one.cells.map(([start, to], column) => (one.head
      ? html`<th scope="col">${cell(start, to, one, column)}</th>`
      : html`<td>${cell(start, to, one, column)}</td>`))}${last && html`<td class="marks">${end}</td>`}</tr>`;
  };
  const head = table.rows.filter((one) => one.head);
  return html`<div class="scroll given"><table>
    ${head.length > 0 && html`<thead>${head.map(line)}</thead>`}
    <tbody>${table.rows.filter((one) => !one.head).map(line)}</tbody></table></div>`;
}
