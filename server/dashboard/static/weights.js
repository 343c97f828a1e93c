// Reorders the shown matches while weights change. Without this script, the weights are number fields of the form.
//
// The scores follow package ranking: the weighted mean of the values, mapped by the curve that lets budget and timeline
// only lower scores, times the factor for lacking required skills.
"use strict";
for (const section of document.querySelectorAll("[data-weights]")) {
  const model = JSON.parse(section.dataset.weights);
  const fields = [...section.querySelectorAll("[data-feature]")];
  const list = section.querySelector(".reranked");
  const request = document.getElementById("weights-request");
  const status = document.getElementById("announcer"); // read aloud by screen readers

  const weightOf = (field) => Math.max(0, Number(field.value) || 0);

  // sharesOf returns the share of each feature in the weighted mean. A share is proportional to the weight. The factor
  // differs from feature to feature, for example because skills that are found in the text count less.
  const sharesOf = () => {
    const shares = {};
    let sum = 0;
    for (const field of fields) {
      const name = field.dataset.feature;
      if (!(model.weights[name] > 0) || !(name in model.shares)) continue;
      shares[name] = model.shares[name] / model.weights[name] * weightOf(field);
      sum += shares[name];
    }
    if (sum > 0) for (const name in shares) shares[name] /= sum;
    return shares;
  };

  const limit = (mean, share) => {
    if (share === 0 || share > 1 - 1e-9) return mean;
    const knee = share + (1 - share) * model.floor;
    if (mean <= knee) return model.floor * mean / knee;
    return model.floor + (1 - model.floor) * (mean - knee) / (1 - knee);
  };

  const scoreOf = (match, shares) => {
    let mean = 0;
    for (const name in shares) mean += shares[name] * (match.values[name] ?? 0);
    const kept = shares.skills > 0 ? match.kept : 1;
    return limit(mean, (shares.budget ?? 0) + (shares.timeline ?? 0)) * kept;
  };

  const ranked = () => {
    const shares = sharesOf();
    return model.matches.map((match, i) => ({ match, before: i + 1, score: scoreOf(match, shares) }))
      .sort((a, b) => b.score.toFixed(6) - a.score.toFixed(6) || a.before - b.before);
  };

  const cell = (text, className) => {
    const span = document.createElement("span");
    span.textContent = text;
    if (className) span.className = className;
    return span;
  };

  const moved = (before, after) => {
    if (before === after) return "same rank";
    return before > after ? `up ${before - after}` : `down ${after - before}`;
  };

  const show = () => {
    list.replaceChildren(...ranked().map((r, i) => {
      const item = document.createElement("li");
      item.dataset.score = r.score.toFixed(6);
      item.append(cell(i + 1, "soft"), cell(r.match.name), cell(r.score.toFixed(2)),
        cell(moved(r.before, i + 1), "moved soft"));
      return item;
    }));
    const chosen = Object.fromEntries(fields.map((field) => [field.dataset.feature, weightOf(field)]));
    request.textContent = `"weights": ${JSON.stringify(chosen, null, 2)}`;
  };

  const announce = () => {
    const order = ranked();
    if (status && order.length) status.textContent = `First with these weights: ${order[0].match.name}.`;
  };

  // addSlider puts a slider beside a number field. Both have the same value.
  const addSlider = (field) => {
    const label = section.querySelector(`label[for="${field.id}"]`);
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: Math.max(3, 2 * weightOf(field)), step: .01 });
    slider.value = weightOf(field);
    slider.setAttribute("aria-label", `${label.textContent.trim()}, slider`);
    slider.addEventListener("input", () => { field.value = slider.value; show(); });
    slider.addEventListener("change", announce);
    field.addEventListener("input", () => { slider.value = weightOf(field); show(); });
    field.addEventListener("change", announce);
    field.before(slider);
    return slider;
  };

  const sliders = fields.map(addSlider);
  const reset = section.querySelector("[data-reset]");
  reset.addEventListener("click", () => {
    fields.forEach((field, i) => {
      field.value = field.dataset.default;
      sliders[i].value = field.value;
    });
    show();
    announce();
  });
  reset.hidden = false;
  for (const part of section.querySelectorAll("[data-live]")) part.hidden = false;
  show();
}
