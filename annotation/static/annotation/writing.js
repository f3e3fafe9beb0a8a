// Long texts of plain forms (a reason, a message, guidelines, a consent): kept in this browser when their page is
// left, and there again on return. The answers of readers, which have drafts on the server, are in keeping.js.
const { user } = document.documentElement.dataset;
const { kept } = document.getElementById("main");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const texts = () => document.querySelectorAll("main form[method=post]:not([data-judging]) textarea");
const name = ({ id }) => `${user}.text.${location.pathname}.${id}`;
const here = `${user}.text.${location.pathname}.`;

// `base` is what the server had when somebody began to write; `sent`: the form was on its way.
function hold(text, sent = false) {
  if ("other" in text.dataset) return; // Nobody has chosen yet.
  if (text.value === text.defaultValue) return void kept.drop(name(text));
  const path = sent && location.pathname;
  kept.write(name(text), { value: text.value, base: text.defaultValue, sent: path, at: Date.now() });
}

function leaving() {
  if ("leaving" in document.documentElement.dataset) return;
  for (const text of texts()) if (!("sent" in text.form.dataset)) hold(text);
}
addEventListener("pagehide", leaving);
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leaving());
addEventListener("pageshow", () => { for (const text of texts()) delete text.form.dataset.sent; });
// Before the question at sign-out (page.js) whether something would be lost.
document.addEventListener("submit", ({ target }) => {
  if (target.matches("[data-signout]")) leaving();
}, { capture: true });
document.addEventListener("submit", (event) => {
  const own = [...texts()].filter((text) => text.form === event.target);
  if (event.defaultPrevented || !own.length) return;
  event.target.dataset.sent = "";
  for (const text of own) hold(text, true);
});

function offer(text, words, act) {
  const line = Object.assign(document.createElement("p"), { className: "keeping soft small", textContent: `${words} ` });
  line.setAttribute("role", "status");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: act });
  button.addEventListener("click", () => {
    text.value = text.dataset.other ?? text.defaultValue;
    delete text.dataset.other;
    kept.drop(name(text));
    line.remove();
    text.focus();
  });
  line.append(button);
  text.after(line);
}

function restore(text, { value, base, at }) {
  const when = clock.format(at);
  const details = text.closest("details");
  if (details) details.open = true;
  if (text.defaultValue === base) {
    text.value = value;
    offer(text, `What you wrote here at ${when} is here again. It is not sent.`, "Discard it");
  } else {
    // Somebody has changed the text since: the reader of both chooses.
    text.dataset.other = value;
    offer(text, `This text has changed since you wrote at ${when}: “${value.slice(0, 200)}”. It is kept.`, "Put it here");
  }
}

// What was sent was taken where the server led on from its form to this page. Where it shows the form again, the
// words are in it; after a lost request, or by way of the sign-in page, they are here only.
const [reached] = performance.getEntriesByType("navigation");
const from = reached?.redirectCount > 0 && document.referrer && new URL(document.referrer).pathname;
for (const { name: entry, sent } of kept.all(`${user}.text.`)) if (sent && sent === from) kept.drop(entry);
const found = new Map(kept.all(here).map((one) => [one.name, one]));
for (const text of texts()) {
  const one = found.get(name(text));
  if (one && one.value !== text.value) restore(text, one);
  else if (one) kept.drop(one.name);
}
