// The order's page while something is still being decided: asks for the page again and shows the new state.
import { startCountdowns } from "./countdown.js";

const find = (root) => root.querySelector("[data-order]");
let wait = 700;
let timer = 0;

async function refresh() {
  clearTimeout(timer);
  const here = find(document);
  if (!here) return;
  if (!document.hidden) {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const there = find(page);
      if (there) show(here, there, page.title);
      else if (answer.status < 500 && answer.status !== 429) location.reload();
    } catch {
      // no network for a moment: the next round asks again
    }
  }
  plan();
}

function show(here, there, title) {
  if (here.dataset.status === there.dataset.status && here.dataset.version === there.dataset.version) return;
  for (const clock of there.querySelectorAll("[data-countdown]")) clock.dataset.fresh = "1";
  here.replaceWith(document.adoptNode(there));
  document.title = title;
  document.querySelector("[data-order-say]").textContent = there.dataset.heading;
  startCountdowns(there);
  wait = 700;
}

function plan() {
  if (find(document)?.dataset.wait !== "true") return;
  wait = Math.min(wait * 1.4, 5000);
  timer = setTimeout(refresh, wait);
}

document.addEventListener("countdown-over", () => {
  // The server ends the hold a moment later; ask until it has.
  const here = find(document);
  if (!here) return;
  here.dataset.wait = "true";
  wait = 700;
  plan();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && find(document)?.dataset.wait === "true") refresh();
});
plan();
