// What stands before and behind a document is fetched when it is opened, which the server stores. Who opened it by a
// key goes back to where they were when it closes.
const { translated } = document.getElementById("main"); // (page.js)

async function load(details) {
  const form = document.querySelector("form[data-neighbours]");
  const headers = { "HX-Request": "true", ...JSON.parse(document.body.getAttribute("hx-headers")) };
  const body = new URLSearchParams({ side: details.dataset.side });
  const reply = await fetch(form.action, { method: "POST", headers, body, redirect: "error" }).catch(() => null);
  const text = reply?.ok ? await reply.text().catch(() => "") : "";
  const into = details.querySelector(".neighbour-text");
  if (text) [into.innerHTML, details.dataset.loaded] = [text, ""];
  else into.textContent = translated("It could not be fetched. Close it, and open it again.");
  if (details.open) into.focus();
}

document.addEventListener("toggle", ({ target: details }) => {
  if (!details.matches?.(".neighbour")) return;
  if (!details.open) {
    // What has the focus in it loses it when it closes.
    const lost = document.activeElement === document.body || details.contains(document.activeElement);
    const to = details.back?.checkVisibility() ? details.back : details.querySelector("summary");
    if (lost) to.focus({ preventScroll: true });
    return;
  }
  const here = document.activeElement;
  if (!details.contains(here)) details.back = here;
  else if (!here.matches(".neighbour-text")) details.back = null;
  if ("loaded" in details.dataset) details.querySelector(".neighbour-text").focus();
  else load(details);
}, { capture: true });
