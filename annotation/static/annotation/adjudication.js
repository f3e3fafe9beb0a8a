// Deciding: a reading that is picked is shown in the task's own control, and so in the text; moving the
// control makes the answer one's own. Without this script both are there and the radio says which counts.
const form = document.querySelector("form[data-adjudicating]");
let filling = false;

function show(query) {
  filling = true;
  const fields = new URLSearchParams(query);
  for (const [name, value] of fields) {
    for (const control of form.querySelectorAll(`.own [name="${name}"]`)) {
      if (control.type === "radio") control.checked = control.value === value;
      else control.value = value;
      const moved = control.type !== "radio" || control.checked;
      if (moved) control.dispatchEvent(new Event(control.type === "radio" ? "change" : "input", { bubbles: true }));
    }
  }
  filling = false;
}

function own() {
  if (!filling) form.querySelector("[data-own]").checked = true;
}

form.addEventListener("change", ({ target }) => {
  if (target.name === "choice" && target.dataset.fill) show(target.dataset.fill);
  else if (target.closest(".own")) own();
});
form.addEventListener("input", ({ target }) => { if (target.closest(".own")) own(); });
// A span is marked in the text and by keys as well.
form.addEventListener("variorum:changed", ({ target }) => { if (target.closest(".own")) own(); });
const picked = form.querySelector("[name=choice]:checked")?.dataset.fill;
// An answer of one's own stands in the control already; it is read in its place again.
const given = form.querySelector(".own input[type=radio]:checked");
if (picked || given) show(picked || new URLSearchParams([[given.name, given.value]]));
