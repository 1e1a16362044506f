// What the pages need besides htmx: the token of forms, files dropped on a form, charts.
import { drawCharts } from "./charts.js";

const token = () => document.querySelector('meta[name="csrf"]').content;

document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRF-Token"] = token();
});
document.addEventListener("htmx:beforeRequest", () => {
  document.getElementById("problem").replaceChildren();
});
document.addEventListener("htmx:afterSettle", (event) => {
  drawCharts(event.target);
  if (event.target.id === "problem") event.target.scrollIntoView({ block: "nearest" });
});

// a form with data-drop takes a file that is dropped anywhere on it, and is sent at once
function dropping(form) {
  const input = form.querySelector('input[type="file"]');
  for (const name of ["dragenter", "dragover"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    form.addEventListener(name, () => form.classList.remove("over"));
  }
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
  input.addEventListener("change", () => input.files.length && form.requestSubmit());
}

// a field with data-send sends its form when it changes; without scripts its button does
function sending(element) {
  element.addEventListener("change", () => element.form.requestSubmit());
}

// a button with data-confirm asks before it is pressed
document.addEventListener("click", (event) => {
  const asked = event.target.closest("[data-confirm]");
  if (asked && !window.confirm(asked.dataset.confirm)) {
    event.preventDefault();
  }
});

document.querySelectorAll("form[data-drop]").forEach(dropping);
document.querySelectorAll("[data-send]").forEach(sending);
drawCharts(document);
