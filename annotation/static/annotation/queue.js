// Without a network: what a reader does waits in this browser and is sent in order, and items that were taken
// along can be read. Each act is an entry that keeping.js has kept with `submit`, the press of its button; its id
// is the form's own, so that sent twice it is done once.
const root = document.documentElement;
const { user } = root.dataset;
const main = document.getElementById("main");
const { kept, clock, translated, counted } = main; // What this browser keeps, and how it is said (page.js).
const LEAST_MS = 2000;
const MOST_MS = 60_000;
const LONGEST_WAIT_MS = 20_000;
const dialog = document.querySelector("[data-signin]");

const here = () => document.querySelector("[data-item]")?.dataset.item;
const placeOf = (path) => path?.match(/\/work\/(\d+)\//)?.[1];
const acts = () => kept.all(`${user}.`).filter(({ path, submit }) => submit && placeOf(path)).sort((one, other) => one.at - other.at);
// The item that is shown sends its own (keeping.js): its form may say something else by now.
const others = () => acts().filter(({ path, back }) => back || placeOf(path) !== here());

// What the page says: one line, and below it what could not be stored.
const line = Object.assign(document.createElement("div"), { id: "waiting", className: "alert", hidden: true });
line.setAttribute("role", "status");
document.getElementById("alert").after(line);

function waits() {
  const all = acts();
  const answers = all.filter(({ submit, back }) => !submit.formAction && !back).length;
  const rest = all.length - answers;
  const parts = [answers && counted(answers, "{n} answer", "{n} answers"), rest && counted(rest, "{n} other act", "{n} other acts")];
  const what = parts.filter(Boolean).join(` ${translated("and")} `);
  return counted(all.length, "{what} waits in this browser and will be sent in order.", "{what} wait in this browser and will be sent in order.", { what });
}
const silent = () => (failing ? translated("The server fails to take it.") : translated("The server does not answer."));
const sentence = () => `${navigator.onLine ? silent() : translated("No network.")} ${waits()}`;

// The focus goes to what is there, and is never lost.
const heading = (one) => (one ?? document.querySelector("main h1"))?.focus({ preventScroll: true });

function button(label, act) {
  const one = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: label });
  one.addEventListener("click", act);
  return one;
}

function show(text = others().length ? sentence() : "", ...offered) {
  const last = others().at(-1);
  if (text && last && !offered.length) offered = [button(translated("Send now"), () => drain(true)), button(translated("Take the last back"), () => takeBack(last))];
  const parts = text ? [text, ...offered.flatMap((one) => [" ", one])] : [];
  const held = line.contains(document.activeElement);
  line.replaceChildren(...parts, ...aside().map(refused));
  line.hidden = !line.hasChildNodes();
  if (held) heading(line.querySelector("button, a"));
}

// Nothing of it has left: the words stay, and the item is before its reader again.
function takeBack({ name, ...entry }) {
  if (entry.back) kept.drop(name);
  else kept.write(name, { ...entry, submit: null });
  location.assign(entry.path);
}

// What the server refused, beside why, until its reader has looked.
const aside = () => kept.all(`${user}.`).filter(({ why }) => why).sort((one, other) => one.at - other.at);
const AROUND = ["submission", "revision", "draft_known", "active_seconds", "previews", "csrfmiddlewaretoken"];
function refused({ name, why, path, at, gone, fields = {} }) {
  const one = document.createElement("p");
  const open = Object.assign(document.createElement("a"), { href: path, textContent: translated("Open the item") });
  const words = ["note", "other", "fault"].map((field) => fields[field]).filter(Boolean).join(" · ");
  const typed = words ? translated("You wrote: “{words}”.", { words }) : "";
  const said = translated("Not saved, of {time}: {why}.", { time: clock.format(at), why: why.replace(/\.$/, "") });
  const drop = button(translated("I have seen it"), () => { kept.drop(name); show(); });
  one.append(typed ? `${said} ${typed} ` : `${said} `, ...(gone ? [] : [open, " "]), drop);
  return one;
}

// Sending: the oldest first, one at a time, in one window.
let tries = 0;
let timer = 0;
let sending = null;
let signedOut = false;
let failing = false; // It answers, and with an error.

// Whether nothing waits any more.
async function drain(now = false) {
  clearTimeout(timer);
  if (now) tries = 0;
  if (user && others().length) await (sending ??= sendAll().finally(() => { sending = null; }));
  return !others().length;
}

async function sendAll() {
  let sent = 0;
  [signedOut, failing] = [false, false];
  const stuck = new Set();
  // What the server fails at holds back what was done at the same item, and nothing else.
  const all = async () => {
    for (const entry of others()) {
      if (stuck.has(placeOf(entry.path))) continue;
      const went = await send(entry);
      if (went === FAILED_AT) stuck.add(placeOf(entry.path));
      else if (!went) break;
      else if (went !== ASIDE) sent += 1;
    }
    failing = stuck.size > 0;
  };
  await (navigator.locks ? navigator.locks.request(`variorum.queue.${user}`, all) : all());
  if (signedOut) return;
  const left = others().length;
  show(!left && sent ? translated("What waited was sent at {time}.", { time: clock.format(Date.now()) }) : undefined);
  if (left) timer = setTimeout(drain, Math.min(LEAST_MS * 2 ** tries++, MOST_MS) * (0.5 + Math.random()));
}

function post(path, fields) {
  const headers = { Accept: "application/json", ...JSON.parse(document.body.getAttribute("hx-headers")) };
  const body = new URLSearchParams({ ...fields, user });
  return fetch(path, { method: "POST", headers, body, redirect: "error", signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
}

const FAILED_AT = "failed";
const ASIDE = "aside";
// Statuses that say: try again. Every other error of the 4xx stays one however often it is tried.
const AGAIN = [408, 425, 429];
const WHY = { 404: translated("this item is no longer yours"), 413: translated("it is too large") };

// Whether the next may be sent: true, false, ASIDE where this one is not taken, or FAILED_AT, at this item alone.
async function send(entry, again = false) {
  const { name, path, submit, back, fields = {} } = entry;
  // Another window may have sent it, or taken it back.
  if (!acts().some((one) => one.name === name && one.at === entry.at)) return true;
  const verb = back ? "take_back" : submit.formAction ? "later" : "answer";
  const sent = { ...(entry.sent ?? { ...fields, [submit.name]: submit.value }), act: verb, id: entry.id ?? fields.submission };
  const reply = await post(`${path}act/`, sent).catch(() => null);
  if (reply?.ok) return settle(entry);
  if (reply?.status === 403) {
    if (!again && (await renewed())) return send(entry, true);
    return ask();
  }
  const status = reply?.status ?? 0;
  if (status === 500) return FAILED_AT;
  if (status < 400 || status > 499 || AGAIN.includes(status)) return false;
  const { error } = await reply.json().catch(() => ({ error: WHY[status] ?? translated("the server did not take it") }));
  kept.write(name, { ...entry, submit: null, why: error, gone: [404, 410].includes(status) });
  return ASIDE;
}

// Of an item that was put off the words stay, until it comes back.
function settle({ name, path, submit, fields = {}, ...entry }) {
  const typed = Object.entries(fields).some(([field, value]) => value && !AROUND.includes(field));
  if (submit.formAction && typed) kept.write(name, { ...entry, path, fields, submit: null });
  else kept.drop(name);
  if (!entry.back) done(path);
  return true;
}

async function renewed() {
  if (dialog) return dialog.renewed();
  const said = await fetch("/login/", { headers: { Accept: "application/json" }, cache: "no-store" }).then((reply) => reply.json()).catch(() => null);
  if (String(said?.user) !== user) return false;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": said.csrf }));
  return true;
}

function ask() {
  signedOut = true;
  const link = Object.assign(document.createElement("a"), { href: `/login/?next=${location.pathname}`, textContent: translated("Sign in again") });
  show(`${translated("Your sign-in has ended.")} ${waits()}`, dialog ? button(translated("Sign in again"), () => dialog.ask(() => { heading(); drain(true); })) : link);
  return false;
}

// Items that were taken along: leased places whose pages are in the cache of the service worker.
const ALONG = "variorum.along";
const form = () => document.querySelector("form[data-along]");
const script = document.querySelector("script[data-worker]");
const cacheName = `variorum.${script?.dataset.version}.${user}`;
const can = Boolean(user && script && window.caches && navigator.serviceWorker);

function along() {
  try {
    const found = JSON.parse(localStorage.getItem(ALONG));
    // What was fetched in another language, or of another version, is not in the cache any more.
    return found?.user === user && found.version === script?.dataset.version && Date.parse(found.until) > Date.now() ? found : null;
  } catch {
    return null;
  }
}

function remember(found) {
  if (found?.places.length) localStorage.setItem(ALONG, JSON.stringify({ ...found, user, version: script.dataset.version }));
  else localStorage.removeItem(ALONG);
  offer();
}

const isUnanswered = (path) => !acts().some((one) => placeOf(one.path) === placeOf(path));
function offer(text) {
  if (!form() || !can) return;
  const found = along();
  const [take, back] = form().querySelectorAll("button");
  form().hidden = false;
  take.hidden = Boolean(found) && !found.part;
  back.hidden = !found || acts().length > 0;
  const n = found?.places.filter(isUnanswered).length;
  const until = found && clock.format(Date.parse(found.until));
  form().querySelector("[role=status]").textContent = text ?? (n ? counted(n, "{n} item can be read without a network until {until}.", "{n} items can be read without a network until {until}.", { until }) : "");
}

// An item that has been answered, or put off, is not read again from here.
function done(path) {
  const found = along();
  if (!found) return;
  const place = placeOf(path);
  caches.open(cacheName).then((cache) => cache.delete(`/work/${place}/`));
  remember({ ...found, places: found.places.filter((each) => placeOf(each) !== place) });
}

// Go on to the next item that is here and has nothing waiting; false where there is none.
let going = false;
function goOn() {
  if (going) return true;
  const next = can && along()?.places.find((each) => placeOf(each) !== here() && isUnanswered(each));
  going = Boolean(next);
  if (next) location.assign(next);
  return going;
}

main.queue = { others, sentence, show, drain, done, goOn };
if (can) {
  const address = `${script.dataset.worker}?version=${script.dataset.version}&user=${user}`;
  for (const scope of ["/work/", "/studies/"]) navigator.serviceWorker.register(address, { scope }).catch(() => {});
  document.addEventListener("submit", async (event) => {
    if (!navigator.onLine && event.target.action.endsWith("/begin/")) {
      event.preventDefault();
      return goOn() || show(others().length ? sentence() : translated("No network."));
    }
    if (event.target !== form()) return undefined;
    event.preventDefault();
    const { name } = event.submitter ?? {};
    const { take } = await import(script.dataset.along).catch(() => ({ take: () => offer(translated("The server does not answer. Try again in a minute.")) }));
    return take({ form: form(), givingBack: name === "give_back", cacheName, post, offer, remember });
  });
  offer();
}
addEventListener("online", () => drain(true));
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && drain());
document.addEventListener("DOMContentLoaded", () => { show(); drain(); });
document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (target.id === "main") for (const act of [show, offer, drain, meet]) act();
});

// Taking back what has arrived, without a network: an act of its own that waits. What has an id is done once.
for (const failure of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    const { elt, path } = event.detail.requestConfig ?? {};
    if (!elt?.matches("form[data-take-back]")) return;
    event.preventDefault();
    const { of, submission } = Object.fromEntries(new FormData(elt));
    const entry = { back: true, id: submission, fields: { of: of ?? "" }, path: path.replace("take-back/", "") };
    kept.write(`${user}.${placeOf(path)}.${submission}`, { ...entry, submit: { name: "take_back" }, at: Date.now() });
    show();
  }, { capture: true });
}

// Two windows of this browser at one item tell each other at once.
const channel = new BroadcastChannel(`variorum.${user}`);
function meet() {
  const item = here();
  if (item && document.querySelector("form[data-judging]")) channel.postMessage({ item, asks: true });
}
channel.addEventListener("message", ({ data: { item, asks, leaves } }) => {
  const judging = document.querySelector("form[data-judging]");
  if (item !== here() || !judging) return;
  judging.querySelector("[data-also]")?.remove();
  if (leaves) return;
  const also = Object.assign(document.createElement("p"), { className: "keeping", textContent: translated("This item is also open in another window. Nothing you choose in one replaces what the other holds.") });
  also.dataset.also = "";
  judging.prepend(also);
  document.getElementById("status").textContent = also.textContent;
  if (asks) channel.postMessage({ item });
});
const leave = () => here() && channel.postMessage({ item: here(), leaves: true });
addEventListener("pagehide", leave);
addEventListener("pageshow", ({ persisted }) => {
  going = false;
  if (persisted) meet();
});
document.addEventListener("htmx:beforeSwap", ({ target }) => target.id === "main" && leave());
meet();

// Of panels with one name only one is open: what leaves the page would close the one that comes with an error in it.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.shouldSwap) for (const panel of document.querySelectorAll("main details[name]")) panel.removeAttribute("name");
});

// What nobody needs to begin is fetched when the page stands: the rhythm of a sitting; and what looks words up when
// it is first wanted.
const sitting = document.querySelector("[data-sitting]");
const sit = () => import(sitting.dataset.script).catch(() => addEventListener("online", sit, { once: true }));
if (sitting) {
  // A sitting counts from what was done then: an item may be submitted before its script is there.
  sitting.dataset.first = document.getElementById("progress")?.value ?? 0;
  setTimeout(sit, 1500);
}
const find = document.querySelector("[data-find]");
const lookUp = () => find && import(find.dataset.find).catch(() => {});
find?.addEventListener("toggle", () => { lookUp(); if (find.open) find.querySelector("input").focus({ preventScroll: true }); });
document.addEventListener("selectionchange", lookUp, { once: true });
