// What every page shares: how the text looks, local times, where the focus goes, "not saved", signing in again.
const root = document.documentElement;
const { user } = root.dataset;

// How the text looks, and whether single keys work: with the account where there is one, else in this browser.
const LOOK = "variorum.look";
let unsent = {};

async function keep(panel, name, value) {
  unsent = { ...unsent, [name]: value };
  if (!panel.dataset.kept) {
    try {
      localStorage.setItem(LOOK, JSON.stringify({ ...JSON.parse(localStorage.getItem(LOOK)), ...unsent }));
    } catch {
      // Private windows may refuse: the choice then lasts as long as the page.
    }
    return;
  }
  const sent = unsent;
  const headers = { Accept: "application/json", ...JSON.parse(document.body.getAttribute("hx-headers")) };
  try {
    const reply = await fetch(panel.dataset.kept, { method: "POST", headers, body: new URLSearchParams(sent), redirect: "error" });
    if (reply.ok && unsent === sent) unsent = {};
  } catch {
    // Without a network it holds for this page, and is sent with the next change.
  }
}

for (const panel of document.querySelectorAll("[data-reader]")) {
  for (const control of panel.querySelectorAll("input")) {
    const value = root.dataset[control.name];
    if (value !== undefined) control.checked = control.value === value;
  }
  panel.addEventListener("change", ({ target }) => {
    const value = target.checked ? target.value : "off";
    root.dataset[target.name] = value;
    keep(panel, target.name, value);
  });
  panel.addEventListener("submit", (event) => event.preventDefault());
}

// One panel at a time, and none that stays open behind the reader's back.
const tools = () => document.querySelectorAll("details.tool[open]");
document.addEventListener("click", ({ target }) => {
  for (const tool of tools()) if (!tool.contains(target)) tool.open = false;
});
// Escape closes one thing that is open: the one that has the focus, else a panel, else what is open beside an item.
// It never touches an answer; a dialog closes by itself.
const inside = () => document.activeElement?.closest("details[open]");
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open]")) return;
  const one = inside() ?? tools()[0] ?? document.querySelector(".spread :is(.act, .guideline, .neighbour, .earlier-own)[open]");
  if (!one) return;
  const held = one.contains(document.activeElement);
  one.open = false;
  if (held) one.querySelector("summary").focus();
});

// The pages speak English: a date in the browser's own language, or month first, would stand out in them.
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const calendar = new Intl.DateTimeFormat("en-GB", { dateStyle: "long" });
function localTimes(within) {
  for (const time of within.querySelectorAll("time[data-local]")) {
    const moment = new Date(time.dateTime);
    const hour = clock.format(moment);
    time.textContent = time.dataset.local === "clock" ? hour : `${calendar.format(moment)}, ${hour}`;
  }
}

const alert = document.getElementById("alert");
function say(text) {
  alert.textContent = text;
  alert.hidden = false;
}

// Words that wait in this browser (keeping.js, writing.js), under the number of whoever wrote them; a browser may
// forbid it, or be full. They must not meet the next user of the machine.
const WAITING = "variorum.kept.";
const main = document.getElementById("main");
main.kept = {
  all(of) {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(WAITING + of));
      return names.map((name) => ({ ...JSON.parse(localStorage.getItem(name)), name: name.slice(WAITING.length) }));
    } catch {
      return [];
    }
  },
  write(name, words) {
    try {
      localStorage.setItem(WAITING + name, JSON.stringify(words));
      return true;
    } catch {
      return false;
    }
  },
  drop(...names) {
    try {
      for (const name of names) localStorage.removeItem(WAITING + name);
    } catch {
      // Where nothing is kept there is nothing to remove.
    }
  },
};
const waiting = () => main.kept.all("").map(({ name }) => name);
if (user) main.kept.drop(...waiting().filter((name) => !name.startsWith(`${user}.`)));
// What a plain form sent was taken where the server led on from it. Where the form is shown again, the words are
// in it; after a lost request, or by way of the sign-in page, they are here only.
const [reached] = performance.getEntriesByType("navigation");
const from = reached?.redirectCount > 0 && document.referrer && new URL(document.referrer).pathname;
for (const { name, sent } of user && from ? main.kept.all(`${user}.text.`) : []) {
  if (sent === from && name.endsWith(`.${sessionStorage.getItem("variorum.sent")}`)) main.kept.drop(name);
}
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-signout]")) return;
  const lost = "Something you wrote is only in this browser and not saved yet. Sign out and lose it?";
  if (waiting().length && !confirm(lost)) return event.preventDefault();
  root.dataset.leaving = "";
  main.kept.drop(...waiting());
  return window.caches && (event.preventDefault(), forget().finally(() => event.target.submit()));
});

// What was taken along (queue.js, worker.js), and the worker itself.
async function forget() {
  localStorage.removeItem("variorum.along");
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  const stores = (await caches.keys()).filter((name) => name.startsWith("variorum."));
  await Promise.all([...workers.map((one) => one.unregister()), ...stores.map((name) => caches.delete(name))]);
}

// Pages of an earlier version kept one form an item, without a window's name; and a choice as `option`, a number
// that says something else than the position it has now. It is taken out before keeping.js could send what is
// left of the answer. The words stay.
function renewed({ name, ...entry }) {
  if (!entry.fields) return { name }; // Of a plain form (writing.js).
  const { option, ...fields } = entry.fields;
  const renamed = name.split(".").length > 2 ? name : `${name}.0`;
  if (renamed === name && !option) return { name, ...entry };
  const kept = { ...entry, fields: { draft_known: "", ...fields }, submit: option ? null : entry.submit };
  if (main.kept.write(renamed, kept) && renamed !== name) main.kept.drop(name);
  return { ...kept, name: renamed, old: Boolean(option) };
}

// An answer that was given without a network, and whose page was closed since. Readers' pages send it (queue.js).
const sender = document.querySelector("script[data-worker]");
const here = document.querySelector("[data-item]")?.dataset.item;
for (const entry of user ? main.kept.all(`${user}.`).map(renewed) : []) {
  const { name, old, submit, path } = entry;
  if (!old && (sender || !submit || name.startsWith(`${user}.${here}.`))) continue;
  const link = document.createElement("a");
  link.href = path;
  link.textContent = old ? "Open the item, and choose again." : "Open the item, and it is sent.";
  if (old) say("This browser kept a choice of yours from before the site was renewed, and it cannot be sent. ");
  else say("An answer you gave without a network is still only in this browser. ");
  alert.append(link);
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
const watch = (within) => within.querySelectorAll("form[data-unread]").forEach((thread) => looked.observe(thread));
watch(document);

// What is taller than the window begins where it can be read: focus alone may put its first line behind what stays in
// sight above it.
function takeFocus(within) {
  const one = within.querySelector("[data-takes-focus]");
  one?.focus();
  if (one?.offsetHeight > innerHeight / 2) one.scrollIntoView({ block: "start", behavior: "instant" });
}

localTimes(document);
takeFocus(document);

document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (main.contains(target) && target.matches("form")) main.setAttribute("aria-busy", "true");
});
document.addEventListener("htmx:afterRequest", () => main.removeAttribute("aria-busy"));
document.addEventListener("htmx:beforeSwap", () => { alert.hidden = true; });
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  localTimes(detail.target ?? document);
  watch(detail.target ?? document);
  // A later item may be the first with a thread.
  const thread = main.querySelector("[data-writes]");
  if (thread) import(thread.dataset.writes);
});
// htmx has just put the focus on what comes first of all that asks for it: the heading.
document.addEventListener("htmx:load", ({ detail }) => {
  localTimes(detail.elt);
  takeFocus(detail.elt);
});

const CAUSES = {
  403: "you have signed in again since this page was opened. Copy what you typed, then load the page again",
  404: "this item is no longer yours. It was given back because nothing happened for long",
  413: "it is too large",
};
// A poll that fails lost nothing of the reader's and asks again by itself.
const sends = (detail) => detail.requestConfig?.verb !== "get";
// What keeping.js takes care of itself is no failure yet.
document.addEventListener("htmx:responseError", (event) => {
  const { detail } = event;
  if (!sends(detail) || event.defaultPrevented) return;
  const cause = CAUSES[detail.xhr.status] ?? "the server could not take it. Try again in a minute";
  say(`Not saved: ${cause}. What you chose and typed is still on this page.`);
});
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => {
    if (sends(event.detail) && !event.defaultPrevented) say("Not saved: the server does not answer. What you chose and typed is still on this page; submit again.");
  });
}

// A login that ended is renewed in place, on pages that bring this dialog: `ask(next)`, `renewed()`.
const dialog = document.querySelector("[data-signin]");
let written = null; // Where somebody wrote, to go back there.
document.addEventListener("focusin", ({ target }) => {
  if (target.closest("form[data-judging]") && !target.closest("[data-keeping]")) written = target;
});
const JSON_ONLY = { Accept: "application/json" };
let then = () => {};

async function whoIsHere() {
  const reply = await fetch(dialog.dataset.signin, { headers: JSON_ONLY, cache: "no-store" });
  return reply.json();
}

// Forms need the new token; somebody else at this machine gets nothing of what is here.
function taken({ user: who, csrf }) {
  if (String(who) !== user) {
    root.dataset.leaving = "";
    main.kept.drop(...waiting());
    (window.caches ? forget() : Promise.resolve()).finally(() => location.assign("/"));
    return false;
  }
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = csrf;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": csrf }));
  return true;
}

function refuse(text) {
  const refused = dialog.querySelector(".refused");
  refused.textContent = text;
  refused.hidden = false;
  refused.focus();
}

// The one who is signed in by now; null where they were told why nobody is.
async function signedIn(event) {
  const said = await whoIsHere();
  if (said.user) return said;
  if (event.submitter?.value === "elsewhere") {
    return refuse("Nobody is signed in yet. Open a new sign-in link in another tab of this browser, then press the button again.");
  }
  const body = new URLSearchParams(new FormData(event.target));
  body.set("csrfmiddlewaretoken", said.csrf);
  const reply = await fetch(dialog.dataset.signin, { method: "POST", headers: JSON_ONLY, body });
  const answer = await reply.json();
  return answer.error ? refuse(answer.error) : answer;
}

async function signIn(event) {
  if (event.submitter?.formMethod === "dialog") return;
  event.preventDefault();
  const said = await signedIn(event).catch(() => refuse("The server does not answer. What you typed is kept; try again."));
  if (!said || !taken(said)) return;
  dialog.querySelector(".refused").hidden = true;
  dialog.querySelector("[name=password]").value = "";
  dialog.close();
  written?.focus();
  then();
}

if (dialog) {
  dialog.addEventListener("submit", signIn);
  dialog.ask = (next) => {
    then = next;
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("[name=password]").focus();
  };
  // While somebody writes, a dialog would take their keys: a button in the line that says why.
  dialog.offer = (line, act) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: "Sign in again" });
    button.addEventListener("click", act);
    line?.append(" ", button);
  };
  dialog.renewed = async () => {
    const said = await whoIsHere().catch(() => null);
    return Boolean(said?.user) && taken(said);
  };
}
