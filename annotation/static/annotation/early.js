// Runs before the first paint, so that a dark page never flashes white.
{
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const kept = JSON.parse(localStorage.getItem(`variorum.reader.${root.dataset.user}`)) ?? {};
    for (const name of ["size", "spacing", "face", "theme", "keys"]) {
      if (typeof kept[name] === "string") root.dataset[name] = kept[name];
    }
  } catch {
    // A browser that keeps nothing gets the plain page.
  }
}
