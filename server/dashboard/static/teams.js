// Lets people be dragged from the list of a role to its seat, which does the same as the button beside them. Without
// this script, the buttons do.
"use strict";
{
  let dragged = null; // the row of the person

  for (const row of document.querySelectorAll("[data-swap]")) {
    row.draggable = true;
    row.addEventListener("dragstart", (event) => {
      dragged = row;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", row.querySelector("a").textContent.trim());
    });
    row.addEventListener("dragend", () => {
      row.closest("[data-seat]").classList.remove("target");
      dragged = null;
    });
  }

  for (const people of document.querySelectorAll(".seatpeople")) {
    const seat = people.closest("[data-seat]");
    const accepts = () => dragged !== null && seat.contains(dragged);
    people.addEventListener("dragover", (event) => {
      if (!accepts()) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      seat.classList.add("target");
    });
    people.addEventListener("dragleave", (event) => {
      if (!people.contains(event.relatedTarget)) seat.classList.remove("target");
    });
    people.addEventListener("drop", (event) => {
      if (!accepts()) return;
      event.preventDefault();
      dragged.querySelector("button").click();
    });
  }
}
