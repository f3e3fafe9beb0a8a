// For people who are not signed in, before the first paint: the look they chose in this browser.
try {
  const root = document.documentElement;
  const kept = JSON.parse(localStorage.getItem("variorum.look")) ?? {};
  for (const name of ["size", "width", "spacing", "face", "theme"]) {
    if (typeof kept[name] === "string") root.dataset[name] = kept[name];
  }
} catch {
  // A browser that keeps nothing gets the plain page.
}
