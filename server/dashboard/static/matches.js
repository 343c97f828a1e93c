// Keeps a shortlist of matches in the browser. Without this script, all matches are shown and exported.
"use strict";
for (const bar of document.querySelectorAll(".viewbar[data-result]")) {
  const status = document.getElementById("announcer"); // read aloud by screen readers
  const storageKey = `shortlist ${bar.dataset.result}`;
  const matches = [...document.querySelectorAll("[data-match]")];

  // A browser may refuse to store anything. The shortlist then lasts as long as the page.
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(storageKey)) ?? [];
    } catch {
      return [];
    }
  };
  const chosen = new Set(read());
  const store = () => {
    try {
      localStorage.setItem(storageKey, JSON.stringify([...chosen]));
    } catch {
      // see above
    }
  };

  const only = document.createElement("input");
  only.type = "checkbox";
  only.autocomplete = "off";
  const label = document.createElement("label");
  label.className = "tick";
  const text = document.createElement("span");
  label.append(only, text);
  bar.append(label);

  // show applies the shortlist to the page and to what the links export.
  const show = () => {
    text.textContent = `Shortlist only (${chosen.size})`;
    only.disabled = chosen.size === 0;
    if (only.disabled) only.checked = false;
    for (const match of matches) {
      const has = chosen.has(match.dataset.match);
      match.hidden = only.checked && !has;
      const star = match.querySelector(".star");
      star.textContent = has ? "★" : "☆";
      star.setAttribute("aria-pressed", has);
    }
    for (const link of bar.querySelectorAll("[data-export]")) {
      const url = new URL(link.href);
      url.search = only.checked ? new URLSearchParams([...chosen].map((id) => ["ids", id])) : "";
      link.href = url;
    }
  };

  for (const match of matches) {
    const star = document.createElement("button");
    star.type = "button";
    star.className = "star";
    star.setAttribute("aria-label", `Shortlist ${match.dataset.name}`);
    star.addEventListener("click", () => {
      const id = match.dataset.match;
      if (!chosen.delete(id)) chosen.add(id);
      store();
      show();
      if (match.hidden) only.focus();
      status.textContent = `${chosen.size} on the shortlist.`;
    });
    match.querySelector("[data-star]").replaceWith(star);
  }
  only.addEventListener("change", show);
  show();
}
