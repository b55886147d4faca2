"use strict";
// The pages work without any of this: keys for ratings, and answers sent without a page that jumps.

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.action.startsWith(`${location.origin}/p/`)) return;
  event.preventDefault();
  send(form);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, textarea")) return;
  const scale = document.querySelector("fieldset[data-keys]:not([data-keys=''])");
  const place = scale ? scale.dataset.keys.split(" ").indexOf(event.key) : -1;
  if (place < 0) return;
  const choice = scale.querySelectorAll("input")[place];
  choice.checked = true;
  choice.focus();
});

// One click on a code selects all of it, ready to copy.
document.addEventListener("click", (event) => {
  const whole = event.target.closest("[data-whole]");
  if (whole) getSelection().selectAllChildren(whole);
});

// A private link is complete, ready to copy.
function completeLinks() {
  for (const link of document.querySelectorAll("[data-link]")) link.textContent = location.origin + link.textContent;
}

completeLinks();

async function send(form) {
  const button = form.querySelector("button");
  if (button.disabled) return;
  const trouble = form.querySelector("[role=alert]");
  const body = new URLSearchParams(new FormData(form));
  button.disabled = true;
  if (trouble) trouble.hidden = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    if (answer.status === 429 || answer.status >= 500) throw new Error(answer.statusText);
    // Who has deleted their answers has no page any more: what a reload would ask for must be the one shown.
    if (answer.redirected && new URL(answer.url).pathname !== location.pathname) {
      location.replace(answer.url);
      return;
    }
    show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // Whether or not it arrived: sending the same once more is safe.
    button.disabled = false;
    if (trouble) trouble.hidden = false;
    else form.submit();
  }
}

function show(page) {
  document.title = page.title;
  for (const part of ["header", "main", "footer"]) {
    document.querySelector(part).replaceWith(page.querySelector(part));
  }
  completeLinks();
  scrollTo(0, 0);
  const heading = document.querySelector("h1");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
