// Long texts of plain forms (a reason, a message, guidelines, a consent): kept in this browser when their page is
// left, and there again on return; and replies that are read. The answers of readers, which have drafts on the
// server, are in keeping.js.
const { user } = document.documentElement.dataset;
const { kept, clock, translated } = document.getElementById("main");
const texts = () => document.querySelectorAll("main form[method=post]:not([data-judging]) textarea");
// Each tab keeps what is its own, under a name that no other has.
const own = crypto.getRandomValues(new Uint32Array(2)).join("");
const names = ({ id }, path = location.pathname) => `${user}.text.${path}.${id}.`;
// The address that this page had before: what was kept there is offered here.
const formerly = location.pathname.replace(/^\/adjudicate\//, "/settle/").replace(/^(\/studies\/[^/]+)\/messages\/$/, "$1/notes/");
const found = (text) => [...new Set([location.pathname, formerly])].flatMap((path) => kept.all(names(text, path)));
const name = (text) => names(text) + own;
// What the server has: a form that it refused holds what was sent.
const stored = (text) => text.dataset.stored ?? text.defaultValue;

// `base` is what the server had when somebody began to write; `sent`: the form was on its way from this page.
function hold(text, sent = false) {
  if (text.value === stored(text)) return void kept.drop(name(text));
  const path = sent && location.pathname;
  return kept.write(name(text), { value: text.value, base: stored(text), sent: path, at: Date.now() });
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
  const all = [...texts()].filter((text) => text.form === event.target);
  if (event.defaultPrevented || !all.length) return;
  event.target.dataset.sent = "";
  for (const text of all) if (hold(text, true)) sessionStorage.setItem("variorum.sent", own);
});

function offer(text, words, acts) {
  const line = Object.assign(document.createElement("p"), { className: "keeping soft small", textContent: words });
  line.setAttribute("role", "status");
  for (const [label, act] of Object.entries(acts)) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: label });
    button.addEventListener("click", () => {
      line.remove();
      act();
      text.focus();
    });
    line.append(" ", button);
  }
  text.after(line);
}

// Not in the field, which holds something else: whoever wrote both chooses, and may change their mind.
function beside(text, { name: entry, value, base, at }) {
  const when = clock.format(at);
  const begins = value.length > 200 ? `${value.slice(0, 200)}…` : value;
  const words = { when, begins };
  function put() {
    const was = { value: text.value, base: stored(text), at: Date.now() };
    text.value = value;
    hold(text);
    if (was.value === was.base) kept.drop(entry);
    else if (kept.write(entry, was)) beside(text, { ...was, name: entry });
  }
  const said = base === stored(text)
    ? translated("You also wrote here at {when}: “{begins}”. It is kept.", words)
    : translated("This text has changed since you wrote at {when}: “{begins}”. It is kept.", words);
  offer(text, said, { [translated("Put it here")]: put, [translated("Discard it")]: () => kept.drop(entry) });
}

function restore(text) {
  for (const one of found(text).sort((a, b) => b.at - a.at)) {
    if (one.value === text.value) {
      kept.drop(one.name);
    } else if (text.value === stored(text) && one.base === text.value) {
      text.value = one.value;
      if (hold(text) && one.name !== name(text)) kept.drop(one.name);
      const discard = () => { text.value = text.defaultValue; hold(text); };
      const said = translated("What you wrote here at {when} is here again. It is not sent.", { when: clock.format(one.at) });
      offer(text, said, { [translated("Discard it")]: discard });
    } else {
      beside(text, one);
    }
    const details = text.closest("details");
    if (details) details.open = true;
  }
  hold(text);
}
// A reply counts as read when it has stood before its reader for a moment.
const READ_MS = 3000;
const looked = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    clearTimeout(Number(target.dataset.timer));
    if (isIntersecting) target.dataset.timer = setTimeout(() => read(target), READ_MS);
  }
});
function read(thread) {
  looked.unobserve(thread);
  const body = new URLSearchParams({ read: "1", csrfmiddlewaretoken: thread.elements.csrfmiddlewaretoken.value });
  fetch(thread.action, { method: "POST", headers: { Accept: "application/json" }, body }).catch(() => {});
}
const watch = () => document.querySelectorAll("form[data-unread]").forEach((thread) => looked.observe(thread));

function begin() {
  texts().forEach(restore);
  watch();
}
begin();
// An item that is submitted takes away what stands beside it.
document.addEventListener("htmx:beforeSwap", ({ target }) => { if (target.id === "main") leaving(); });
document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "main") begin(); });
