// The researcher's pages: a short name suggested from the title, and links that are easily copied.
const title = document.getElementById("id_title");
const slug = document.getElementById("id_slug");

function suggested(text) {
  const plain = text.normalize("NFKD").replace(/[^\w\s-]/g, "").toLowerCase();
  return plain.trim().replace(/[-\s]+/g, "-").slice(0, 74).replace(/^[-_]+|[-_]+$/g, "");
}
if (title && slug) {
  let own = slug.value !== "";
  slug.addEventListener("input", () => { own = slug.value !== ""; });
  title.addEventListener("input", () => { if (!own) slug.value = suggested(title.value); });
}

const status = document.getElementById("status");
for (const field of document.querySelectorAll("[data-copied]")) {
  field.addEventListener("focus", () => field.select());
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
      button.firstChild.textContent = "Copied";
      status.textContent = "Copied.";
    } catch {
      field.focus();
      status.textContent = "Press Ctrl+C to copy what is selected.";
    }
  });
}
