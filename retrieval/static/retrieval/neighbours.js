// [ and ] open the document before and after, as on the pages that readers judge on.
const WAYS = { "[": "prev", "]": "next" };
document.addEventListener("keydown", (event) => {
  if (document.documentElement.dataset.keys === "off" || event.repeat || event.isComposing) return;
  // On some keyboards the brackets need AltGr, which a browser may report as Ctrl and Alt.
  const graph = event.getModifierState("AltGraph");
  if (event.metaKey || (!graph && (event.ctrlKey || event.altKey))) return;
  if (event.target.closest("input, select, textarea, dialog, [contenteditable]")) return;
  document.querySelector(`a[rel="${WAYS[event.key]}"][aria-keyshortcuts]`)?.click();
});
