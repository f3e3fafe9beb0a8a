// Readers' pages without a network: files of the site, the page on which a study begins, and items taken along.
// Nothing else is kept or answered from here; queue.js registers this and puts items in, signing out ends it.
const { searchParams } = new URL(self.location);
const OWNER = searchParams.get("user");
const CACHE = `variorum.${searchParams.get("version")}.${OWNER}`;
const NOBODY = "variorum.~"; // There while it is not known who is signed in (early.js, page.js).
const WAIT_MS = 3000;
const HASHED = /\.[0-9a-f]{12}\.\w+$/; // Such a file never changes.
const ITEM = /^\/work\/\d+\/$/;
const BEGIN = /^\/studies\/[^/]+\/begin\/$/;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(begin()));

async function begin() {
  const others = (await caches.keys()).filter((name) => name.startsWith("variorum.") && name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (pathname.startsWith("/static/")) event.respondWith(file(request, HASHED.test(pathname)));
  else if (request.mode === "navigate" && (ITEM.test(pathname) || BEGIN.test(pathname))) event.respondWith(page(request, pathname));
});

async function file(request, forEver) {
  const cache = await caches.open(CACHE);
  const stored = await cache.match(request.url);
  if (stored && forEver) return stored;
  try {
    const reply = await fetch(request);
    if (reply.ok) await cache.put(request.url, reply.clone());
    return reply;
  } catch (error) {
    if (stored) return stored;
    throw error;
  }
}

// The network first. What the server says of a page that is kept replaces it; an item comes in by being taken along.
async function page(request, pathname) {
  const cache = await caches.open(CACHE);
  const stored = (await caches.has(NOBODY)) ? undefined : await cache.match(pathname);
  const late = new Promise((_, fail) => { if (stored) setTimeout(fail, WAIT_MS); });
  try {
    const reply = await Promise.race([fetch(request), late]);
    if (stored && reply.status >= 500) return stored;
    if (reply.ok && (stored || BEGIN.test(pathname)) && (await isOwn(reply))) await cache.put(pathname, reply.clone());
    return reply;
  } catch (error) {
    if (stored) return stored;
    throw error;
  }
}

// Somebody else may have signed in since this worker came.
const isOwn = async (reply) => (await reply.clone().text()).includes(`data-user="${OWNER}"`);
