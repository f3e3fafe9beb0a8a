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

// Words that are typed to be covered are marked in the context at once; the server looks again.
const words = document.querySelector("[data-marks-words]");
const context = document.querySelector(".passage p");
if (words && context && window.CSS?.highlights) {
  const letters = /[\p{L}\p{N}]+(?:['’][\p{L}\p{N}]+)*/gu;
  const read = (text) => [...text.matchAll(letters)].map((found) => ({ word: found[0].toLowerCase().replaceAll("’", "'"), at: found.index, end: found.index + found[0].length }));
  const nodes = document.createTreeWalker(context, NodeFilter.SHOW_TEXT);
  const parts = [];
  while (nodes.nextNode()) parts.push([nodes.currentNode, read(nodes.currentNode.data)]);
  words.addEventListener("input", () => {
    const wanted = read(words.value).map((each) => each.word);
    const ranges = [];
    for (const [node, page] of parts) {
      for (let at = 0; wanted.length && at + wanted.length <= page.length; at += 1) {
        if (!wanted.every((word, n) => page[at + n].word === word)) continue;
        const range = new Range();
        range.setStart(node, page[at].at);
        range.setEnd(node, page[at + wanted.length - 1].end);
        ranges.push(range);
      }
    }
    CSS.highlights.set("covered", new Highlight(...ranges));
  });
}
