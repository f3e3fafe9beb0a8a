// Several spans: one place at a time is being marked. The answer stands in one field as people write it,
// "3-7, 12-15", and a list shows the places.
import { said } from "./marking/drawing.js";
import { follow } from "./marking/passage.js";
import { current, without } from "./marking/marks.js";

const { translated, counted } = document.getElementById("main"); // (page.js)

const typed = (field) => field.querySelector("[data-typed]");

// In order; what reads like no span, or overlaps the one before, is left out.
function read(field, { n }) {
  const found = [...typed(field).value.matchAll(/(\d+)(?:\s*[-–—]\s*(\d+))?/g)];
  const all = found.map(([, first, last]) => [first - 1, (last ?? first) - 1]);
  const inside = all.filter(([start, end]) => start >= 0 && start <= end && end < n);
  const apart = [];
  for (const span of inside.sort((a, b) => a[0] - b[0])) if (!(span[0] <= apart.at(-1)?.[1])) apart.push(span);
  return apart;
}

function row(it, span, n) {
  const [number, quote] = said(it, span);
  const now = n === it.state.at;
  const here = button(now ? "place now" : "place", quote);
  const remove = button("link", translated("Remove"));
  here.setAttribute("aria-pressed", now);
  here.title = number.replace(":", "");
  here.addEventListener("click", () => chosen(it, { ...it.state, at: n }));
  remove.setAttribute("aria-label", translated("Remove {words}", { words: quote.textContent }));
  remove.addEventListener("click", () => chosen(it, without(it.state, n)));
  if (now) remove.dataset.key = it.field.dataset.removeKey;
  const line = document.createElement("li");
  line.append(here, " ", remove);
  return line;
}

function chosen(it, state) {
  it.keep(it, state);
  it.field.focus({ preventScroll: true });
}

function button(name, inside) {
  const made = document.createElement("button");
  [made.type, made.className] = ["button", name];
  made.append(inside);
  return made;
}

follow("spans", {
  rules: (field) => ({ most: Number(field.dataset.most || 100), held: null }),
  read,
  write(field, spans) {
    typed(field).value = spans.map(([start, end]) => `${start + 1}-${end + 1}`).join(", ");
  },
  drawn(it) {
    it.field.querySelector("[data-places]").replaceChildren(...it.state.spans.map((span, n) => row(it, span, n)));
    it.another.hidden = !current(it.state);
  },
  // "2 places. 7 words: sed dilectio … scientiae"
  said(it) {
    const { spans } = it.state, span = current(it.state);
    if (!spans.length) return [translated("Nothing marked."), ` ${translated("Draw over the words.")}`];
    const places = counted(spans.length, "{n} place.", "{n} places.");
    if (!span) return [places, ` ${translated("Draw over the words of another, or submit.")}`];
    const [number, quote] = said(it, span);
    return [`${places} ${number}`, " ", quote];
  },
});
