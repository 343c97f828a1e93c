// Selects people in the list of matches without loading the page again, also with keys. Without this script, each row
// has a link that selects it, and each action is a form.
"use strict";
{
  const announce = (text) => { document.getElementById("announcer").textContent = text; };
  const list = document.querySelector("[data-people]");
  const side = document.getElementById("person");
  const keys = document.querySelector("dialog.keys");
  const phone = window.matchMedia("(max-width: 48rem)"); // as in workbench.css, where the person replaces the list
  const rows = () => [...list.children].filter((row) => !row.hidden);
  const selected = () => list.querySelector("[data-selected]");
  let loading = new AbortController(); // of the latest pane

  // showPane replaces the pane by the one in a response.
  const showPane = async (response) => {
    if (!response.ok) throw new Error(`status ${response.status}`);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("[data-pane]");
    if (!fresh) throw new Error("the response has no profile"); // such as the sign-in page
    side.querySelector("[data-pane]").replaceWith(fresh);
    side.scrollTop = 0;
    document.dispatchEvent(new CustomEvent("matchadded", { detail: fresh }));
    return fresh;
  };

  // select shows the person of a row. If that fails, the row's link shows them on a page.
  const select = async (row) => {
    const before = selected();
    side.querySelector(":scope > .callout")?.remove();
    delete before?.dataset.selected;
    before?.querySelector("a").removeAttribute("aria-current");
    const link = row.querySelector("a");
    row.dataset.selected = "";
    link.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
    history.replaceState(null, "", link.href);
    loading.abort();
    loading = new AbortController();
    const { signal } = loading;
    try {
      await showPane(await fetch(`${row.dataset.page}?pane=1`, { signal }));
      announce(`${row.dataset.name}, number ${row.querySelector(".rank").textContent}`);
    } catch (error) {
      if (!signal.aborted) location.assign(link.href);
    }
  };

  // act sends an outcome about the person of a row.
  const act = async (row, outcome) => {
    try {
      const response = await fetch(row.dataset.page, {
        method: "POST", body: new URLSearchParams({ outcome, back: "pane" }),
      });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const answer = new DOMParser().parseFromString(await response.clone().text(), "text/html");
      const pane = answer.querySelector("[data-pane]");
      const notice = answer.querySelector("main > .callout[role=status]"); // what a project didn't take over
      const mark = pane?.querySelector("[data-mark]")?.textContent.replace(/\.$/, "") ?? "";
      row.querySelector("[data-mark]").textContent = mark.toLowerCase();
      row.classList.add("marked");
      if (pane) {
        const isChosen = "chosen" in pane.dataset;
        document.dispatchEvent(new CustomEvent("matchchanged", { detail: { id: row.dataset.match, isChosen } }));
      }
      if (row === selected()) await showPane(response);
      if (notice) side.prepend(notice);
      announce(`${row.dataset.name}: ${mark} ${notice?.textContent ?? ""}`.trim());
    } catch {
      announce("Not saved. Reload the page and try again.");
    }
  };

  list.addEventListener("click", (event) => {
    const row = event.target.closest("[data-match]");
    const other = event.target.closest("button, input, label") || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!row || other || phone.matches) return;
    event.preventDefault();
    select(row);
  });

  side.addEventListener("submit", (event) => {
    const row = selected();
    if (!row || phone.matches || !event.submitter?.value) return;
    event.preventDefault();
    act(row, event.submitter.value);
  });

  // move selects the row some places away from the selected one.
  const move = (by) => {
    const all = rows();
    const next = all[Math.min(Math.max(all.indexOf(selected()) + by, 0), all.length - 1)];
    if (!next || next === selected()) return;
    next.querySelector("a").focus({ preventScroll: true });
    select(next);
  };

  // Two or three people can be compared. Without this script, the page of the comparison says so.
  const comparison = document.getElementById("comparepeople");
  const picked = () => list.querySelectorAll(".pick input:checked");
  const showPicked = () => {
    const enough = picked().length > 1;
    comparison.querySelector("button").disabled = !enough;
    for (const box of list.querySelectorAll(".pick input:not(:checked)")) box.disabled = picked().length >= 3;
    return enough;
  };
  const pick = (row) => {
    const box = row.querySelector(".pick input");
    if (box.disabled) {
      announce("Three people are selected already.");
      return;
    }
    box.checked = !box.checked;
    showPicked();
    announce(`${row.dataset.name}: ${box.checked ? "selected" : "not selected"} for the comparison`);
  };
  list.addEventListener("change", showPicked);
  window.addEventListener("pageshow", showPicked); // browsers restore the boxes
  showPicked();

  const commands = {
    j: () => move(1),
    k: () => move(-1),
    s: () => selected()?.querySelector(".star")?.click(),
    x: () => { const row = selected(); if (row) { act(row, "rejected"); move(1); } },
    c: () => { const row = selected(); if (row) pick(row); },
    v: () => {
      if (showPicked()) comparison.requestSubmit();
      else announce("Select two or three people with c first.");
    },
    "?": () => keys.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const onRow = event.target.closest("[data-people] a") || event.target.matches("body, #answer");
    if (event.key === "Enter" && onRow && selected() && !phone.matches) {
      event.preventDefault();
      location.assign(selected().dataset.page);
      return;
    }
    if (Object.hasOwn(commands, event.key)) {
      event.preventDefault();
      commands[event.key]();
    }
  });

  const help = document.querySelector("[data-help]");
  help.hidden = false;
  help.addEventListener("click", () => keys.showModal());
}
