"use strict";
// The page reads without any of this: sorting, filters, one button for every gate, printing, live charts.

for (const table of document.querySelectorAll(".grid table")) {
  makeSortable(table);
  rove(table);
}
document.querySelectorAll(".filter").forEach(makeFilter);
document.querySelectorAll(".open-gates").forEach(openGates);
dismissHints();
openForPrinting();
watchCharts();

function makeSortable(table) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) return;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    const hint = heading.querySelector(".hint");
    button.type = "button";
    button.className = hint ? "sort hint" : "sort";
    if (hint) button.title = hint.title;
    button.append(...(hint ?? heading).childNodes);
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const falling = heading.ariaSort === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const keyed = [...body.rows].map((row) => [sortKey(row.cells[column]), row]);
      keyed.sort(([one], [other]) => compare(one, other, falling));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

function sortKey(cell) {
  const datum = cell.dataset.order ?? cell.querySelector("data")?.value;
  if (datum !== undefined && datum !== "" && !Number.isNaN(Number(datum))) return Number(datum);
  const text = cell.textContent.trim();
  return text.startsWith("–") ? "" : text; // which may say why
}

// What is missing comes last in either direction: so does text among numbers.
function compare(one, other, falling) {
  if (one === "" || other === "") return (one === "") - (other === "");
  if (typeof one !== typeof other) return (typeof one === "string") - (typeof other === "string");
  const order =
    typeof one === "number" && typeof other === "number"
      ? one - other
      : String(one).localeCompare(String(other), "en", { numeric: true });
  return falling ? -order : order;
}

// A table is one stop of the Tab key; the arrows go from hint to hint.
function rove(table) {
  const hints = () => [...table.querySelectorAll("tbody tr:not([hidden]) .hint")];
  hints().slice(1).forEach((hint) => (hint.tabIndex = -1));
  table.tBodies[0].addEventListener("keydown", (event) => {
    const here = event.target.closest(".hint");
    const ways = { ArrowLeft: [-1, false], ArrowRight: [1, false], ArrowUp: [-1, true], ArrowDown: [1, true] };
    const [step, sameColumn] = ways[event.key] ?? [];
    if (!here || step === undefined) return;
    const column = here.closest("th, td").cellIndex;
    const stops = sameColumn
      ? hints().filter((hint) => hint.closest("th, td").cellIndex === column)
      : hints();
    const next = stops[stops.indexOf(here) + step];
    event.preventDefault();
    if (!next) return;
    here.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

function dismissHints() {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement.matches(".hint")) document.activeElement.blur();
  });
}

function makeFilter(box) {
  const input = box.querySelector("input");
  const count = box.querySelector("output");
  const rows = [...box.parentElement.querySelectorAll("tbody tr")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  box.hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !texts.get(row).includes(wanted);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = wanted ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
    reachable(box.parentElement);
  });
}

// One hint of every table can be reached by Tab, also when the filter has hidden the one that could.
function reachable(grid) {
  const hints = [...grid.querySelectorAll("tbody tr:not([hidden]) .hint")];
  if (hints.length && !hints.some((hint) => hint.tabIndex === 0)) hints[0].tabIndex = 0;
}

function openGates(button) {
  button.parentElement.hidden = false;
  button.addEventListener("click", () => {
    for (const gate of document.querySelectorAll(".gate")) gate.open = true;
  });
}

// Paper cannot be opened with a click. The numbers behind a chart stay folded, the chart shows them; so does a table so
// long that it has a filter: it is for looking up, not for reading.
function openForPrinting() {
  let closed = [];
  addEventListener("beforeprint", () => {
    const wanted = [".gate", ".folded:not(:has(.filter))", ":is(th, td) > details"];
    closed = [...document.querySelectorAll(wanted.join())].filter((details) => !details.open);
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
}

function watchCharts() {
  const seen = (entries, observer) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      observer.unobserve(entry.target);
      enliven(entry.target);
    }
  };
  const observer = new IntersectionObserver(seen, { rootMargin: "200px" });
  // A phone shows the narrow drawing, which stays as it is.
  document.querySelectorAll(".drawing.wide").forEach((drawing) => observer.observe(drawing));
}

async function enliven(drawing) {
  const figure = drawing.closest(".chart");
  const stage = document.createElement("div");
  stage.ariaHidden = "true"; // what is to be seen is said by the label of the drawing around it
  try {
    const spec = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    await vegaEmbed(stage, spec, { ast: true, renderer: "svg", actions: false, defaultStyle: false });
  } catch {
    return; // the drawing that is there says the same
  }
  drawing.replaceChildren(stage);
}
