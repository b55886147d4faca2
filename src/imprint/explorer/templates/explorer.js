"use strict";
// Without this the buttons measure. With it every change does, and the texts of commands can be copied.

const REST = 250; // milliseconds without a key before a question is asked
const LONGEST_LINK = 16000; // characters of an address that browsers and servers take

const form = document.querySelector("form[data-live]");
const result = document.getElementById("result");
let resting;
let asking = false;
let answered; // the question whose answer is shown

if (form) {
  form.addEventListener("input", () => {
    clearTimeout(resting);
    resting = setTimeout(ask, REST);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(resting);
    answered = undefined;
    ask();
  });
  form.querySelectorAll("textarea").forEach(forgetName);
  offerCopies();
  // Where the answer is out of sight, as below the words on a phone, what has changed is shown at the foot of the window.
  const said = document.getElementById("said");
  const toggle = ([entry]) => said.classList.toggle("unseen", entry.isIntersecting);
  new IntersectionObserver(toggle, { rootMargin: "0px 0px -30%" }).observe(result);
}

// A set of other words than those that came with a name is not called so any longer.
function forgetName(box) {
  const name = document.getElementsByName(`${box.name}_name`)[0];
  if (!name) return; // words along an axis have none
  const words = () => box.value.split(/[,;\n]/).map((word) => word.trim());
  const first = new Set(words());
  box.addEventListener("input", () => {
    if (name.value === name.defaultValue && !words().some((word) => word && first.has(word))) name.value = "";
  });
}

function question() {
  return new URLSearchParams(new FormData(form)).toString();
}

// One question is on its way at a time. An answer that comes when the words have changed is stale: it is dropped, and
// the words that stand there now are asked about.
async function ask() {
  if (asking || question() === answered) return;
  asking = true;
  result.setAttribute("aria-busy", "true");
  let asked, answer;
  do {
    asked = question();
    answer = await fetchAnswer(asked);
  } while (asked !== question());
  show(answer);
  const path = form.getAttribute("action");
  const link = document.getElementById("link")?.getAttribute("href") ?? `${path}?${asked}`;
  history.replaceState(null, "", link.length < LONGEST_LINK ? link : path);
  result.removeAttribute("aria-busy");
  answered = asked;
  asking = false;
}

async function fetchAnswer(asked) {
  try {
    const response = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(asked) });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.getElementById("result");
    return found ? [...found.childNodes] : refusal(page.querySelector("main p")?.textContent);
  } catch {
    return refusal();
  }
}

function refusal(message = "The server does not answer. Is imprint serve still running?") {
  const line = document.createElement("p");
  line.className = "error";
  line.dataset.said = "";
  line.textContent = message;
  const title = document.getElementById("result-title").cloneNode(true);
  return [title, line];
}

function show(nodes) {
  const opened = new Set([...result.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
  result.replaceChildren(...nodes);
  for (const summary of result.querySelectorAll("details > summary")) {
    if (opened.has(summary.textContent)) summary.parentElement.open = true;
  }
  document.getElementById("said").textContent = result.querySelector("[data-said]")?.textContent.trim() ?? "";
  offerCopies();
}

function offerCopies() {
  if (!navigator.clipboard) return; // browsers keep it from pages that came over a network in the clear
  for (const recipe of result.querySelectorAll(".recipe")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy: ${recipe.querySelector("figcaption").textContent}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(recipe.querySelector("code").textContent);
      button.textContent = "Copied";
      document.getElementById("said").textContent = "Copied.";
    });
    recipe.append(button);
  }
}
