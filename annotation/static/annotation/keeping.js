// Nothing is lost: drafts on the server while one writes, in this browser while the server cannot
// be reached, and a login that ended is renewed in place. "Saved" is said of the server's answers only.
const root = document.documentElement;
const PAUSE_MS = 700;
const AGAIN_MS = 4000;
const LONGEST_WAIT_MS = 20_000;
const AROUND = ["csrfmiddlewaretoken", "active_seconds", "previews", "submission", "revision"];
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

const form = () => document.querySelector("form[data-judging]");
const item = () => document.querySelector("[data-item]")?.dataset.item;
const store = allowed();
const name = () => `variorum.kept.${root.dataset.user}.${item()}`;

function allowed() {
  try {
    return localStorage;
  } catch {
    return null; // A browser may forbid it.
  }
}

let dirty = false; // Something was chosen or typed that the server has not said it has.
let queued = null; // The submit, {name, value}, that found no network.
let withdrawn = false; // A queued answer was changed: it waits for another submit.
let submitted = ""; // The words of the submit that is on its way.
let lost = false; // The last try found no server.
let busy = false;
let missed = false; // Something changed while the last draft was on its way.
let timer = 0;

// What the page says. Failures are spoken as well; "Draft saved" at every pause would be noise.
function say(text, spoken = true) {
  const line = document.querySelector("[data-keeping]");
  if (line && line.textContent !== text) {
    line.textContent = text;
    line.toggleAttribute("data-bad", text.startsWith("Not "));
    if (spoken) document.getElementById("status").textContent = text;
  }
  return line;
}

// In this browser: what the form holds, and what it was made from.
function content() {
  document.dispatchEvent(new Event("variorum:write"));
  return Object.fromEntries(new FormData(form()));
}
const words = (fields) => Object.entries(fields).filter(([field, value]) => value && !AROUND.includes(field));

function hold() {
  const { csrfmiddlewaretoken, ...fields } = content(); // The token is nobody's words.
  const seen = form().dataset.draftSaved;
  const kept = { fields, seen, submit: queued, path: location.pathname, at: Date.now() };
  try {
    store.setItem(name(), JSON.stringify(kept));
    return true;
  } catch {
    return false; // Forbidden, or full.
  }
}
const release = () => store?.removeItem(name());

function held() {
  const why = navigator.onLine ? "the server does not answer" : "no network";
  lost = true;
  if (!hold()) return say(`Not saved: ${why}, and this browser keeps nothing. Leave this page open.`);
  if (!queued && withdrawn) return say(`Not submitted: you changed your answer, so submit it again. It is kept in this browser (${why}).`);
  if (!queued) return say(`Not saved: ${why}. Your words are kept in this browser.`);
  return say(`Not submitted: ${why}. Your answer is kept in this browser, and is sent when the server answers again.`);
}

// Drafts
function changed() {
  dirty = true;
  if (queued) [queued, withdrawn] = [null, true];
  clearTimeout(timer);
  timer = setTimeout(send, PAUSE_MS);
}

async function post(keepalive) {
  const body = new URLSearchParams(content());
  const options = { method: "POST", body, keepalive, headers: { "HX-Request": "true" } };
  return fetch(form().dataset.draft, { ...options, signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
}

async function send({ keepalive = false } = {}) {
  const judging = form();
  if (!judging || !dirty) return;
  if (busy && !keepalive) {
    missed = true;
    return;
  }
  busy = true;
  dirty = false;
  try {
    const reply = await post(keepalive);
    if (judging === form()) await answered(reply);
  } catch {
    if (judging === form()) again();
  } finally {
    busy = false;
    if (missed && judging === form()) timer = setTimeout(send, PAUSE_MS);
    missed = false;
  }
}

async function answered(reply) {
  if (ended(reply.headers.get("HX-Redirect"))) {
    dirty = true;
    hold();
    signInLine();
  } else if (reply.status === 403 && (await dialog.renewed())) {
    dirty = missed = true;
  } else if (reply.ok) {
    const { saved } = await reply.json();
    lost = false;
    form().dataset.draftSaved = saved;
    if (!dirty) release();
    say(`Draft saved ${clock.format(new Date(saved))}. It is not submitted.`, false);
  } else if (reply.status >= 500) {
    again();
  } else {
    hold();
    const { error } = await reply.json().catch(() => ({ error: "the server did not take it" }));
    say(`Not saved: ${error}. Your words are kept in this browser.`);
  }
}

function again() {
  dirty = true;
  held();
  clearTimeout(timer);
  timer = setTimeout(retry, AGAIN_MS);
}

function retry() {
  if (queued && form()) submit(queued);
  else send();
}

// The press of a button as it was: also of one that a reloaded page does not show any more.
function submit(pressed) {
  const judging = form();
  const button = Object.assign(document.createElement("button"), { ...pressed, hidden: true });
  judging.append(button);
  judging.requestSubmit(button);
  button.remove();
}

// Submitting. Only the answer itself is queued: "later" and "discard" can be pressed again.
function pressed({ requestConfig: sent }) {
  const judging = form();
  if (!judging || sent?.elt !== judging || sent.path !== judging.getAttribute("action")) return null;
  const { submitter } = sent.triggeringEvent ?? {};
  return { name: submitter?.name ?? "answer", value: submitter?.value ?? "1" };
}

function unreached(event) {
  const act = pressed(event.detail);
  if (!act) return;
  event.preventDefault();
  // Changed while it was on its way: what stands here now, nobody has submitted.
  [queued, withdrawn] = submitted === JSON.stringify(words(content())) ? [act, false] : [null, true];
  again();
}
for (const failure of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, unreached, { capture: true });
}
document.addEventListener("htmx:responseError", async (event) => {
  const { status } = event.detail.xhr;
  const act = pressed(event.detail);
  if (status >= 502 && status <= 504) return unreached(event);
  if (!act || status !== 403 || "renewed" in form().dataset) return undefined;
  // Signed in again elsewhere: the token of this page is not valid any more.
  event.preventDefault();
  form().dataset.renewed = "";
  if (await dialog.renewed()) return submit(act);
  return say("Not saved: this page is too old to be trusted. Copy what you typed, then load the page again.");
}, { capture: true });

document.addEventListener("htmx:beforeOnLoad", (event) => {
  const act = pressed(event.detail);
  if (!act || !ended(event.detail.xhr.getResponseHeader("HX-Redirect"))) return;
  event.preventDefault();
  dirty = true;
  hold();
  ask(() => submit(act));
});
// Taken, refused in words or too late: the server has it, and the page says so.
function arrived({ detail }) {
  const { xhr, shouldSwap = xhr.status < 300 } = detail;
  if (!pressed(detail) || !shouldSwap || ended(xhr.getResponseHeader("HX-Redirect"))) return;
  clearTimeout(timer);
  [dirty, queued, lost] = [false, null, false];
  release();
}
document.addEventListener("htmx:beforeSwap", arrived);
document.addEventListener("htmx:afterRequest", ({ detail }) => detail.xhr.status && arrived({ detail }));
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  clearTimeout(timer);
  if (detail.requestConfig.path === form()?.dataset.draft) dirty = false; // Discarded.
  if (pressed(detail)) submitted = JSON.stringify(words(content()));
  else send({ keepalive: true }); // "Later" takes the page away, not the words.
});

// A login that ended: the page's own dialog (page.js) renews it.
const dialog = document.querySelector("[data-signin]");
const ended = (to) => Boolean(to?.startsWith(dialog.dataset.signin));
let written = null; // Where the reader was, to go back there.
document.addEventListener("focusin", ({ target }) => {
  if (target.closest("form[data-judging]") && !target.closest("[data-keeping]")) written = target;
});

function ask(next) {
  say("Not saved: your sign-in has ended. What you chose and typed is kept in this browser.");
  dialog.ask(() => {
    written?.focus();
    say("Signed in again.");
    next();
  });
}

// While somebody writes, a dialog would take their keys.
function signInLine() {
  const line = say("Not saved: your sign-in has ended. Your words are kept in this browser.");
  line?.append(" ", link("Sign in again", () => ask(send)));
}

function link(text, act) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: text });
  button.addEventListener("click", act);
  return button;
}

// What a browser kept comes back where the server has nothing newer; else its writer decides.
function restore({ fields, submit: waiting }) {
  const judging = form();
  const all = waiting ? [...words(fields), ["submission", fields.submission], ["revision", fields.revision]] : words(fields);
  for (const [field, value] of all) {
    const control = judging.elements[field];
    if (!control) continue;
    if (control.type === "checkbox" || control.type === "radio") control.checked = control.value === value;
    else control.value = value;
    const details = control instanceof Element && control.closest("details");
    if (details) details.open = true;
    const one = control instanceof Element ? control : judging.querySelector(`[name="${field}"]:checked`);
    for (const kind of ["input", "change"]) one?.dispatchEvent(new Event(kind, { bubbles: true }));
  }
  judging.dataset.touched = "";
}

function begin() {
  clearTimeout(timer);
  [dirty, queued, withdrawn] = [false, null, false];
  const judging = form();
  if (judging && document.querySelector("[data-item] .errors")) changed(); // Refused: only this page has it.
  const kept = judging && JSON.parse(store?.getItem(name()) ?? null);
  if (!kept) return;
  const same = JSON.stringify(words(kept.fields)) === JSON.stringify(words(content()));
  if (same && !kept.submit) return release();
  const { revision } = judging.elements;
  if (!kept.submit && (kept.seen !== judging.dataset.draftSaved || kept.fields.revision !== revision.value)) return offer(kept);
  restore(kept);
  queued = kept.submit;
  if (queued) return submit(queued);
  say("What you wrote without a network is here again. It is not submitted.");
  return send();
}

function offer(kept) {
  const line = say(`This browser kept other words of yours, from ${clock.format(kept.at)}.`);
  const discard = () => { release(); say(""); };
  line?.append(" ", link("Put them here", () => restore(kept)), " ", link("Discard them", discard));
}

const own = ({ target }) => target.closest?.("form[data-judging]");
for (const kind of ["input", "change", "variorum:changed"]) {
  document.addEventListener(kind, (event) => own(event) && changed());
}
addEventListener("online", retry);
function leaving() {
  if (!dirty || "leaving" in root.dataset || !form()) return;
  if (lost || !navigator.onLine) hold();
  send({ keepalive: true });
}
addEventListener("pagehide", leaving);
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leaving());
// Sign-out asks only about what could not be saved: first it is tried.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-signout]") || !dirty || "tried" in event.target.dataset) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  event.target.dataset.tried = "";
  send({ keepalive: true }).then(() => event.target.requestSubmit());
}, { capture: true });
document.addEventListener("DOMContentLoaded", begin); // After htmx, which then sends what is submitted here.
document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "main") begin(); });
