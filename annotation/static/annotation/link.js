// The code of a link stands behind its "#", which no browser sends. It is taken out of the address before
// anything is shown, and sent by POST. Without scripts it is pasted into the field.
const CODE = /^#.{12,}$/; // No id on such a page is as long; a code that was cut off may be short.
let pressed = false;

function take() {
  const { hash, search } = location; // A recruiting service writes its id before the "#" or behind the code.
  if (!CODE.test(hash)) return;
  history.replaceState(null, "", location.pathname);
  document.documentElement.dataset.link = "";
  const send = () => {
    const form = document.querySelector("form[data-link]");
    if (!form) {
      // The page is shown again.
      delete document.documentElement.dataset.link;
      return;
    }
    form.elements.token.value = `${hash.slice(1)}${search}`;
    form.submit();
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", send);
  else send();
}

take();
addEventListener("hashchange", take); // Another link, pasted over this one.
// A double click sends one press.
addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (pressed) event.preventDefault();
  pressed = true;
});
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  pressed = false;
  delete document.documentElement.dataset.link;
});
