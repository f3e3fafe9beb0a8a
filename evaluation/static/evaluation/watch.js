// The live page: what has not changed is left alone, and whoever stands on a link or a table stays there.
const live = document.querySelector("[data-live]");
let state = null;
let place = null;

// A table's region is named by its heading, a link by where it leads.
function mark() {
  const held = live.contains(document.activeElement) ? document.activeElement : null;
  if (!held) return null;
  const label = held.getAttribute("aria-labelledby");
  return label ? `[aria-labelledby="${CSS.escape(label)}"]` : `a[href="${CSS.escape(held.getAttribute("href") ?? "")}"]`;
}

live.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const now = detail.xhr.getResponseHeader("ETag");
  if (now && now === state) detail.shouldSwap = false;
  state = now;
  place = mark();
});
live.addEventListener("htmx:afterSwap", () => {
  if (place) live.querySelector(place)?.focus({ preventScroll: true });
});
