// A calm countdown by the server's clock. Minutes in words, seconds only in the last two minutes; people who
// listen hear it at five and at two minutes and at the end.
import { once } from "./money.js";

export function startCountdowns(root = document) {
  for (const element of root.querySelectorAll("[data-countdown]")) {
    if (!element.dataset.started) startOne(element);
  }
}

// serverOffset is how far the visitor's clock is behind the server's. The page was made when its first byte came.
function serverOffset(serverNow, fresh) {
  const entry = performance.getEntriesByType("navigation")[0];
  const made = fresh || !entry ? Date.now() : performance.timeOrigin + entry.responseStart;
  return serverNow - made;
}

function startOne(element) {
  const d = element.dataset;
  d.started = "1";
  const offset = serverOffset(Number(d.now), d.fresh === "1");
  const until = Number(d.until);
  const left = element.querySelector("[data-left]");
  const announce = element.querySelector("[data-announce]");
  const marks = new Set();

  function tick() {
    if (!element.isConnected) return;
    const seconds = Math.ceil((until - offset - Date.now()) / 1000);
    if (seconds <= 0) {
      left.textContent = d.over;
      announce.textContent = d.over;
      element.dispatchEvent(new CustomEvent("countdown-over", { bubbles: true }));
      if (d.then) setTimeout(() => location.assign(d.then), 2500);
      return;
    }
    const minutes = Math.ceil(seconds / 60);
    const words = minutes === 1 ? d.one : d.many.replace("{n}", minutes);
    element.classList.toggle("clock-soon", seconds <= 120);
    left.textContent = seconds <= 120
      ? d.seconds.replace("{m}", Math.floor(seconds / 60)).replace("{s}", String(seconds % 60).padStart(2, "0"))
      : words;
    for (const mark of [5, 2]) {
      if (minutes === mark && !marks.has(mark)) {
        marks.add(mark);
        announce.textContent = words;
      }
    }
    setTimeout(tick, 1000 - ((Date.now() + offset) % 1000));
  }
  tick();
}

startCountdowns();
for (const form of document.querySelectorAll("form[data-once]")) {
  once(form, form.querySelector("[data-sending]")?.dataset.sending);
}
