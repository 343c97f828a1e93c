// Moves among the people of an answer with keys. Without this script, the links do the same.
"use strict";
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "s") {
    document.querySelector(".star")?.click();
    return;
  }
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
