// What every page shares: how the text looks, local times, where the focus goes, "not saved", signing in again.
const root = document.documentElement;
const { user } = root.dataset;
const main = document.getElementById("main");

// What the scripts say: English words stand in them, with {names} for what varies; those of another language come
// with the page. Of what is counted there are forms, in the order of PLURALS, as many as the language has.
const words = JSON.parse(document.getElementById("translations")?.textContent ?? "{}");
const PLURALS = ["zero", "one", "two", "few", "many", "other"];
const rules = new Intl.PluralRules(root.lang);
const kinds = PLURALS.filter((each) => rules.resolvedOptions().pluralCategories.includes(each));
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const translated = (text, values = {}) => filled(words[text] ?? text, values);
function counted(n, one, more, values = {}) {
  const forms = words[one] ?? [one, more];
  return filled(forms[Math.min(kinds.indexOf(rules.select(n)), forms.length - 1)], { n, ...values });
}

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

// Times are in the page's language: the browser's own, or a month that comes first, would stand out.
const locale = root.lang === "en" ? "en-GB" : root.lang;
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const calendar = new Intl.DateTimeFormat(locale, { dateStyle: "long" });
Object.assign(main, { translated, counted, clock });
function localTimes(within) {
  for (const time of within.querySelectorAll("time[data-local]")) {
    const moment = new Date(time.dateTime);
    const hour = clock.format(moment);
    time.textContent = time.dataset.local === "clock" ? hour : `${calendar.format(moment)}, ${hour}`;
  }
}

const alert = document.getElementById("alert");
const say = (text) => Object.assign(alert, { textContent: text, hidden: false });

// Words that wait in this browser (keeping.js, writing.js), under the number of whoever wrote them; a browser may
// forbid it, or be full. The next user of the machine neither sees nor sends them: they wait for their own, a month.
const WAITING = "variorum.kept.";
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
const MONTH_MS = 30 * 86_400_000;
const waiting = () => main.kept.all(`${user}.`).map(({ name }) => name);
const old = ({ name, at }) => !name.startsWith(`${user}.`) && !(Date.now() - at < MONTH_MS);
if (user) main.kept.drop(...main.kept.all("").filter(old).map(({ name }) => name));
// What a plain form sent was taken where the server led on from it. Where the form is shown again, the words are
// in it; after a lost request, or by way of the sign-in page, they are here only.
const [reached] = performance.getEntriesByType("navigation");
const from = reached?.redirectCount > 0 && document.referrer && new URL(document.referrer).pathname;
for (const { name, sent } of user && from ? main.kept.all(`${user}.text.`) : []) {
  if (sent === from && name.endsWith(`.${sessionStorage.getItem("variorum.sent")}`)) main.kept.drop(name);
}
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-signout]")) return;
  const lost = translated("Something you wrote is only in this browser and not saved yet. Sign out and lose it?");
  if (waiting().length && !confirm(lost)) return event.preventDefault();
  root.dataset.leaving = "";
  main.kept.drop(...waiting());
  const others = Object.assign(document.createElement("input"), { type: "hidden", name: "others", value: "1" });
  if (main.kept.all("").length) event.target.append(others); // Else the server has all of it emptied.
  return window.caches && (event.preventDefault(), forget().finally(() => event.target.submit()));
});

// What was taken along (queue.js, worker.js), and the worker itself.
const stores = async () => (await caches.keys()).filter((name) => name.startsWith("variorum."));
async function forget() {
  localStorage.removeItem("variorum.along");
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all([...workers.map((one) => one.unregister()), ...(await stores()).map((name) => caches.delete(name))]);
}
// Of who used this browser before, and did not sign out, nothing is read again. The mark of early.js goes last.
async function forgetOthers() {
  const theirs = (await stores()).filter((name) => !name.endsWith(`.${user}`)).sort();
  if (theirs.some((name) => /\d$/.test(name))) localStorage.removeItem("variorum.along");
  for (const name of theirs) await caches.delete(name);
}
if (user && window.caches) forgetOthers().catch(() => {});

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
  link.textContent = old ? translated("Open the item, and choose again.") : translated("Open the item, and it is sent.");
  if (old) say(translated("This browser kept a choice of yours from before the site was renewed, and it cannot be sent.") + " ");
  else say(translated("An answer you gave without a network is still only in this browser.") + " ");
  alert.append(link);
}

// What is taller than the window begins where it can be read, not behind what stays in sight above it.
function takeFocus(within) {
  const one = within.querySelector("[data-takes-focus]");
  one?.focus();
  if (one?.offsetHeight > innerHeight / 2) one.scrollIntoView({ block: "start", behavior: "instant" });
}

localTimes(document);
takeFocus(document);

document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (!main.contains(target) || !target.matches("form")) return;
  main.setAttribute("aria-busy", "true");
  alert.hidden = true; // What was said of the last try may not be true of this one.
});
document.addEventListener("htmx:afterRequest", () => main.removeAttribute("aria-busy"));
document.addEventListener("htmx:beforeSwap", () => { alert.hidden = true; });
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  localTimes(detail.target ?? document);
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
  403: translated("you have signed in again since this page was opened. Copy what you typed, then load the page again"),
  404: translated("this item is no longer yours. It was given back because nothing happened for long"),
  413: translated("it is too large. Shorten what you wrote"),
};
// A poll that fails lost nothing of the reader's and asks again by itself.
const sends = (detail) => detail.requestConfig?.verb !== "get";
// What keeping.js takes care of itself is no failure yet.
document.addEventListener("htmx:responseError", (event) => {
  const { detail } = event;
  if (!sends(detail) || event.defaultPrevented) return;
  const cause = CAUSES[detail.xhr.status] ?? translated("the server could not take it. Try again in a minute");
  say(translated("Not saved: {cause}. What you chose and typed is still on this page.", { cause }));
});
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, (event) => {
    if (sends(event.detail) && !event.defaultPrevented) say(translated("Not saved: the server does not answer. What you chose and typed is still on this page; submit again."));
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

const whoIsHere = async () => (await fetch(dialog.dataset.signin, { headers: JSON_ONLY, cache: "no-store" })).json();

// Forms need the new token; somebody else at this machine gets nothing of what is here.
function taken({ user: who, csrf }) {
  if (String(who) !== user) {
    (window.caches ? forget() : Promise.resolve()).finally(() => location.assign("/"));
    return false;
  }
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = csrf;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": csrf }));
  return true;
}

function refuse(text) {
  const refused = dialog.querySelector(".refused");
  Object.assign(refused, { textContent: text, hidden: false }).focus();
}

// The one who is signed in by now; null where they were told why nobody is.
async function signedIn(event) {
  const said = await whoIsHere();
  if (said.user) return said;
  if (event.submitter?.value === "elsewhere") {
    return refuse(translated("Nobody is signed in yet. Open a new sign-in link in another tab of this browser, then press the button again."));
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
  const said = await signedIn(event).catch(() => refuse(translated("The server does not answer. What you typed is kept; try again.")));
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
    const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: translated("Sign in again") });
    button.addEventListener("click", act);
    line?.append(" ", button);
  };
  dialog.renewed = async () => {
    const said = await whoIsHere().catch(() => null);
    return Boolean(said?.user) && taken(said);
  };
}
