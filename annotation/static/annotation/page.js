// What every page shares: how the text looks, local times, where the focus goes, and "not saved".
const root = document.documentElement;
const key = `variorum.reader.${root.dataset.user}`;

function kept() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept(), [name]: value }));
  } catch {
    // Private windows may refuse: the choice then lasts as long as the page.
  }
}

for (const reader of document.querySelectorAll("[data-reader]")) {
  for (const control of reader.querySelectorAll("input")) {
    const value = kept()[control.name];
    if (value !== undefined) control.checked = control.value === value;
  }
  reader.addEventListener("change", ({ target }) => {
    const value = target.checked ? target.value : "off";
    root.dataset[target.name] = value;
    keep(target.name, value);
  });
  reader.addEventListener("submit", (event) => event.preventDefault());
}

// One panel at a time, and none that stays open behind the reader's back.
const tools = () => document.querySelectorAll("details.tool[open]");
document.addEventListener("click", ({ target }) => {
  for (const tool of tools()) if (!tool.contains(target)) tool.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const tool of tools()) {
    const held = tool.contains(document.activeElement);
    tool.open = false;
    if (held) tool.querySelector("summary").focus();
  }
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

// What waits in this tab for its writer must not meet the next user of the machine.
const waiting = sessionStorage.getItem("variorum.waiting");
if (waiting && root.dataset.user && JSON.parse(waiting).user !== root.dataset.user) {
  sessionStorage.removeItem("variorum.waiting");
}

localTimes(document);
document.querySelector("[data-takes-focus]")?.focus();

const main = document.getElementById("main");
document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (main.contains(target) && target.matches("form")) main.setAttribute("aria-busy", "true");
});
document.addEventListener("htmx:afterRequest", () => main.removeAttribute("aria-busy"));
document.addEventListener("htmx:beforeSwap", () => { alert.hidden = true; });
document.addEventListener("htmx:afterSwap", ({ detail }) => localTimes(detail.target ?? document));
document.addEventListener("htmx:load", ({ detail }) => localTimes(detail.elt));

const CAUSES = {
  403: "this page is too old to be trusted. Copy what you typed, then load the page again",
  404: "this item is no longer yours. It was given back because nothing happened for long",
  413: "it is too long",
};
// A poll that fails lost nothing of the reader's and asks again by itself.
const sends = (detail) => detail.requestConfig?.verb !== "get";
document.addEventListener("htmx:responseError", ({ detail }) => {
  if (!sends(detail)) return;
  const cause = CAUSES[detail.xhr.status] ?? "the server could not take it. Try again in a minute";
  say(`Not saved: ${cause}. What you chose and typed is still on this page.`);
});
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, ({ detail }) => {
    if (sends(detail)) say("Not saved: the server does not answer. What you chose and typed is still on this page; submit again.");
  });
}
