// Ranks again while weights change, without loading the page. Without this script, the weights are a form.
"use strict";
{
  const form = document.getElementById("tune");
  const status = document.getElementById("announcer"); // read aloud by screen readers
  const fields = [...form.querySelectorAll("input[type=number]")];
  let loading = new AbortController(); // of the latest list
  let timer;

  // update replaces the list by the one for the weights. If that fails, the form shows it on a page.
  const update = async () => {
    if (!form.checkValidity()) return;
    loading.abort();
    loading = new AbortController();
    const { signal } = loading;
    const url = `${form.action}?${new URLSearchParams(new FormData(form))}`;
    const region = document.querySelector("[data-tuned]");
    region.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(url, { signal });
      if (!response.ok) throw new Error(`status ${response.status}`);
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("[data-tuned]");
      if (!fresh) throw new Error("the response has no list"); // such as the sign-in page
      region.replaceWith(fresh);
      history.replaceState(null, "", url);
      const sentences = [...fresh.querySelectorAll("[data-sentence]")].map((p) => p.textContent);
      status.textContent = sentences.join(" ") || "The list has its own weights again.";
    } catch {
      if (!signal.aborted) location.assign(url);
    }
  };

  // soon waits until a slider rests, so that each step isn't a request.
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(update, 200);
  };

  // addSlider puts a slider beside a number field. Both have the same value.
  const sliders = fields.map((field) => {
    const label = form.querySelector(`label[for="${field.id}"]`);
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: Math.max(3, 2 * field.value), step: .01 });
    slider.value = field.value;
    slider.setAttribute("aria-label", `${label.textContent.trim()}, slider`);
    slider.addEventListener("input", () => { field.value = slider.value; soon(); });
    field.addEventListener("input", () => { slider.value = field.value; soon(); });
    field.before(slider);
    return slider;
  });

  form.addEventListener("submit", (event) => { event.preventDefault(); update(); });
  const reset = form.querySelector("[data-reset]");
  reset.hidden = false;
  reset.addEventListener("click", () => {
    fields.forEach((field, i) => {
      field.value = field.dataset.default;
      sliders[i].value = field.value;
    });
    update();
  });
}
