"use strict";
// Tables: sort, filter, choose columns, download. The panel: what an address after # stands for.
let data, records; // once they are unpacked
const loaded = unpack().then((told) => {
  data = told;
  records = new Map(data.records.map((record) => [record.id, record]));
  follow();
});
loaded.catch(() => document.querySelector("header").append(
  make("p", {}, "This browser cannot show the records: it lacks DecompressionStream, which others have since 2023.")));

/** Unpack what is told of the records: base64, gzip, JSON. */
async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (one) => one.charCodeAt(0));
  const told = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  for (const { trials = [] } of told.records) for (const trial of trials) {
    const [upload, solve, download] = trial;
    trial.splice(3, 0, Number((upload + solve + download).toFixed(6))); // null adds 0
  }
  return told;
}

/** Make an element; strings are texts, never HTML. */
function make(tag, attributes = {}, ...children) {
  const made = tag === "svg" || attributes.drawn
    ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name !== "drawn") made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// ----- tables

const FILTERS = { graph: "Graph", solver: "Solver", machine: "Machine", whose: "Whose", verdict: "Verdict", outcome: "Outcome" };

function rowsOf(table) {
  return [...table.tBodies[0].rows];
}

function headsOf(table) {
  return [...table.tHead.rows[0].cells];
}

/** Hide what a filter or the choice of columns leaves out; a place without the filter's key stays, and so does a row one of whose verdicts fits. */
function show(table) {
  const { chosen, left, count } = table.state;
  const fits = (place) => Object.entries(chosen).every(([key, value]) => (place.dataset[key] ?? value) === value);
  const hidden = headsOf(table).map((head) => left.has(head) || !fits(head));
  for (const row of table.rows) {
    const verdicts = [...row.querySelectorAll("[data-verdict]")];
    row.hidden = !fits(row) || (verdicts.length > 0 && !verdicts.some(fits));
    [...row.cells].forEach((cell, place) => (cell.hidden = hidden[place]));
  }
  for (const mark of table.querySelectorAll("a.mark")) mark.hidden = !fits(mark);
  const rows = rowsOf(table);
  const shown = rows.filter((row) => !row.hidden).length;
  count.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
}

/** Return the text and the number of what a record says of its times, if it says it, and why it is doubtful. */
function timeOf(record, what) {
  const [, , first, third, , trials] = record.times?.find(([phase]) => phase === "total") ?? [];
  const spread = { "1st quartile": [first, record.total?.[0]], "3rd quartile": [third, record.total?.[2]], trials: [trials, trials] };
  const [, median, , , , , ms] = record.times?.find(([phase]) => phase === what) ?? [];
  const doubts = record.doubtful?.[what in spread ? "total" : what] ?? [];
  return [...(spread[what] ?? [median, ms]), doubts.map((found) => `doubtful: ${found}`).join("; ")];
}

/** Show a column that was left out. One that has no cells is filled from the records to which the machine's first column leads. */
async function reveal(table, head) {
  table.state.left.delete(head);
  const heads = headsOf(table);
  const [place, first] = [heads.indexOf(head), heads.findIndex((other) => other.dataset.machine === head.dataset.machine)];
  const rows = head.dataset.fills ? rowsOf(table).filter((row) => !row.cells[place]?.textContent) : [];
  for (const row of rows) while (row.cells.length < heads.length) row.append(make("td"));
  if (!rows.length) return;
  label(phone);
  await loaded;
  for (const { cells } of rows) {
    const link = cells[first].querySelector("a");
    const [text, value, why] = link ? timeOf(records.get(addressOf(link.hash)), head.dataset.fills) : [];
    if (value === undefined) {
      cells[place].textContent = "–";
      continue;
    }
    cells[place].title = why;
    cells[place].dataset.value = value;
    cells[place].replaceChildren(make("a", { href: link.hash }, why ? `${text} ?` : text));
  }
}

function sortBy(table, head) {
  const place = [...head.parentElement.children].indexOf(head);
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const keyed = rowsOf(table).map((row) => {
    const cell = row.children[place];
    return { row, text: cell.textContent, value: parseFloat(cell.dataset.value) };
  });
  keyed.sort((a, b) => {
    const [none, other] = [Number.isNaN(a.value), Number.isNaN(b.value)];
    if (none !== other) return none - other; // what has no number stands last, either way
    const order = none ? a.text.localeCompare(b.text, "en", { numeric: true }) : a.value - b.value;
    return down ? -order : order;
  });
  table.tBodies[0].append(...keyed.map((one) => one.row));
}

/** Download what is shown, the numbers unrounded; times are in ms. */
function download(table) {
  const quoted = (text) => `"${text.replace(/^[=+\-@]/, "'$&").replaceAll('"', '""')}"`;
  const measured = headsOf(table).map((head) => "machine" in head.dataset);
  const lines = [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].flatMap((cell, place) =>
    cell.hidden ? [] : measured[place] && cell.dataset.value ? cell.dataset.value : quoted(cell.textContent.trim())));
  const file = new Blob([lines.map((line) => line.join() + "\n").join("")], { type: "text/csv" });
  const link = make("a", { href: URL.createObjectURL(file), download: `${table.dataset.name}.csv` });
  link.click();
  URL.revokeObjectURL(link.href);
}

function equip(table) {
  const heads = headsOf(table);
  const state = (table.state = { chosen: {}, left: new Set(heads.filter((head) => head.hidden)), count: make("output") });
  const tools = make("div", { class: "tools" });
  for (const [key, name] of Object.entries(FILTERS)) {
    const values = [...new Set([...table.querySelectorAll(`[data-${key}]`)].map((place) => place.dataset[key]))];
    if (values.length < 2) continue;
    const select = make("select", { "data-filter": key, onchange: () => {
      if (select.value) state.chosen[key] = select.value;
      else delete state.chosen[key];
      show(table);
    } }, make("option", { value: "" }, "all"), ...values.map((value) => make("option", {}, value)));
    tools.append(make("label", {}, `${name} `, select));
  }
  const boxes = heads.filter(() => table.classList.contains("cards")).map((head) => {
    const box = make("input", { type: "checkbox", onchange: () => {
      if (box.checked) reveal(table, head);
      else state.left.add(head);
      show(table);
    } });
    box.checked = !head.hidden;
    return make("label", {}, box, ` ${head.textContent}`);
  });
  if (boxes.length) tools.append(make("details", {}, make("summary", {}, "Columns"), make("div", {}, ...boxes)));
  tools.append(make("button", { type: "button", onclick: () => download(table) }, "CSV"), state.count);
  table.parentElement.before(tools);
  for (const head of heads) {
    head.replaceChildren(make("button", { type: "button", onclick: () => sortBy(table, head) }, head.textContent));
  }
  show(table);
}

/** On a phone a table is closed at first, and a row is a card, in which each number needs its heading. */
function label(phone) {
  for (const one of phone.matches ? document.querySelectorAll("details.table") : []) one.open = false;
  for (const table of phone.matches ? document.querySelectorAll("table.cards") : []) {
    const titles = headsOf(table).map((head) => head.textContent);
    for (const row of rowsOf(table)) [...row.cells].forEach((cell, place) => (cell.dataset.label = titles[place]));
  }
}

document.querySelectorAll("table.data").forEach(equip);
const phone = matchMedia("(max-width: 40rem)");
phone.addEventListener("change", label);
label(phone);

// ----- the panel

const panel = document.getElementById("panel");
const UNITS = { ms: 1, s: 1000, "µs": 1e-3 };

function duration(ms) {
  const unit = ms >= 999.5 ? "s" : ms >= 0.9995 ? "ms" : "µs";
  return `${Number((ms / UNITS[unit]).toPrecision(3))} ${unit}`;
}

/** Draw the totals of the trials in their order, over the quartiles and the median; a throttled one is hollow. */
function dots(record) {
  const [width, height, side] = [420, 150, 62];
  const totals = record.trials.map((trial) => trial[3]);
  const [least, most] = [Math.min(...totals), Math.max(...totals)];
  const y = (ms) => 12 + (height - 36) * (most > least ? (most - ms) / (most - least) : 0.5);
  const x = (place) => side + (width - side - 12) * ((place + 0.5) / totals.length);
  const drawing = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "total of each trial, in order" });
  const add = (tag, attributes, ...children) => drawing.append(make(tag, { ...attributes, drawn: true }, ...children));
  const [first, median, third] = record.total;
  add("rect", { x: side, width: width - side, y: y(third), height: Math.max(1, y(first) - y(third)), fill: "var(--open)" });
  add("line", { x1: side, x2: width, y1: y(median), y2: y(median), stroke: "var(--soft)" });
  for (const ms of new Set(most > least ? [least, most] : [least])) {
    add("text", { x: side - 6, y: y(ms) + 4, "text-anchor": "end" }, duration(ms));
  }
  record.trials.forEach((trial, place) => {
    const kept = !trial[7];
    add("circle", { cx: x(place), cy: y(trial[3]), r: 4, stroke: "var(--link)", fill: kept ? "var(--link)" : "none" },
      make("title", { drawn: true }, `trial ${place + 1}: ${duration(trial[3])}${kept ? "" : ", throttled"}`));
  });
  add("text", { x: (side + width) / 2, y: height - 4, "text-anchor": "middle" }, "trials in their order; band: quartiles; line: median");
  return drawing;
}

function table(heads, rows) {
  const line = (cells, tag) => make("tr", {}, ...cells.map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, cell)));
  const body = make("tbody", {}, ...rows.map((row) => line(row, "td")));
  return make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": heads.join(", ") },
    make("table", {}, make("thead", {}, line(heads, "th")), body));
}

function pairsOf(pairs) {
  return make("dl", {}, ...pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function tellRecord(record) {
  const told = [make("p", {}, record.does), make("p", {}, `Answer: ${record.result}.`)];
  if (record.trials) {
    told.push(dots(record), table(["phase", "median", "1st quartile", "3rd quartile", "minimum", "trials"],
      record.times.map((row) => row.slice(0, 6).map(String))));
    const cell = (value) => (value === null ? "–" : String(value));
    told.push(make("details", {}, make("summary", {}, `Trials (ms)`), table(
      ["trial", "upload", "solve", "download", "total", "kernel", "load", "clock (MHz)", "throttled", "again", "lock", "prepare"],
      record.trials.map((trial, place) => [place + 1, ...trial].map(cell)))));
  }
  const [, machine, experiment, graph] = record.id.split("/");
  const file = ["file", `results/machines/${machine}/${experiment}/${graph}.jsonl`];
  const asked = ["parameters", record.id.split(":").slice(1).join(":").replaceAll(",", ", ") || "none"];
  const pairs = [file, asked, ...record.own, ...record.about.flatMap((place) => data.shared[place])];
  told.push(pairsOf(pairs));
  return told;
}

function tellList(list) {
  const items = list.records.map((place) => {
    const record = data.records[place];
    const time = record.times ? `: ${record.times.find((row) => row[0] === "total")[1]} in all` : "";
    return make("li", {}, make("a", { href: `#${encodeURI(record.id)}` }, record.title), `${time} (${record.result})`);
  });
  return [pairsOf(list.words.filter(([, words]) => words)),
    make("h3", {}, items.length ? "Records" : "No records"), make("ul", {}, ...items)];
}

function addressOf(hash) {
  return decodeURIComponent(hash.slice(1));
}

/** Return what the address after # names: a record or a list of them, if need be an empty one; null for a place on the page. */
function named() {
  const address = addressOf(location.hash);
  const found = records.get(address) ?? (Object.hasOwn(data.lists, address) ? data.lists[address] : null);
  if (found || !/^(record|claim|answers)\//.test(address)) return found;
  return { title: "Not on this page", words: [["asked for", address]], records: [] };
}

function follow() {
  if (!records) return; // it follows when they are unpacked
  const found = named();
  if (!found) {
    const place = document.getElementById(addressOf(location.hash));
    if (place?.tagName === "DETAILS") place.open = true; // a table that is closed at first
    if (panel.open) panel.close();
    return;
  }
  const title = make("h2", { id: "panel-title", tabindex: "-1" }, found.title);
  panel.lastElementChild.replaceChildren(title, ...(found.id ? tellRecord(found) : tellList(found)));
  if (!panel.open) panel.showModal();
  title.focus();
  panel.scrollTop = 0;
}

panel.addEventListener("close", () => {
  if (named()) history.pushState(null, "", location.pathname + location.search);
});
panel.addEventListener("click", (event) => event.target === panel && panel.close());
addEventListener("hashchange", follow);
addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((one) => (one.open = true)));
