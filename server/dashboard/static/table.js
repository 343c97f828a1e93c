// Tables that sort and filter. Without this script, they show all rows in the server's order.
//
//   <table class="sortable">    The column headers become buttons, and on phones a field to choose the order.
//   <table class="filterable">  A text field above the table hides the rows that do not contain all its words.
//   data-paged on the table     The table is one page of a longer list. The fields say so.
//   data-value on a cell        What the cell sorts by. Other cells sort by the time in them, or else by their text.
//
// A column with the attribute data-unsorted does not sort, nor does one whose header is only for screen readers.
"use strict";
{
  const status = document.getElementById("announcer"); // read aloud by screen readers
  const narrow = window.matchMedia("(max-width: 40rem)"); // as in style.css, where rows become blocks
  const minFilterRows = 6; // fewer rows need no filter
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  // textOf returns the text of an element, without its controls.
  const textOf = (element) => {
    const copy = element.cloneNode(true);
    for (const control of copy.querySelectorAll("select, button, details")) control.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  };

  // sortValue returns what a cell sorts by: a number, or a text.
  const sortValue = (cell) => {
    const time = cell?.querySelector("time[datetime]");
    if (time && cell.dataset.value === undefined) return Date.parse(time.dateTime);
    const text = cell?.dataset.value ?? (cell ? textOf(cell) : "");
    return /^-?[\d,]+(\.\d+)?%?$/.test(text) ? Number(text.replace(/[,%]/g, "")) : text;
  };

  // kindOf returns what a column sorts by: time, number or text. A column of times may contain words such as "never".
  const kindOf = (table, column) => {
    const cells = [...table.tBodies[0].rows].map((row) => row.cells[column.index]);
    if (cells.some((cell) => cell?.querySelector("time[datetime]"))) return "time";
    return cells.some((cell) => typeof sortValue(cell) === "number") ? "number" : "text";
  };

  // sort orders the rows by a column. Rows with equal values keep their order. Rows without a value are last.
  const sort = (table, column, direction) => {
    const numeric = kindOf(table, column) !== "text";
    const valueOf = (row) => {
      const value = sortValue(row.cells[column.index]);
      return value === "" || numeric && typeof value !== "number" ? undefined : value;
    };
    const sign = direction === "descending" ? -1 : 1;
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, value: valueOf(row) }));
    rows.sort(({ value: a }, { value: b }) => {
      if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
      return sign * (numeric ? a - b : collator.compare(a, b));
    });
    table.tBodies[0].append(...rows.map(({ row }) => row));
    for (const header of table.tHead.rows[0].cells) header.removeAttribute("aria-sort");
    column.header.setAttribute("aria-sort", direction);
    status.textContent = `Sorted by ${column.label}, ${direction}.`;
  };

  // sortableColumns returns the columns of a table that sort.
  const sortableColumns = (table) => [...table.tHead.rows[0].cells]
    .map((header, index) => ({ header, index, label: header.textContent.trim() }))
    .filter(({ header, label }) =>
      label && header.dataset.unsorted === undefined && !header.querySelector(".sr-only"));

  // showButtons turns column headers into buttons, if they are visible. The greatest numbers and times come first.
  const showButtons = (table, columns) => {
    for (const column of columns) {
      if (narrow.matches && table.classList.contains("stack")) {
        column.header.textContent = column.label;
        continue;
      }
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = column.label;
      button.addEventListener("click", () => {
        const present = column.header.getAttribute("aria-sort");
        const first = kindOf(table, column) === "text" ? "ascending" : "descending";
        const other = present === "descending" ? "ascending" : "descending";
        sort(table, column, present ? other : first);
      });
      column.header.replaceChildren(button);
    }
  };

  // addField adds a labeled field to the tools above a table.
  const addField = (tools, field, label, name) => {
    const box = document.createElement("div");
    box.className = "field " + name;
    const caption = document.createElement("label");
    field.id = `${name}-of-table-${document.querySelectorAll(".tabletools").length}`;
    caption.htmlFor = field.id;
    caption.textContent = label;
    box.append(caption, field);
    tools.append(box);
  };

  // addOrder adds the field that sorts a table on narrow screens.
  const addOrder = (tools, table, columns) => {
    const select = document.createElement("select");
    select.append(new Option("Default order", ""));
    const names = {
      time: ["newest first", "oldest first"], number: ["highest first", "lowest first"], text: ["Z to A", "A to Z"],
    };
    columns.forEach((column, i) => {
      const [descending, ascending] = names[kindOf(table, column)];
      select.append(new Option(`${column.label}, ${ascending}`, `${i} ascending`));
      select.append(new Option(`${column.label}, ${descending}`, `${i} descending`));
    });
    const original = [...table.tBodies[0].rows];
    select.addEventListener("change", () => {
      const [i, direction] = select.value.split(" ");
      if (direction) sort(table, columns[i], direction);
      else table.tBodies[0].append(...original);
    });
    addField(tools, select, table.dataset.paged === undefined ? "Sort by" : "Sort this page by", "order");
  };

  // addFilter adds the field that filters a table.
  const addFilter = (tools, table) => {
    const input = document.createElement("input");
    input.type = "search";
    input.autocomplete = "off";
    const none = document.createElement("p");
    none.className = "empty";
    none.textContent = "No rows match.";
    none.hidden = true;
    const searchText = (row) => [...row.cells].map((cell) => `${textOf(cell)} ${cell.dataset.value ?? ""}`).join(" ");
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) {
        const text = searchText(row).toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      const shown = rows.filter((row) => !row.hidden).length;
      none.hidden = shown > 0;
      table.hidden = shown === 0;
      status.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    };
    input.addEventListener("input", apply);
    window.addEventListener("pageshow", apply); // browsers restore what was entered
    addField(tools, input, table.dataset.paged === undefined ? "Filter" : "Filter this page", "filter");
    table.after(none);
  };

  for (const table of document.querySelectorAll("table.sortable, table.filterable")) {
    const rows = table.tBodies[0]?.rows.length ?? 0;
    if (!table.tHead || rows < 2) continue;
    const tools = document.createElement("div");
    tools.className = "tabletools";
    if (table.classList.contains("filterable") && rows >= minFilterRows) addFilter(tools, table);
    else tools.classList.add("onlyorder");
    if (table.classList.contains("sortable")) {
      const columns = sortableColumns(table);
      if (table.classList.contains("stack")) addOrder(tools, table, columns);
      showButtons(table, columns);
      narrow.addEventListener("change", () => showButtons(table, columns));
    }
    if (tools.hasChildNodes()) (table.closest(".scroll") ?? table).before(tools);
  }
}
