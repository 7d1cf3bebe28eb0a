/* Long tables can be searched and sorted; cells name their command; sections of chapters open. */
const ENOUGH = 12;

function number(text) {
  const found = text.match(/^[^\d+-]*([+-]?\d[\d.]*(e[+-]?\d+)?)/i);
  return found ? parseFloat(found[1]) : NaN;
}

function sort(table, column, heading) {
  const up = heading.getAttribute("aria-sort") !== "ascending";
  table.querySelectorAll("th[aria-sort]").forEach((th) => th.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [row.cells[column].innerText.trim(), row]);
  rows.sort(([a], [b]) => number(a) - number(b) || a.localeCompare(b));
  table.tBodies[0].append(...(up ? rows : rows.reverse()).map(([, row]) => row));
}

function equip(box) {
  const table = box.querySelector("table");
  if (table.tBodies[0].rows.length < ENOUGH) return;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    button.title = "sort";
    button.addEventListener("click", () => sort(table, column, heading));
    heading.append(button);
  });
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "search rows";
  search.setAttribute("aria-label", `search rows of ${box.getAttribute("aria-label")}`);
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  box.parentElement.querySelector(".links").append(search);
}

/* A click on a cell says how it is computed again: the row has the run, the table the data sets. */
function again(table) {
  const names = table.dataset.datasets.split(" ");
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  said.textContent = "click a cell for its command";
  table.closest(".ldl").querySelector(".links").append(said);
  table.tBodies[0].addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    const run = cell && cell.parentElement.cells[0].dataset.run;
    if (!run) return;
    const dataset = names[names.length > 1 ? cell.cellIndex - 1 : 0];
    const code = document.createElement("code");
    code.textContent = `ldlrepro run ${run} --dataset ${dataset} --recompute`;
    said.replaceChildren("again: ", code);
  });
}

/* What a link leads to is open, and so is all around it. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const own = target.querySelector(":scope > details.section-fold");
  for (let one = own || target.closest("details"); one; one = one.parentElement.closest("details")) {
    one.open = true;
  }
  target.scrollIntoView();
}

function offer(sections) {
  const folds = [...sections, ...document.querySelectorAll("details.ldl")];
  const button = document.createElement("button");
  const label = () => {
    const shut = folds.some((fold) => !fold.open);
    button.textContent = shut ? "Open all sections and tables" : "Close all sections and tables";
    return shut;
  };
  button.className = "all-sections";
  button.addEventListener("click", () => {
    const open = label();
    folds.forEach((fold) => (fold.open = open));
  });
  folds.forEach((fold) => fold.addEventListener("toggle", label));
  label();
  document.querySelector(".bd-article h1").after(button);
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".ldl .box").forEach(equip);
  document.querySelectorAll(".ldl table[data-datasets]").forEach(again);
  const folds = [...document.querySelectorAll("details.section-fold")];
  if (folds.length) offer(folds);
  reveal();
  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", () => folds.forEach((fold) => (fold.open = true)));
  // A click on a plot shows it alone, as large as it is.
  document.querySelectorAll(".cell_output img").forEach((image) => {
    const link = document.createElement("a");
    link.href = image.src;
    link.title = "the picture alone";
    image.replaceWith(link);
    link.append(image);
    const measure = () => link.style.setProperty("--own", `${image.naturalWidth}px`);
    image.addEventListener("load", measure);
    if (image.complete) measure();
  });
  document.querySelectorAll("summary").forEach((one) => {
    if (!one.textContent.trim()) one.setAttribute("aria-label", "pages below");
    else one.removeAttribute("aria-label"); // its text is its name
  });
  // Lists right inside lists, as viewcode writes them, are no items of theirs.
  document.querySelectorAll("ul > ul").forEach((one) => {
    const item = document.createElement("li");
    one.replaceWith(item);
    item.append(one);
  });
  // As docutils writes them, references in a list are no items of it.
  document.querySelectorAll('[role="doc-biblioentry"]').forEach((one) => {
    one.setAttribute("role", "listitem");
  });
});
