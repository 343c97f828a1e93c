// The command menu: a dialog with the links of the page /dashboard/go, which the link to that page or Ctrl+K opens.
// Projects and freelancers are searched on the server while a name is typed.
"use strict";
{
  const link = document.querySelector("[data-commands]");
  const isMac = /mac|iphone|ipad/i.test(navigator.platform);
  const pause = 200; // milliseconds without typing, before a search
  const patience = 4000; // milliseconds for a search
  const minName = 2; // characters, as on the server

  const create = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const input = create("input", {
    type: "text", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "100",
    "aria-label": "Page, action, project or freelancer", "aria-autocomplete": "list", "aria-expanded": "true",
    "aria-controls": "command-options", placeholder: "Page, action, project or freelancer",
  });
  const close = create("button", { type: "button" }, "Close");
  const list = create("div", { role: "listbox", id: "command-options", "aria-label": "Commands", tabindex: "-1" });
  const status = create("p", { class: "soft", role: "status" });
  const dialog = create("dialog", { class: "commands", "aria-label": "Go to" },
    create("div", { class: "commandfield" }, input, close), list, status);
  document.body.append(dialog);

  let fixed = []; // groups of pages and actions
  let found = []; // groups of what the name found
  let problem = ""; // why something is missing
  let shown = []; // options, in the order of the list
  let active = 0;
  let request = new AbortController(); // of the latest search
  let timer = 0;

  // fetchPage returns the page of the menu, with what a name finds.
  const fetchPage = async (name, signal) => {
    const response = await fetch(`${link.pathname}?${new URLSearchParams({ q: name })}`, { signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const commands = page.getElementById("commands");
    if (!response.ok || !commands) throw new Error("the response has no commands"); // such as the sign-in page
    return commands;
  };

  // groupsOf returns the titles of sections with their commands.
  const groupsOf = (sections) => [...sections].map((section) => ({
    title: section.querySelector("h2").textContent,
    commands: [...section.querySelectorAll("a, form")].map((element) => ({
      label: element.textContent.trim(),
      detail: element.parentElement.querySelector(".soft")?.textContent ?? "",
      url: element.getAttribute("href") ?? "",
      form: element.getAttribute("action"),
    })),
  }));

  // run opens the page of an option, or submits its form, which each page has, too.
  const run = (command) => {
    dialog.close();
    if (command.form) document.querySelector(`form[action="${command.form}"]`).requestSubmit();
    else location.assign(command.url);
  };

  const activate = (index) => {
    active = Math.max(0, Math.min(index, shown.length - 1));
    shown.forEach(({ option }, i) => option.setAttribute("aria-selected", String(i === active)));
    input.removeAttribute("aria-activedescendant");
    if (!shown.length) return;
    input.setAttribute("aria-activedescendant", shown[active].option.id);
    shown[active].option.scrollIntoView({ block: "nearest" });
  };

  const addOption = (command) => {
    const option = create("div", { role: "option", id: `command-${shown.length}`, dir: "auto" }, command.label);
    if (command.detail) option.append(" ", create("span", { class: "soft" }, command.detail));
    option.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    option.addEventListener("click", () => run(command));
    shown.push({ ...command, option });
    return option;
  };

  // show lists the commands that have all words of the field. What the server found has the name anyway.
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ label }) => words.every((word) => label.toLowerCase().includes(word));
    const groups = [
      ...fixed.map(({ title, commands }) => ({ title, commands: commands.filter(fits) })), ...found,
    ].filter(({ commands }) => commands.length);
    const before = shown[active]?.url;
    shown = [];
    list.replaceChildren(...groups.map(({ title, commands }, i) =>
      create("div", { role: "group", "aria-labelledby": `command-group-${i}` },
        create("p", { class: "group", id: `command-group-${i}` }, title), ...commands.map(addOption))));
    activate(words.length ? shown.findIndex(({ url }) => url && url === before) : 0);
    const count = shown.length === 1 ? "1 result" : `${shown.length} results`;
    status.textContent = problem || (words.length ? count : "");
  };

  // search looks for projects and freelancers with the name in the field, after a pause in typing.
  const search = () => {
    request.abort();
    clearTimeout(timer);
    const name = input.value.trim();
    found = [];
    problem = "";
    show();
    if ([...name].length < minName) return;

    timer = setTimeout(async () => {
      request = new AbortController();
      const { signal } = request;
      const limit = setTimeout(() => {
        request.abort();
        problem = "The search for names took too long.";
        show();
      }, patience);
      try {
        const commands = await fetchPage(name, signal);
        found = groupsOf(commands.querySelectorAll("[data-found]"));
        problem = commands.querySelector("[data-problem]")?.textContent ?? "";
        show();
      } catch {
        if (!signal.aborted) {
          problem = "Names can't be searched at the moment.";
          show();
        }
      } finally {
        clearTimeout(limit);
      }
    }, pause);
  };

  // open shows the dialog. If the commands can't be loaded, their page says why.
  const open = async () => {
    if (dialog.open) return;
    input.value = "";
    search();
    dialog.showModal();
    input.focus();
    if (fixed.length) return;
    try {
      fixed = groupsOf((await fetchPage("", AbortSignal.timeout(patience))).querySelectorAll("section"));
      show();
    } catch {
      location.assign(link.href);
    }
  };

  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    const move = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + 8, PageUp: active - 8 }[event.key];
    if (event.isComposing) return;
    if (move !== undefined) {
      event.preventDefault();
      const last = shown.length - 1;
      activate(move < 0 && event.key === "ArrowUp" ? last : move > last && event.key === "ArrowDown" ? 0 : move);
    } else if (event.key === "Enter" && shown.length) {
      event.preventDefault();
      run(shown[active]);
    }
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // beside the dialog
  dialog.addEventListener("close", () => {
    request.abort();
    clearTimeout(timer);
  });

  link.setAttribute("role", "button");
  link.setAttribute("aria-haspopup", "dialog");
  link.setAttribute("aria-keyshortcuts", isMac ? "Meta+K" : "Control+K");
  const hint = link.querySelector("kbd");
  hint.textContent = isMac ? "⌘ K" : "Ctrl K";
  hint.hidden = false;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in another tab
    event.preventDefault();
    open();
  });
  link.addEventListener("keydown", (event) => { // a button also reacts to the space bar
    if (event.key !== " ") return;
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    const chord = (isMac ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey;
    if (!chord || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
}
