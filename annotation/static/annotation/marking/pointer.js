// Drawing over the words. Mouse and pen mark at once; a finger that goes up or down scrolls, one that goes along
// the line or rests marks. Handles move one border. While one draws nothing is kept: `acts.preview` shows it,
// `acts.settle` keeps it, and Esc goes back to what was.
import { boxesOf, edge } from "./drawing.js";
import { drawn, moved, rests } from "./marks.js";

const MOUSE_PX = 5, FINGER_PX = 8, HANDLE_PX = 3; // What moves less stands still.
const LONG_PRESS_MS = 380;
const EDGE_PX = 28, ROLL_PX = 12, ROLL_MS = 24; // Near the edge of what one sees the page rolls on.
const BESIDE_PX = 24; // A click farther from every word means none.

let drag = null; // The one pointer that is down on a passage.
let rows = null; // Lines of boxes of words, measured once a drag.

function measured(it) {
  const found = [], boxes = new Map();
  for (const n of it.tokens.keys()) {
    boxes.set(n, boxesOf(it, n));
    if (!rests(it.text, n)) continue;
    for (const { left, right, top, bottom } of boxes.get(n)) {
      const middle = (top + bottom) / 2, half = (bottom - top) / 2;
      if (!found.length || Math.abs(found.at(-1).middle - middle) > half) found.push({ middle, half, boxes: [] });
      found.at(-1).boxes.push({ n, left, right });
    }
  }
  return { found, boxes };
}

// The nearest word, on the nearest line: a pointer in the margin or between two lines means one as well.
function wordAt(it, x, y) {
  const origin = it.passage.getBoundingClientRect();
  const [px, py] = [x - origin.left, y - origin.top];
  const nearest = (list, far) => list.reduce((best, one) => (far(one) < far(best) ? one : best));
  const row = nearest(rows ?? measured(it).found, (one) => Math.abs(one.middle - py));
  const off = (box) => Math.max(box.left - px, px - box.right, 0);
  const box = nearest(row.boxes, off);
  return { n: box.n, beside: off(box) <= BESIDE_PX && Math.abs(row.middle - py) <= row.half + BESIDE_PX };
}

// The token that a click means, undefined for none; the click that ends a drag means none either.
export function clicked(it, { target, clientX, clientY, detail }) {
  if (it.drew) return undefined;
  const token = target.closest("[data-token]");
  if (token) return token.dataset.token - 1;
  const { n, beside } = wordAt(it, clientX, clientY);
  return detail && beside ? n : undefined;
}

function start(handle = null) {
  const { it, id } = drag;
  clearTimeout(drag.timer);
  Object.assign(drag, { handle, active: true, before: it.state, sight: sight() });
  const { found, boxes } = measured(it);
  [rows, it.boxes] = [found, boxes];
  document.documentElement.dataset.drawing = "";
  it.handles[handle?.end ? 1 : 0].toggleAttribute("data-moving", Boolean(handle));
  if (it.passage.isConnected && id !== undefined) it.passage.setPointerCapture(id);
}

function follow(x, y) {
  const { it, handle, before, from } = drag;
  [drag.x, drag.y] = [x, y];
  const { n } = wordAt(it, x + (handle?.dx ?? 0), y + (handle?.dy ?? 0));
  const state = handle ? moved(it.text, before, handle.end, n, handle.end ? -1 : 1) : drawn(it.text, before, from, n);
  drag.acts.preview(it, state);
}

function finish(keep) {
  const { it, acts, active, before, timer, rolling } = drag;
  clearTimeout(timer);
  clearInterval(rolling);
  [drag, rows, it.boxes] = [null, null, null];
  if (!active) return;
  it.drew = true;
  delete document.documentElement.dataset.drawing;
  for (const handle of it.handles) handle.removeAttribute("data-moving");
  acts.settle(it, before, keep ? it.state : before);
}

// Whether something was being drawn: then it is gone.
export function cancelled() {
  if (!drag?.active) return false;
  finish(false);
  return true;
}

function down(it, acts, event) {
  const { clientX: x, clientY: y, pointerId: id, pointerType: kind, target } = event;
  if (drag && !event.isPrimary) return finish(false); // Two fingers mean something else.
  it.drew = false;
  if (!event.isPrimary || event.button !== 0 || it.field.disabled || !("marking" in it.passage.dataset)) return undefined;
  drag = { it, acts, id, kind, downX: x, downY: y, from: wordAt(it, x, y).n };
  const handle = target.closest("[data-handle]");
  if (handle) {
    // It keeps the distance at which it was taken, so that the word stays in sight above the finger.
    const end = handle === it.handles[1], { side, x: at, top, bottom } = edge(it, end);
    const origin = it.passage.getBoundingClientRect();
    drag.taken = { end, dx: origin.left + at + (side === "left" ? 1 : -1) - x, dy: origin.top + (top + bottom) / 2 - y };
  } else if (kind === "touch") {
    drag.timer = setTimeout(() => {
      start();
      navigator.vibrate?.(8);
      follow(x, y);
    }, LONG_PRESS_MS);
  }
  return undefined;
}

function begins(x, y) {
  const [along, across] = [Math.abs(x - drag.downX), Math.abs(y - drag.downY)];
  if (drag.taken) return along + across >= HANDLE_PX;
  if (drag.kind !== "touch") return along + across >= MOUSE_PX || wordAt(drag.it, x, y).n !== drag.from;
  if (along < FINGER_PX && across < FINGER_PX) return false;
  if (along > 1.5 * across) return true;
  finish(false); // It scrolls.
  return false;
}

document.addEventListener("pointermove", ({ pointerId, clientX: x, clientY: y }) => {
  if (drag?.id !== pointerId) return;
  if (!drag.active && begins(x, y)) start(drag.taken);
  if (!drag?.active) return;
  follow(x, y);
  roll();
});
document.addEventListener("pointerup", ({ pointerId }) => { if (drag?.id === pointerId) finish(true); });
// What the system takes from a finger that was marking was marked.
document.addEventListener("pointercancel", ({ pointerId }) => { if (drag?.id === pointerId) finish(drag.kind === "touch"); });

function roll() {
  clearInterval(drag.rolling);
  const [top, bottom] = drag.sight;
  const way = drag.y < top + EDGE_PX ? -1 : drag.y > bottom - EDGE_PX ? 1 : 0;
  if (!way) return;
  drag.rolling = setInterval(() => {
    const was = scrollY;
    scrollBy({ top: way * ROLL_PX, behavior: "instant" });
    if (scrollY !== was) follow(drag.x, drag.y);
  }, ROLL_MS);
}

// Between what stays at the head of the window and what stays at its foot: the page says so by its scroll padding.
// Asked once a drag, since the whole page is styled anew for it.
function sight() {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  return [parseFloat(scrollPaddingTop) || 0, innerHeight - (parseFloat(scrollPaddingBottom) || 0)];
}

// Let an item's passage be drawn upon.
export function drawable(it, acts) {
  const { passage } = it;
  passage.addEventListener("pointerdown", (event) => down(it, acts, event));
  // A finger that marks must not scroll as well, nor open what a long press opens.
  passage.addEventListener("touchmove", (event) => { if ((drag?.active || drag?.taken) && event.cancelable) event.preventDefault(); }, { passive: false });
  passage.addEventListener("contextmenu", (event) => { if (drag?.kind === "touch") event.preventDefault(); });
}
