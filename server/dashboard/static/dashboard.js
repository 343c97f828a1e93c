// What the pages gain with a script. All of them work without it.
"use strict";

const said = document.getElementById("said");

// Copy buttons: each one names the element whose text it copies.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!window.isSecureContext && !document.execCommand) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    const done = await copy(source);
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    said.textContent = done ? "Copied to the clipboard." : "The text is selected; copy it with the keyboard.";
    setTimeout(() => { button.textContent = "Copy"; said.textContent = ""; }, 2500);
  });
}

// copy puts a text on the clipboard. On plain http, where browsers keep the clipboard away, it selects the text and tries the
// older way.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand("copy");
  }
}

// A one-time link has its secret behind the #: it goes into the form, and out of the address, the history and the sight of others.
const secretForm = document.querySelector("form[data-secret]");
if (secretForm && location.hash.length > 1) {
  secretForm.elements.secret.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (!document.getElementById("faults")) secretForm.requestSubmit();
}

// What is wrong with a form comes first.
document.getElementById("faults")?.focus();

// A field named in the list of faults may be inside something that is folded up.
for (const link of document.querySelectorAll("#faults a")) {
  link.addEventListener("click", (event) => {
    const field = document.getElementById(link.hash.slice(1));
    if (!field) return;
    event.preventDefault();
    field.closest("details")?.setAttribute("open", "");
    field.focus();
  });
}

// Print buttons: on paper everything is unfolded.
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll(".rubric")) details.open = true;
});

// A choice that shows something else takes effect at once.
for (const form of document.querySelectorAll("form[data-send-on-change]")) {
  form.querySelector("button").hidden = true;
  form.addEventListener("change", () => form.requestSubmit());
}

// A brief that is under way is not sent twice.
for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button[type=submit]");
  const label = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = form.dataset.busy;
    said.textContent = form.dataset.busy;
  });
  window.addEventListener("pageshow", () => { button.disabled = false; button.textContent = label; });
}

// A file may be dropped anywhere on a page that asks for one; without a script, on its field. One that is too large is not sent.
const file = document.querySelector("input[type=file]");
if (file) {
  const large = document.getElementById(file.dataset.large);
  const weigh = () => {
    large.hidden = !(file.files[0]?.size > file.dataset.max);
    file.setCustomValidity(large.hidden ? "" : large.textContent);
  };
  file.addEventListener("change", weigh);
  window.addEventListener("pageshow", weigh); // browsers bring back what was chosen
  const over = (event, is) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    file.parentElement.classList.toggle("over", is);
  };
  document.addEventListener("dragover", (event) => over(event, true));
  document.addEventListener("dragleave", (event) => over(event, event.relatedTarget !== null));
  document.addEventListener("drop", (event) => {
    over(event, false);
    const dropped = event.dataTransfer?.files[0];
    if (!dropped) return;
    const one = new DataTransfer(); // the field takes one, however many are dropped
    one.items.add(dropped);
    file.files = one.files;
    weigh();
    file.focus();
    said.textContent = dropped.name;
  });
}

// On a narrow screen the navigation scrolls; the page that is open is to be seen in it.
const nav = document.querySelector(".side nav");
const current = nav?.querySelector("[aria-current]");
if (current) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
