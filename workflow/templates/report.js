"use strict";
// The page's filters, ranked tables, and the panel: what an address after # stands for. Nothing is computed here
// that the page does not state: rows are shown, hidden and ordered by what they carry.

/** Make an element; strings are texts, never HTML. */
function make(tag, attributes = {}, ...children) {
  const made = tag === "svg" || attributes.drawn
    ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (name !== "drawn") made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function save(name, type, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

// ----- filters

const filters = document.getElementById("filters");
const tables = [...document.querySelectorAll("table.data")];

function chosen() {
  return Object.fromEntries(new FormData(filters));
}

/** Order rows by a column, what has no number last. */
function order(table, place, down = false, byGraph = false) {
  const keyed = [...table.tBodies[0].rows].map((row) => {
    const { textContent: text, dataset: { value } } = row.cells[place];
    return { row, text, value: parseFloat(value), graph: byGraph ? row.dataset.place : 0 };
  });
  keyed.sort((a, b) => {
    const [none, other] = [Number.isNaN(a.value), Number.isNaN(b.value)];
    if (a.graph !== b.graph) return a.graph - b.graph;
    if (none !== other) return none - other;
    const least = none ? a.text.localeCompare(b.text, "en", { numeric: true }) : a.value - b.value;
    return down ? -least : least;
  });
  table.tBodies[0].append(...keyed.map((one) => one.row));
}

/** Rank a table by a measure if it has that, else by its own. */
function rankBy(table, measure) {
  const heads = [...table.tHead.rows[0].cells];
  const by = heads.some((head) => head.dataset.measure === measure) ? measure : table.dataset.by;
  if ((table.dataset.ranked ?? table.dataset.by) === by) return;
  table.dataset.ranked = by;
  for (const head of heads) head.removeAttribute("aria-sort");
  const place = heads.findIndex((head) => head.dataset.measure === by);
  for (const { cells } of table.rows) for (const cell of cells) cell.classList.toggle("by", cell.cellIndex === place);
  order(table, place, false, true);
}

/** Show what the filters leave; a search opens the tables in which it finds something. */
function filter() {
  const { machine, graph, measure, solver } = chosen();
  let [seen, filled] = [0, 0];
  const sought = solver.trim().toLowerCase();
  document.body.className = `${machine === "all" ? "all-machines" : ""} ${graph === "all" ? "all-graphs" : ""}`;
  for (const table of tables) {
    const rows = [...table.tBodies[0].rows];
    for (const row of rows) {
      const [name, on, where] = [...row.cells].map((cell) => cell.textContent);
      row.hidden = !((machine === "all" || !where || where === machine)
        && (graph === "all" || (graph === "largest" ? "largest" in row.dataset : (row.dataset.graph ?? on) === graph))
        && name.toLowerCase().includes(sought));
    }
    const count = rows.filter((row) => !row.hidden).length;
    const details = table.closest("details");
    details.querySelector("output").textContent = `${count} of ${rows.length} rows`;
    details.classList.toggle("empty", count === 0);
    seen += count;
    filled += count > 0;
    if (sought) details.open = count > 0;
    rankBy(table, measure);
  }
  document.getElementById("shown").textContent = seen ? `${seen} rows in ${filled} of ${tables.length} tables`
    : sought ? `No solver has “${sought}” in its name, on what else is chosen` : "No row of any table is of what is chosen";
  const unlike = document.querySelector(".unlike");
  unlike.hidden = machine === unlike.dataset.first;
  unlike.querySelector("b").textContent = machine === "all" ? "all machines" : machine;
  for (const claim of document.querySelectorAll(".claim")) {
    const findings = [...claim.querySelectorAll("[data-machine]")];
    const known = findings.some((one) => one.dataset.machine === machine);
    for (const one of findings) one.hidden = known && one.dataset.machine !== machine;
  }
}

/** Say of tables and figures that their last columns are out of sight, whenever they or what they hold change size. */
const hint = new ResizeObserver((changed) => {
  const places = [...new Set(changed.map(({ target }) => target.closest(".wide, .drawing")))];
  const cut = places.map((one) => one.scrollWidth > one.clientWidth + 1);
  places.forEach((one, place) => one.classList.toggle("cut", cut[place]));
});
for (const one of document.querySelectorAll(".wide, .wide > table, .drawing")) hint.observe(one);

/** Print the claims that are folded, without their figures. */
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll(".claims:not([open])")) one.open = one.classList.toggle("folded", true);
});
addEventListener("afterprint", () => {
  for (const one of document.querySelectorAll(".folded")) one.open = one.classList.toggle("folded", false);
});

/** Keep in the address what is not as it is at first. */
function keep() {
  const address = new URLSearchParams();
  for (const field of filters.elements) {
    const usual = field.options ? [...field.options].find((one) => one.defaultSelected).value : field.defaultValue;
    if (field.name && field.value !== usual) address.set(field.name, field.value);
  }
  history.replaceState(null, "", `${location.pathname}${address.size ? `?${address}` : ""}${location.hash}`);
}

function restore() {
  filters.reset();
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = filters.elements.namedItem(name);
    if (field && (!field.options || [...field.options].some((one) => one.value === value))) field.value = value;
  }
  filter();
}

filters.addEventListener("input", () => { filter(); keep(); });
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", () => setTimeout(() => { filter(); keep(); }));

// ----- tables and figures

/** Download the rows that are shown, the numbers unrounded; times are in ms. */
function toCSV(table) {
  const quoted = (text) => `"${text.replace(/^[=+\-@]/, "'$&").replaceAll('"', '""')}"`;
  const lines = [...table.rows].filter((row) => !row.hidden).map((row) => [...row.cells].map((cell) =>
    cell.dataset.value ?? quoted(cell.textContent.trim())));
  return lines.map((line) => `${line.join()}\n`).join("");
}

/** Return a figure as a file of its own, with the definitions and styles that the page's figures share. */
function toSVG(drawing) {
  const copy = drawing.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.background = "white";
  copy.prepend(document.querySelector("#shared defs").cloneNode(true),
    make("style", { drawn: true }, document.getElementById("of-figures").textContent));
  return new XMLSerializer().serializeToString(copy);
}

for (const table of tables) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => head.replaceChildren(make("button", { type: "button", "data-sort": place }, head.textContent)));
}

addEventListener("click", ({ target }) => {
  const { save: figure, csv, sort } = target.dataset ?? {};
  if (figure) save(`${figure}.svg`, "image/svg+xml", toSVG(document.getElementById(`drawing-${figure}`)));
  if (csv) save(`${csv}.csv`, "text/csv", toCSV(tables.find((table) => table.dataset.name === csv)));
  if (sort) {
    const head = target.parentElement;
    const down = head.ariaSort === "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.ariaSort = down ? "descending" : "ascending";
    order(target.closest("table"), sort, down);
    target.closest("table").dataset.ranked = "head";
  }
});

// ----- the panel

const panel = document.getElementById("panel");
let data, records; // once they are unpacked

/** Unpack what is told of the records: base64, gzip, JSON. */
async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (one) => one.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  data = await new Response(stream).json();
  const columns = Object.entries(data.records);
  data.records = data.records.id.map((_, place) => Object.fromEntries(columns.map(([key, values]) => [key, values[place]])));
  records = new Map(data.records.map((record) => [record.id, record]));
  const addresses = [...records.keys(), ...Object.keys(data.lists)];
  for (const link of document.querySelectorAll("[data-to]")) link.href = `#${encodeURI(addresses[link.dataset.to])}`;
  tell();
}

/** Draw the totals of the trials in their order, over the quartiles and the median; a throttled one is hollow. */
function dots(record) {
  const [width, height, side] = [420, 150, 62];
  const { totals } = record;
  const [least, most] = [Math.min(...totals), Math.max(...totals)];
  const y = (ms) => 12 + (height - 36) * (most > least ? (most - ms) / (most - least) : 0.5);
  const x = (place) => side + (width - side - 12) * ((place + 0.5) / totals.length);
  const drawing = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "total of each trial, in order" });
  const add = (tag, attributes, ...children) => drawing.append(make(tag, { ...attributes, drawn: true }, ...children));
  const [first, median, third] = record.total;
  add("rect", { x: side, width: width - side, y: y(third), height: Math.max(1, y(first) - y(third)), fill: "var(--open)" });
  add("line", { x1: side, x2: width, y1: y(median), y2: y(median), stroke: "var(--soft)" });
  const [, middle, , , lowest] = record.times.find(([phase]) => phase === "total");
  add("text", { x: side - 6, y: y(median) + 4, "text-anchor": "end" }, middle);
  if (y(least) - y(median) > 12) add("text", { x: side - 6, y: y(least) + 4, "text-anchor": "end" }, lowest);
  totals.forEach((ms, place) => {
    const kept = !record.throttled.includes(place);
    add("circle", { cx: x(place), cy: y(ms), r: totals.length > 24 ? 2 : 4, stroke: "var(--link)", fill: kept ? "var(--link)" : "none" },
      make("title", { drawn: true }, `trial ${place + 1}: ${ms} ms${kept ? "" : ", throttled"}`));
  });
  add("text", { x: (side + width) / 2, y: height - 4, "text-anchor": "middle" }, "trials in their order; band: quartiles; line: median");
  return drawing;
}

function tableOf(heads, rows) {
  const line = (cells, tag) => make("tr", {}, ...cells.map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, String(cell ?? "–"))));
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
    told.push(dots(record), tableOf(["phase", "median", "1st quartile", "3rd quartile", "minimum", "trials"], record.times));
    const [{ length }] = record.trials;
    const listed = length < record.totals.length ? `, the first ${length} of ${record.totals.length}` : "";
    told.push(make("details", {}, make("summary", {}, `Trials (ms)${listed}`), tableOf(
      ["trial", "total", "upload", "solve", "download", "kernel", "load", "clock (MHz)", "throttled", "again", "lock", "prepare"],
      record.totals.slice(0, length).map((total, place) => [place + 1, total, ...record.trials.map((phase) => phase[place])]))));
  }
  const [, machine, experiment, graph] = record.id.split("/");
  const file = ["file", `results/machines/${machine}/${experiment}/${graph}.jsonl`];
  const asked = ["parameters", record.id.split(":").slice(1).join(":").replaceAll(",", ", ") || "none"];
  told.push(pairsOf([file, asked, ...record.own, ...record.about.flatMap((place) => data.shared[place])]));
  return told;
}

function tellList(list) {
  const items = list.records.map(([place, times]) => {
    const record = data.records[place];
    return make("li", {}, make("a", { href: `#${encodeURI(record.id)}` }, record.title), `: ${times || record.result}`);
  });
  return [pairsOf(list.words.filter(([, words]) => words)),
    make("h3", {}, items.length ? "Records" : "No records"), make("ul", {}, ...items)];
}

/** Return what the address after # names: a record or a list of them, if need be an empty one; null for a place on the page. */
function named() {
  const address = decodeURIComponent(location.hash.slice(1));
  const found = records.get(address) ?? (Object.hasOwn(data.lists, address) ? data.lists[address] : null);
  if (found || !/^(record|claim|answers)\//.test(address)) return found;
  return { title: "Not on this page", words: [["asked for", address]], records: [] };
}

/** Go to a place on the page, which may be in what is closed, or open the panel. */
function follow() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = place; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  place?.scrollIntoView();
  if (records) tell();
}

function tell() {
  const found = named();
  if (!found) return panel.open && panel.close();
  const title = make("h2", { id: "panel-title", tabindex: "-1" }, found.title);
  panel.lastElementChild.replaceChildren(title, ...(found.id ? tellRecord(found) : tellList(found)));
  if (!panel.open) panel.showModal();
  title.focus();
  panel.scrollTop = 0;
}

panel.addEventListener("close", () => {
  if (named()) history.replaceState(null, "", location.pathname + location.search);
});
panel.addEventListener("click", (event) => event.target === panel && panel.close());
addEventListener("hashchange", follow);
addEventListener("popstate", restore);
const bar = document.getElementById("bar");
/** Fold contents and filters where they would hide the page. */
const fold = () => { if (matchMedia("(max-width: 60rem)").matches) bar.open = false; };
bar.querySelector("nav").addEventListener("click", ({ target }) => target.closest("a") && fold());
fold();
restore();
follow();
requestAnimationFrame(() => setTimeout(() => unpack().catch(() => document.querySelector("#front").append(
  make("p", {}, "This browser cannot show the records: it lacks DecompressionStream, which others have since 2023.")))));
