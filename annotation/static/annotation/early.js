// For people who are not signed in: before the first paint the look they chose in this browser; and whoever signs in
// now may be somebody else, so that worker.js shows nothing that was taken along until page.js has seen who it is.
if (window.caches) {
  const mark = (names) => names.some((name) => name.startsWith("variorum.")) && caches.open("variorum.~");
  caches.keys().then(mark).catch(() => {});
}
try {
  const root = document.documentElement;
  const kept = JSON.parse(localStorage.getItem("variorum.look")) ?? {};
  for (const name of ["size", "width", "spacing", "face", "theme"]) {
    if (typeof kept[name] === "string") root.dataset[name] = kept[name];
  }
} catch {
  // A browser that keeps nothing gets the plain page.
}
