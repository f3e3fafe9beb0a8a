// A rubric: a question whose condition fails is out of sight, and the digits answer the question one is at.
// What was said to a hidden question stays in the draft and is not sent. Without this script all questions are
// there, each with its condition.
const questions = () => [...document.querySelectorAll("[data-question]")];
const said = (one) => one.querySelector("textarea")?.value.trim() || one.querySelector(":checked")?.value || "";
const form = () => document.querySelector("form[data-judging]");
const controls = (one) => one.querySelectorAll("input, textarea");

function show(speak) {
  const given = {};
  const come = [];
  for (const one of questions()) {
    const when = JSON.parse(one.dataset.when || "[]");
    const hidden = !when.every(({ question, values }) => values.includes(given[question]));
    if (one.hidden && !hidden) come.push(one.querySelector(".prompt").textContent.trim());
    one.hidden = hidden;
    if (!hidden) given[one.dataset.question] = said(one);
  }
  digits();
  if (speak && come.length) document.getElementById("status").textContent = document.getElementById("main").translated("Also asked: {questions}", { questions: come.join(" ") });
}

// The question that has the focus, else the first without an answer.
function digits() {
  const seen = questions().filter((one) => !one.hidden);
  const here = seen.find((one) => one.contains(document.activeElement));
  const current = here ?? seen.find((one) => !said(one)) ?? seen[0];
  for (const one of questions()) {
    one.toggleAttribute("data-current", one === current);
    for (const radio of one.querySelectorAll("[data-digit]")) {
      if (one === current) radio.dataset.key = radio.dataset.digit;
      else delete radio.dataset.key;
    }
  }
}

// Another reading is picked to be decided on: nothing of the one before stays.
function empty() {
  for (const one of questions().flatMap((each) => [...controls(each)])) {
    if (one.type === "radio") one.checked = false;
    else one.value = "";
  }
}

document.addEventListener("change", ({ target }) => {
  if (target.name === "choice" && target.dataset.fill) empty();
}, { capture: true });
for (const kind of ["change", "input", "variorum:changed"]) document.addEventListener(kind, () => show(true));
document.addEventListener("focusin", digits);
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.elt !== form() || detail.path !== form().getAttribute("action")) return;
  for (const one of questions()) if (one.hidden) delete detail.parameters[one.dataset.field];
});
// What this browser kept on a page of an earlier version has the questions' keys alone.
document.addEventListener("variorum:fill", ({ detail: fields }) => {
  for (const { dataset } of questions()) {
    if (!(dataset.question in fields) || dataset.field in fields) continue;
    if (form().elements.namedItem(dataset.question)) continue; // A field of the form around the answer.
    fields[dataset.field] = fields[dataset.question];
    delete fields[dataset.question];
  }
}, { capture: true });
document.addEventListener("submit", ({ target }) => {
  if (!target.matches("[data-adjudicating]")) return;
  for (const one of questions()) for (const each of controls(one)) each.disabled = one.hidden;
});
document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "main") show(false); });
addEventListener("pageshow", () => show(false));
show(false);
