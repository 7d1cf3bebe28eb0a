/* Long tables can be searched, and sorted by a click on a column's head. */
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

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".ldl .box").forEach(equip);
  document.querySelectorAll("summary").forEach((one) => {
    if (!one.textContent.trim()) one.setAttribute("aria-label", "pages below");
  });
  // As docutils writes them, references in a list are no items of it.
  document.querySelectorAll('[role="doc-biblioentry"]').forEach((one) => {
    one.setAttribute("role", "listitem");
  });
});
