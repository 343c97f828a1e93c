// Progressive enhancements. All pages work without this script.
"use strict";

const announcer = document.getElementById("announcer"); // read aloud by screen readers

// The token of a link follows the #. Move it into the form, and out of the address bar and the history.
const opening = document.getElementById("opening");
if (opening && location.hash.length > 1) {
  opening.elements.token.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  announcer.textContent = opening.dataset.wait;
  opening.requestSubmit();
}

// What is wrong with a form takes the focus, and otherwise the heading of the new page.
(document.getElementById("problem") ?? document.querySelector("h1[tabindex]"))?.focus();

// Times are shown in the time zone of the browser.
for (const time of document.querySelectorAll("time[data-local]")) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, {dateStyle: "long", timeStyle: "short"});
  time.textContent = format.format(new Date(time.dateTime));
}

// Slow forms show that they are busy, and can't be submitted twice.
let leaving = false;
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", (event) => {
    if (leaving) { event.preventDefault(); return; }
    leaving = true;
    if (!form.dataset.wait) return;
    if (event.submitter?.value === "save") return;
    announcer.textContent = form.dataset.wait;
    const shown = document.getElementById("saved");
    if (shown) shown.textContent = form.dataset.wait;
  });
}
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// An answer is saved a moment after the last change, and how it was written is counted.
const answering = document.getElementById("answering");
const saving = answering ? startSaving(answering) : {now: async () => {}};

function startSaving(form) {
  const pause = 1500, retry = 5000, heartbeat = 15000; // milliseconds
  const {answer, seconds, typed, pasted, pastes} = form.elements;
  const shown = document.getElementById("saved"), count = document.getElementById("count");
  const counts = {seconds: Number(seconds.value), typed: Number(typed.value), pasted: Number(pasted.value),
    pastes: Number(pastes.value)};
  let timer, stored = answer.value, running = null;

  const write = () => {
    seconds.value = Math.round(counts.seconds);
    typed.value = counts.typed;
    pasted.value = counts.pasted;
    pastes.value = counts.pastes;
  };
  write();

  let since = document.hidden ? null : performance.now();
  const measure = () => {
    if (since !== null) counts.seconds += (performance.now() - since) / 1000;
    since = document.hidden ? null : performance.now();
    write();
  };
  document.addEventListener("visibilitychange", () => {
    measure();
    if (document.hidden) save();
  });

  answer.addEventListener("beforeinput", (event) => {
    const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    switch (event.inputType) {
      case "insertFromPaste":
      case "insertFromDrop":
      case "insertFromYank":
        counts.pastes++;
        counts.pasted += [...text].length;
        break;
      case "insertLineBreak":
      case "insertParagraph":
        counts.typed++;
        break;
      case "insertCompositionText": // counted when the composition ends
        break;
      default:
        if (event.inputType.startsWith("insert")) counts.typed += [...text].length;
    }
  });
  answer.addEventListener("compositionend", (event) => { counts.typed += [...event.data].length; });
  answer.addEventListener("input", () => {
    count.textContent = count.dataset.text.replace("{n}", [...answer.value].length);
    tell(form.dataset.unsaved, false);
    later(pause);
  });

  const tell = (text, bad) => {
    if (shown.textContent !== text) shown.textContent = text;
    shown.classList.toggle("bad", bad);
  };
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  };

  // save sends the answer. If that fails, it tries again.
  const save = async () => {
    clearTimeout(timer);
    if (leaving) return;
    if (running) { await running; if (answer.value === stored) return; }
    running = send();
    await running;
    running = null;
  };
  const send = async () => {
    measure();
    const text = answer.value, changed = text !== stored, body = new URLSearchParams(new FormData(form));
    if (changed) tell(form.dataset.saving, false);
    try {
      const response = await fetch(form.action, {
        method: "POST", headers: {Accept: "application/json"}, body, signal: AbortSignal.timeout(20000),
        keepalive: document.hidden && body.toString().length < 60000, // browsers limit these to 64 KiB
      });
      if (leaving) return;
      const result = await response.json();
      if (result.next) { leaving = true; location.assign(result.next); return; }
      if (result.fault === "toolong") { tell(form.dataset.toolong, true); return; }
      const passing = ["busy", "slow", "limited"].includes(result.fault);
      if (!response.ok && response.status < 500 && !passing) {
        leaving = true;
        location.assign(form.dataset.home);
        return;
      }
      if (!response.ok) throw new Error(String(response.status));
      stored = text;
      clock?.set(result.remaining);
      if (answer.value === stored) tell(form.dataset.saved, false);
      else later(pause);
    } catch {
      if (leaving) return;
      tell(form.dataset.offline, true);
      later(retry);
    }
  };
  setInterval(() => { if (!document.hidden && since !== null && answer.value === stored) measure(); }, heartbeat);
  form.addEventListener("submit", measure, {capture: true});
  window.addEventListener("beforeunload", (event) => {
    if (!leaving && answer.value !== stored) event.preventDefault();
  });
  return {now: save};
}

// The clock counts down to the deadline, which the server enforces. At the end, the saved answers are submitted.
const clock = startClock(document.getElementById("clock"));

function startClock(shown) {
  if (!shown) return null;
  const text = shown.querySelector("strong");
  let end;
  const left = () => Math.max(0, Math.ceil((end - performance.now()) / 1000));
  const set = (remaining) => { end = performance.now() + remaining * 1000; };
  set(Number(shown.dataset.remaining));
  const warnings = [[60, shown.dataset.one], [300, shown.dataset.five], [600, shown.dataset.ten]];
  let due = warnings.filter(([at]) => at < left());
  const tick = async () => {
    const n = left();
    text.textContent = `${Math.floor(n / 60)}:${String(n % 60).padStart(2, "0")}`;
    shown.classList.toggle("warn", n <= 300);
    const warning = due.find(([at]) => n <= at);
    if (warning) {
      announcer.textContent = warning[1];
      due = due.filter(([at]) => at < warning[0]);
    }
    if (n > 0 || leaving) return;
    clearInterval(timer);
    await saving.now();
    if (leaving) return;
    leaving = true;
    submitNow(shown.dataset.submit);
  };
  if (left() === 0) { text.textContent = "0:00"; return {set}; } // don't submit again
  const timer = setInterval(tick, 1000);
  tick();
  return {set};
}

// submitNow submits the answers as if the candidate had confirmed it.
function submitNow(action) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = action;
  const confirm = document.createElement("input");
  confirm.type = "hidden";
  confirm.name = "confirm";
  confirm.value = "yes";
  form.append(confirm);
  document.body.append(form);
  form.submit();
}
