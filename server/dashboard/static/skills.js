// Fields for skills. The skills become chips, and the field suggests names. Without this script, a field is a text with
// commas, which is also what the form sends.
"use strict";
for (const input of document.querySelectorAll("input[data-skills]")) {
  const label = input.labels[0].firstChild.textContent.trim();
  const announcer = document.getElementById("announcer"); // read aloud by screen readers
  const split = (text) => text.split(/[,\n]/).map((name) => name.trim()).filter(Boolean);
  const create = (name, attributes) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  const sent = create("input", { type: "hidden", name: input.name, value: input.value });
  const box = create("div", { class: "skillbox" });
  const chips = create("ul", { class: "skillchips", "aria-label": `${label}: chosen` });
  const list = create("ul", {
    class: "skilllist", id: `${input.id}-list`, role: "listbox", "aria-label": `${label}: suggestions`, hidden: "",
  });
  let skills = [];
  let active = -1; // index of the suggestion that Enter takes
  let request = null;

  const sync = () => { sent.value = [...skills, ...split(input.value)].join(", "); };
  const same = (a, b) => a.toLowerCase() === b.toLowerCase();
  const announce = (text) => { announcer.textContent = text; };

  const close = () => {
    request?.abort();
    active = -1;
    list.hidden = true;
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const draw = () => {
    chips.replaceChildren(...skills.map((skill, i) => {
      const chip = create("li", { class: "chip" });
      const remove = create("button", { type: "button", "aria-label": `Remove ${skill}` });
      remove.textContent = "×";
      remove.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
      remove.addEventListener("click", () => {
        skills.splice(i, 1);
        draw();
        announce(`Removed ${skill}.`);
        input.focus();
      });
      chip.append(skill, remove);
      return chip;
    }));
    chips.hidden = skills.length === 0;
    sync();
    sent.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const add = (names) => {
    for (const name of names) if (!skills.some((skill) => same(skill, name))) skills.push(name);
    input.value = "";
    close();
    draw();
  };

  const choose = (name) => {
    add([name]);
    announce(`Added ${name}.`);
    input.focus();
  };

  const activate = (index) => {
    const options = [...list.children];
    active = index;
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === active)));
    if (active < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    input.setAttribute("aria-activedescendant", options[active].id);
    options[active].scrollIntoView({ block: "nearest" });
  };

  const show = (suggestions) => {
    const selected = list.children[active]?.dataset.name; // stays selected when newer suggestions have it, too
    const fresh = suggestions.filter((s) => !skills.some((skill) => same(skill, s.name)));
    list.replaceChildren(...fresh.map((s, i) => {
      const option = create("li", { role: "option", id: `${input.id}-option${i}`, "aria-selected": "false" });
      option.dataset.name = s.name;
      option.textContent = s.name;
      if (s.alias) {
        const alias = create("span", { class: "soft" });
        alias.textContent = ` ${s.alias}`;
        option.append(alias);
      }
      option.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
      option.addEventListener("click", () => choose(s.name));
      return option;
    }));
    list.hidden = fresh.length === 0;
    input.setAttribute("aria-expanded", String(fresh.length > 0));
    activate(fresh.findIndex((s) => s.name === selected));
    announce(fresh.length === 1 ? "1 suggestion" : `${fresh.length} suggestions`);
  };

  const suggest = async () => {
    request?.abort();
    const query = input.value.trim();
    if (!query) {
      close();
      return;
    }
    request = new AbortController();
    try {
      const url = `${input.dataset.skills}?q=${encodeURIComponent(query)}`;
      const response = await fetch(url, { signal: request.signal });
      if (!response.ok) return;
      const { skills: found } = await response.json();
      if (input.value.trim() === query && document.activeElement === input) show(found);
    } catch {
      // Without suggestions, the field still takes names.
    }
  };

  input.addEventListener("input", () => {
    if (/[,\n]/.test(input.value)) {
      add(split(input.value));
      return;
    }
    sync();
    suggest();
  });
  let taken = false; // the last key is not for the form
  input.addEventListener("keypress", (event) => { if (taken && event.key === "Enter") event.preventDefault(); });
  input.addEventListener("keydown", (event) => {
    taken = false;
    const count = list.children.length;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "ArrowDown" && count > 0) activate((active + 1) % count);
    else if (event.key === "ArrowUp" && count > 0) activate((active <= 0 ? count : active) - 1);
    else if (event.key === "Enter" && active >= 0) choose(list.children[active].dataset.name);
    else if (event.key === "Enter" && input.value.trim()) add(split(input.value));
    else if (event.key === "Escape" && !list.hidden) close();
    else if (event.key === "Backspace" && input.value === "" && skills.length > 0) {
      announce(`Removed ${skills.pop()}.`);
      draw();
    } else return;
    taken = true;
    event.preventDefault();
  });
  input.addEventListener("blur", close); // no new chip, which would move a button that is being pressed

  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
  })) input.setAttribute(name, value);
  skills = split(input.value);
  input.value = "";
  input.removeAttribute("name");
  input.before(box);
  box.append(sent, chips, input, list);
  draw();
}
