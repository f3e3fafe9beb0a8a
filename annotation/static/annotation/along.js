// Items are taken along, to be read without a network: leased, and their pages stored where the service worker
// (worker.js) finds them. queue.js fetches this when its button is pressed.
// The page, and every file that it names, and that these name.
const NAMED = /(?:src|href)="(\/static\/[^"]+)"|from "(\.\/[^"]+)"|url\("?([^")]+)"?\)/g;
async function store(cache, address, deeper = 2) {
  if (deeper < 2 && (await cache.match(address))) return;
  const reply = await fetch(address, { redirect: "error" });
  if (!reply.ok) throw new Error(address);
  await cache.put(address, reply.clone());
  if (!deeper || !/html|css|javascript/.test(reply.headers.get("Content-Type"))) return;
  for (const found of (await reply.text()).matchAll(NAMED)) {
    const named = new URL(found[1] ?? found[2] ?? found[3], new URL(address, location));
    if (named.pathname.startsWith("/static/")) await store(cache, named.pathname, deeper - 1);
  }
}

// Lease items, or give back those that were not begun; `offer` says how far it is, `remember` keeps what is here.
export async function take({ form, givingBack, cacheName, post, offer, remember }) {
  const reply = await post(form.getAttribute("action"), givingBack ? { give_back: 1 } : {}).catch(() => null);
  if (!reply?.ok) return offer("The server does not answer. Try again in a minute.");
  const found = await reply.json();
  const cache = await caches.open(cacheName);
  for (const one of (await cache.keys()).filter(({ url }) => /\/work\/\d+\/$/.test(url))) await cache.delete(one);
  if (givingBack || !found.places.length) {
    remember(null);
    return offer(givingBack ? "Given back." : "There is nothing that could be taken along.");
  }
  try {
    for (const [n, path] of found.places.entries()) {
      offer(`Taking along: ${n + 1} of ${found.places.length} …`);
      await store(cache, path);
    }
  } catch {
    return offer("They could not all be fetched. Press again: what is here stays.");
  }
  return remember(found);
}
