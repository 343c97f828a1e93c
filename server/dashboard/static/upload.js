// Progress of uploads. The pages work without this script.
"use strict";

// A file is sent with a progress bar. The page of the upload follows, or the form again with what is wrong.
const uploadForm = document.querySelector("form[data-upload]");
uploadForm?.addEventListener("submit", (event) => {
  event.preventDefault();
  const bar = document.getElementById("sending");
  const button = uploadForm.querySelector("button[type=submit]");
  const request = new XMLHttpRequest();
  const fail = () => {
    bar.hidden = true;
    button.disabled = false;
    document.getElementById("interrupted").hidden = false;
  };
  request.upload.addEventListener("progress", (sent) => {
    if (!sent.lengthComputable) return;
    bar.querySelector("progress").value = sent.loaded / sent.total;
    bar.querySelector("output").textContent = `${Math.floor(100 * sent.loaded / sent.total)}%`;
  });
  request.addEventListener("load", () => {
    if (request.responseURL !== uploadForm.action) {
      location.assign(request.responseURL);
      return;
    }
    const answer = new DOMParser().parseFromString(request.responseText, "text/html");
    document.title = answer.title;
    document.querySelector("main").replaceWith(answer.querySelector("main"));
    document.querySelector("main").focus();
  });
  request.addEventListener("error", fail);
  request.addEventListener("abort", fail);
  document.getElementById("interrupted").hidden = true;
  bar.hidden = false;
  button.disabled = true;
  request.open("POST", uploadForm.action);
  request.send(new FormData(uploadForm));
});

// While the server works on a file, its part of the page is replaced every second. Then the page is loaded again.
async function poll(busy) {
  try {
    const response = await fetch(busy.dataset.poll);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page.getElementById("busy");
    if (!next) {
      location.reload();
      return;
    }
    busy.querySelector("progress").replaceWith(next.querySelector("progress"));
    busy.querySelector("h2").textContent = next.querySelector("h2").textContent;
    busy.querySelector(".soft").textContent = next.querySelector(".soft").textContent;
  } catch { /* the server may be restarting */ }
  setTimeout(() => poll(busy), 1000);
}

const busy = document.getElementById("busy");
if (busy) {
  busy.querySelector("[data-noscript]").hidden = true;
  setTimeout(() => poll(busy), 1000);
}
