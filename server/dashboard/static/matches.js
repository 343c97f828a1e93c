// Keeps a shortlist of matches: in the open project, or in the browser without one. Without this script, all
// matches are shown and exported.
"use strict";
for (const bar of document.querySelectorAll(".viewbar[data-result]")) {
  const status = document.getElementById("announcer"); // read aloud by screen readers
  const storageKey = `shortlist ${bar.dataset.result}`;
  let matches = [...document.querySelectorAll("[data-match]")];

  // A browser may refuse to store anything. The shortlist then lasts as long as the page.
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(storageKey)) ?? [];
    } catch {
      return [];
    }
  };
  const inProject = "project" in bar.dataset;
  const chosen = new Set(inProject ?
    matches.filter((match) => "chosen" in match.dataset).map((match) => match.dataset.match) : read());

  // store keeps the change of one match. It throws an error if the server doesn't. If the change wasn't made, the page
  // is loaded again and says why.
  const store = async (match) => {
    if (inProject) {
      const body = new URLSearchParams({ on: chosen.has(match.dataset.match) ? "yes" : "", back: "script" });
      const response = await fetch(`${match.dataset.page}/shortlist`, {
        method: "POST", body, keepalive: true, // also if the page is left
      });
      if (response.status === 409) location.reload();
      else if (response.status !== 204) throw new Error(`status ${response.status}`);
      return;
    }
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
  if (!("one" in bar.dataset)) bar.append(label); // the page about one person has no list

  // show applies the shortlist to the page and to what the links export.
  const show = () => {
    text.textContent = `Shortlist only (${chosen.size})`;
    only.disabled = chosen.size === 0;
    if (only.disabled) only.checked = false;
    for (const match of matches) {
      const has = chosen.has(match.dataset.match);
      if (!("pane" in match.dataset)) match.hidden = only.checked && !has;
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

  const addStar = (match) => {
    const star = document.createElement("button");
    star.type = "button";
    star.className = "star";
    star.setAttribute("aria-label", `Shortlist ${match.dataset.name}`);
    star.addEventListener("click", async () => {
      const toggle = () => {
        if (!chosen.delete(match.dataset.match)) chosen.add(match.dataset.match);
        show();
      };
      toggle();
      if (match.hidden) only.focus();
      try {
        await store(match);
        status.textContent = `${chosen.size} on the shortlist.`;
      } catch {
        toggle();
        status.textContent = "Not saved. Reload the page and try again.";
      }
    });
    match.querySelector("[data-star]").replaceWith(star);
  };
  matches.forEach(addStar);

  // A pane that a script has loaded replaces the one before.
  document.addEventListener("matchadded", ({ detail: match }) => {
    matches = matches.filter((known) => known.isConnected);
    matches.push(match);
    addStar(match);
    show();
  });

  // A new project begins with the shortlist.
  document.querySelector("[data-shortlist]")?.addEventListener("formdata", ({ formData }) => {
    for (const id of chosen) formData.append("people", id);
  });
  // Contacting a person adds them to the project, and rejecting removes them.
  document.addEventListener("matchchanged", ({ detail: { id, isChosen } }) => {
    if (!inProject) return;
    if (isChosen) chosen.add(id);
    else chosen.delete(id);
    show();
  });
  only.addEventListener("change", show);
  show();
}
