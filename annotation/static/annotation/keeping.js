// Nothing is lost: drafts on the server while one writes, in this browser while the server cannot
// be reached, and a login that ended is renewed in place. "Saved" is said of the server's answers only.
const root = document.documentElement;
const PAUSE_MS = 700;
const AGAIN_MS = 4000;
const LONGEST_WAIT_MS = 20_000;
const AROUND = ["csrfmiddlewaretoken", "active_seconds", "previews", "submission", "revision", "draft_known"];

const form = () => document.querySelector("form[data-judging]");
const item = () => document.querySelector("[data-item]")?.dataset.item;
const main = document.getElementById("main");
const { kept, clock, translated } = main; // (page.js)
// Each window keeps what is its own, under a name that no other has.
const own = crypto.getRandomValues(new Uint32Array(2)).join("");
const names = () => `${root.dataset.user}.${item()}.`;
const release = () => (left ? hold() : kept.drop(names() + own));

let dirty = false; // Something was chosen or typed that the server has not said it has.
let [queued, sent] = [null, null]; // The press, {name, value, formAction}, that found no network; its fields.
let withdrawn = false; // A queued answer was changed: it waits for another submit.
let submitted = ""; // The words of the submit that is on its way.
let busy = false;
let left = false; // The next page is on its way, maybe made before the last draft arrived.
let missed = false; // Something changed while the last draft was on its way.
let timer = 0;

// A draft has a version, and a form knows those that it was made from or has sent: what it does not know, it
// does not replace. Where two windows differ, nothing is sent before the reader has chosen.
let number = 0;
const version = () => `${own}.${number}`;
const both = () => form()?.querySelector("[data-both]");
const known = () => form().elements.draft_known;
function know(...versions) {
  const others = versions.join(" ").split(" ").filter((one) => one && !one.startsWith(`${own}.`));
  known().value = [...new Set(others), version()].slice(-20).join(" ");
}

// What the page says. Failures are spoken as well; "Draft saved" at every pause would be noise.
function say(text, { bad = true, spoken = true } = {}) {
  const line = document.querySelector("[data-keeping]");
  if (line && line.textContent !== text) {
    line.textContent = text;
    line.toggleAttribute("data-bad", bad);
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
  // Not the token. Who has not chosen yet is asked again; and a draft that is sent from here on, this one knows.
  const { csrfmiddlewaretoken, ...fields } = content();
  const { revision, known: before } = both()?.dataset ?? { ...fields, known: fields.draft_known };
  Object.assign(fields, { revision, draft_known: `${before} ${own}.${number + 1}` });
  return kept.write(names() + own, { fields, submit: queued, sent: queued && sent, path: form().getAttribute("action"), at: Date.now() });
}

function held() {
  const why = navigator.onLine ? translated("the server does not answer") : translated("no network");
  if (!hold()) return say(translated("Not saved: {why}, and this browser keeps nothing. Leave this page open.", { why }));
  if (!queued && withdrawn) return say(translated("Not submitted: you changed your answer, so submit it again. It is kept in this browser ({why}).", { why }));
  if (!queued) return say(translated("Not saved: {why}. Your words are kept in this browser.", { why }));
  if (main.queue.goOn()) return undefined;
  if (main.queue.others().length || queued.formAction) return say(main.queue.sentence());
  return say(translated("Not submitted: {why}. Your answer is kept in this browser, and is sent when the server answers again.", { why }));
}

function changed() {
  dirty = true;
  if (queued) [queued, withdrawn] = [null, true];
  clearTimeout(timer);
  timer = setTimeout(send, PAUSE_MS);
}
async function post(keepalive) {
  number += 1;
  know(known().value);
  const body = new URLSearchParams({ ...content(), draft_version: version() });
  const options = { method: "POST", body, keepalive, headers: { "HX-Request": "true" } };
  return fetch(form().dataset.draft, { ...options, signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
}

async function send({ keepalive = false } = {}) {
  const judging = form();
  if (!judging || !dirty) return;
  if (both()) return void hold();
  if (busy && !keepalive) return void (missed = true);
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
    dialog.offer(say(translated("Not saved: your sign-in has ended. Your words are kept in this browser.")), () => ask(send));
  } else if (reply.status === 403 && (await dialog.renewed())) {
    dirty = missed = true;
  } else if (reply.ok) {
    const { saved } = await reply.json();
    know(); // It stands over all that went before.
    if (!dirty) release();
    say(translated("Draft saved {time}. It is not submitted.", { time: clock.format(new Date(saved)) }), { bad: false, spoken: false });
  } else if (reply.status >= 500) {
    again();
  } else {
    const told = await reply.json().catch(() => ({ error: translated("the server did not take it") }));
    say(translated("Not saved: {why}. Your words are kept in this browser.", { why: told.error }));
    if (told.both) document.dispatchEvent(new CustomEvent("variorum:both", { detail: told }));
    dirty = true;
    hold();
  }
}

function again() {
  dirty = true;
  held();
  clearTimeout(timer);
  timer = setTimeout(retry, AGAIN_MS);
}

// What was done before goes first.
async function retry() {
  if (!queued || !form()) return void send();
  if (!(await main.queue.drain(true))) return void (queued && again());
  if (queued && form()) submit(queued);
}

// The press of a button as it was: also of one that a reloaded page does not show any more.
function submit(pressed) {
  const judging = form();
  const button = Object.assign(document.createElement("button"), { ...pressed, hidden: true });
  judging.append(button);
  judging.requestSubmit(button);
  button.remove();
}

// Submitting. The answer waits where there is no network, and so does "later"; "discard" can be pressed again.
function pressed({ requestConfig: request }) {
  const judging = form();
  if (!judging || request?.elt !== judging) return null;
  const { submitter } = request.triggeringEvent ?? {};
  const action = judging.getAttribute("action");
  if (request.path === `${action}later/`) return { name: "", value: "", formAction: request.path };
  if (request.path !== action) return null;
  return { name: submitter?.name ?? "answer", value: submitter?.value ?? "1" };
}

function unreached(event) {
  const act = pressed(event.detail);
  if (!act) return;
  event.preventDefault();
  // Changed while it was on its way: what stands here now, nobody has submitted.
  [queued, withdrawn] = submitted === JSON.stringify(words(content())) ? [act, false] : [null, true];
  sent = Object.fromEntries([...event.detail.requestConfig.formData].filter(([name]) => name !== "csrfmiddlewaretoken"));
  again();
}
for (const failure of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(failure, unreached, { capture: true });
document.addEventListener("htmx:responseError", async (event) => {
  const { status } = event.detail.xhr;
  const act = pressed(event.detail);
  if (status >= 502 && status <= 504) return unreached(event);
  if (!act || status !== 403 || "renewed" in form().dataset) return undefined;
  // Signed in again elsewhere: the token of this page is not valid any more.
  event.preventDefault();
  form().dataset.renewed = "";
  if (await dialog.renewed()) return submit(act);
  return say(translated("Not saved: you have signed in again since this page was opened. Copy what you typed, then load the page again."));
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
  const act = pressed(detail);
  if (!act || !shouldSwap || ended(xhr.getResponseHeader("HX-Redirect"))) return;
  clearTimeout(timer);
  if (xhr.status < 300) main.queue.done(form().getAttribute("action"));
  const waited = queued;
  queued = null;
  // Of what was put off the words stay until a draft of them has arrived.
  if (act.formAction) return void (waited && (words(content()).length ? hold() : release()));
  [dirty, busy, left] = [false, false, false];
  release();
}
const drafts = ({ requestConfig: request }) => Boolean(request) && request.path === form()?.dataset.draft;
document.addEventListener("htmx:beforeSwap", arrived);
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.xhr.status) arrived({ detail });
  if (!drafts(detail)) return;
  busy = false;
  if (detail.xhr.status && detail.xhr.status < 300) release();
  else dirty = true;
});
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  clearTimeout(timer);
  if (drafts(detail)) dirty = false; // Discarded, or chosen.
  const act = pressed(detail);
  if (act) submitted = JSON.stringify(words(content()));
  if (!act || act.formAction) send({ keepalive: true }); // "Later" takes the page away, not the words.
});

// A login that ended: the page's own dialog (page.js) renews it.
const dialog = document.querySelector("[data-signin]");
const ended = (to) => Boolean(to?.startsWith(dialog.dataset.signin));
function ask(next) {
  say(translated("Not saved: your sign-in has ended. What you chose and typed is kept in this browser."));
  dialog.ask(() => { say(translated("Signed in again."), { bad: false }); next(); });
}

// What a window of this browser kept of this item, the latest first; what the server has by now is dropped.
function found() {
  const here = JSON.stringify(words(content()));
  const needed = ({ fields, submit }) => submit || !(JSON.stringify(words(fields)) === here || passed(fields.draft_known));
  const all = kept.all(names()).filter(({ back }) => !back);
  for (const one of all) if (!needed(one)) kept.drop(one.name);
  return all.filter(needed).sort((one, other) => other.at - one.at)[0];
}

// Whether the draft that is shown is a later one of the window that kept this.
function passed(versions) {
  const [[of, at], [window, last]] = [known().value, versions].map((each) => each.split(" ").at(-1).split("."));
  return of === window && Number(at) > Number(last);
}

function begin() {
  clearTimeout(timer);
  [dirty, busy, queued, withdrawn] = [false, false, null, false];
  const judging = form();
  if (!judging) return undefined;
  if (document.querySelector("[data-item] .errors") && words(content()).length) changed(); // Refused: only this page has it.
  dirty ||= Boolean(both());
  if (both()) return hold();
  const was = found();
  if (!was) return undefined;
  // The server says whether something newer stands in the way: what is here was typed upon what it knows.
  document.dispatchEvent(new CustomEvent("variorum:fill", { detail: was.fields }));
  const around = ["draft_known", "revision", ...(was.submit ? ["submission"] : [])];
  for (const field of around) judging.elements[field].value = was.fields[field];
  // What waits to be put off and is opened is read now after all.
  [queued, sent] = was.submit?.formAction ? [null, null] : [was.submit, was.sent];
  dirty = true;
  if (hold() && was.name !== names() + own) kept.drop(was.name);
  if (queued) return retry();
  say(translated("What you wrote here at {when} is here again. It is not yet saved.", { when: clock.format(was.at) }), { bad: false });
  return send();
}

const mine = ({ target }) => target.closest?.("form[data-judging]");
for (const kind of ["input", "change", "variorum:changed"]) document.addEventListener(kind, (event) => mine(event) && changed());
addEventListener("online", retry);
// A request may come too late for the next page: what the server has not said it has is kept here first.
function leaving(going) {
  if (!(dirty || busy) || "leaving" in root.dataset || !form()) return;
  if (going) left = true;
  hold();
  send({ keepalive: true });
}
addEventListener("beforeunload", leaving);
addEventListener("pagehide", leaving);
addEventListener("pageshow", ({ persisted }) => {
  left = false;
  if (!persisted || !form() || !kept.all(names() + own).length) return;
  [dirty, busy] = [true, false]; // What was on its way then, nobody waits for any more.
  send();
});
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
