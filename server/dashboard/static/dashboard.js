// Progressive enhancements. All pages work without this script.
"use strict";

const announcer = document.getElementById("announcer"); // read aloud by screen readers

// Copy buttons. Each one names the element whose text it copies.
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!window.isSecureContext && !document.execCommand) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const copied = await copy(document.getElementById(button.dataset.copy));
    button.textContent = copied ? "Copied" : "Press Ctrl+C";
    announcer.textContent = copied ? "Copied to the clipboard." : "The text is selected. Copy it with the keyboard.";
    setTimeout(() => { button.textContent = "Copy"; announcer.textContent = ""; }, 2500);
  });
}

// copy copies an element's text to the clipboard. Over plain http, browsers deny access to the clipboard; it then
// selects the text and tries the older command.
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

// A one-time link has its secret after the #. Move it into the form, and out of the address bar and the history.
const secretForm = document.querySelector("form[data-secret]");
if (secretForm && location.hash.length > 1) {
  secretForm.elements.secret.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (!document.getElementById("faults")) secretForm.requestSubmit();
}

// Opening another link in the same tab changes only the part after the #, so the browser loads nothing. Submit it.
const linkForm = document.querySelector("form[data-link]");
if (linkForm) {
  window.addEventListener("hashchange", () => {
    if (!/^#[\w-]{43}$/.test(location.hash)) return; // a link within the page
    const form = document.createElement("form");
    const secret = document.createElement("input");
    form.method = "post";
    form.action = linkForm.action;
    secret.type = "hidden";
    secret.name = "secret";
    secret.value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    form.append(secret);
    document.body.append(form);
    form.submit();
  });
}

// The list of form errors takes the focus.
document.getElementById("faults")?.focus();

// A field in the list of errors may be inside a closed <details>.
for (const link of document.querySelectorAll("#faults a")) {
  link.addEventListener("click", (event) => {
    const field = document.getElementById(link.hash.slice(1));
    if (!field) return;
    event.preventDefault();
    field.closest("details")?.setAttribute("open", "");
    field.focus();
  });
}

// Ctrl+Enter, or Command+Enter on a Mac, submits the form of the focused field.
const onMac = /mac|iphone|ipad/i.test(navigator.platform);
for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button[type=submit]");
  button.title = onMac ? "⌘ Enter" : "Ctrl Enter";
  button.setAttribute("aria-keyshortcuts", onMac ? "Meta+Enter" : "Control+Enter");
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(onMac ? event.metaKey : event.ctrlKey)) return;
    event.preventDefault();
    form.requestSubmit(button);
  });
}

// Print buttons. Model answers are printed open.
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll(".rubric")) details.open = true;
});

// Filters apply as soon as they change.
for (const form of document.querySelectorAll("form[data-send-on-change]")) {
  form.querySelector("button").hidden = true;
  form.addEventListener("change", () => form.requestSubmit());
}

// Slow forms show that they are busy, and cannot be submitted twice.
for (const form of document.querySelectorAll("form[data-busy]")) {
  const button = form.querySelector("button[type=submit]");
  const label = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = form.dataset.busy;
    announcer.textContent = form.dataset.busy;
  });
  window.addEventListener("pageshow", () => { button.disabled = false; button.textContent = label; });
}

// A file can be dropped anywhere on a page with a file field. A file that is too large is not submitted.
const file = document.querySelector("input[type=file]");
if (file) {
  const tooLarge = document.getElementById(file.dataset.large);
  const checkSize = () => {
    tooLarge.hidden = !(file.files[0]?.size > file.dataset.max);
    file.setCustomValidity(tooLarge.hidden ? "" : tooLarge.textContent);
  };
  file.addEventListener("change", checkSize);
  window.addEventListener("pageshow", checkSize); // browsers restore the chosen file
  const dragging = (event, active) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    file.parentElement.classList.toggle("over", active);
  };
  document.addEventListener("dragover", (event) => dragging(event, true));
  document.addEventListener("dragleave", (event) => dragging(event, event.relatedTarget !== null));
  document.addEventListener("drop", (event) => {
    dragging(event, false);
    const dropped = event.dataTransfer?.files[0];
    if (!dropped) return;
    const files = new DataTransfer(); // the field takes only the first of several files
    file.closest("details")?.setAttribute("open", "");
    files.items.add(dropped);
    file.files = files.files;
    checkSize();
    file.focus();
    announcer.textContent = dropped.name;
  });
}

// Times are shown in the viewer's zone, with its name, and keep the time in UTC as their title. The title of a relative
// time has both. Days without a time, such as the columns of a chart, stay as they are.
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const inZone = (options) => new Intl.DateTimeFormat("en-US", options);
const onDay = { year: "numeric", month: "short", day: "numeric" };
const onClock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const shown = {
  moment: inZone({ ...onDay, ...onClock, timeZoneName: "short" }),
  date: inZone(onDay),
  clock: inZone(onClock),
};
function showTimes(root) {
  for (const time of root.querySelectorAll("time[data-shows]")) {
    const at = new Date(time.dateTime);
    if (time.dataset.shows === "relative") time.title = `${shown.moment.format(at)} (${time.title})`;
    else time.textContent = shown[time.dataset.shows].format(at);
  }
  for (const zone of root.querySelectorAll("[data-zone]")) zone.textContent = timeZone.replaceAll("_", " ");
}
if (timeZone && timeZone !== "UTC") {
  showTimes(document);
  document.addEventListener("matchadded", ({ detail: pane }) => showTimes(pane)); // loaded later
}

// On narrow screens the navigation scrolls. Scroll to the current page.
const nav = document.querySelector(".side nav");
const current = nav?.querySelector("[aria-current]");
if (current) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
