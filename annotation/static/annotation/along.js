// Items are taken along, to be read without a network: leased, and their pages stored where the service worker
// (worker.js) finds them. queue.js fetches this when its button is pressed.
// The page, and every file that it names, and that these name.
const NAMED = /(?:src|href|data-[a-z]+)="(\/static\/[^"]+)"|from "(\.\/[^"]+)"|url\("?([^")]+)"?\)/g;
async function store(cache, address, deeper = 2) {
  if (deeper < 2 && (await cache.match(address))) return;
  const reply = await fetch(address, { redirect: "manual" });
  if (!reply.ok) throw Object.assign(new Error(address), { refused: reply.type === "opaqueredirect" || (reply.status > 399 && reply.status < 500) });
  await cache.put(address, reply.clone());
  if (!deeper || !/html|css|javascript/.test(reply.headers.get("Content-Type"))) return;
  for (const found of (await reply.text()).matchAll(NAMED)) {
    const named = new URL(found[1] ?? found[2] ?? found[3], new URL(address, location));
    if (named.pathname.startsWith("/static/")) await store(cache, named.pathname, deeper - 1).catch((error) => { if (!error.refused) throw error; });
  }
}

const { translated } = document.getElementById("main"); // (page.js)
const nothing = () => translated("There is nothing that could be taken along.");

// Lease items, or give back those that were not begun; `offer` says how far it is, `remember` keeps what is here.
export async function take({ form, givingBack, cacheName, post, offer, remember }) {
  const reply = await post(form.getAttribute("action"), givingBack ? { give_back: 1 } : {}).catch(() => null);
  if (!reply?.ok) return offer(translated("The server does not answer. Try again in a minute."));
  const { now, ...found } = await reply.json();
  // By the clock of this machine, which is asked later, and may be hours off the server's.
  // A server of the version before says no time.
  const ahead = now ? Date.now() - Date.parse(now) : 0;
  found.until = new Date(Date.parse(found.until) + ahead).toISOString();
  const cache = await caches.open(cacheName);
  const gone = ({ url }) => /\/work\/\d+\/$/.test(url) && (givingBack || !found.places.includes(new URL(url).pathname));
  for (const one of (await cache.keys()).filter(gone)) await cache.delete(one);
  if (givingBack || !found.places.length) {
    remember(null);
    return offer(givingBack ? translated("Given back.") : nothing());
  }
  // The page on which one begins: a browser may be closed in between. Without it the items can still be read.
  await store(cache, form.getAttribute("action").replace(/along\/$/, "begin/")).catch(() => {});
  const here = [];
  for (const [n, path] of found.places.entries()) {
    offer(translated("Taking along: {n} of {total} …", { n: n + 1, total: found.places.length }));
    try {
      await store(cache, path);
      here.push(path);
    } catch ({ refused }) {
      // An item that is no longer the reader's, or waits behind another page, keeps the others from nobody.
      if (refused) continue;
      remember({ ...found, places: here, part: true });
      return offer(translated("They could not all be fetched. Press again: what is here stays."));
    }
  }
  remember({ ...found, places: here });
  return here.length || offer(nothing());
}
