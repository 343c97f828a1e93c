"use strict";

// A form with data-with also sends the fields of the form with that ID, so that the page of the result keeps them.
for (const form of document.querySelectorAll("form[data-with]")) {
  form.addEventListener("formdata", (event) => {
    for (const [name, value] of new FormData(document.getElementById(form.dataset.with))) {
      event.formData.set(name, value);
    }
  });
}
