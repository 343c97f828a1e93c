// A budget per project counts only with a complexity. Ask for one as soon as such a budget is set.
"use strict";
{
  const prompt = document.getElementById("complexity-prompt");
  const form = prompt?.closest("form");
  if (form) {
    const { budget_low: low, budget_high: high, budget_type: type, complexity } = form.elements;
    const update = () => {
      const budget = low.value.trim() !== "" || high.value.trim() !== "";
      prompt.hidden = !budget || type.value !== "" || complexity.value !== "";
    };
    prompt.setAttribute("role", "status");
    complexity.setAttribute("aria-describedby",
      [complexity.getAttribute("aria-describedby"), prompt.id].filter(Boolean).join(" "));
    form.addEventListener("input", update);
    form.addEventListener("change", update);
    window.addEventListener("pageshow", update); // browsers restore what was entered
    update();
  }
}
