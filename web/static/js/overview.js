// Keeps the staff's numbers fresh. Pausing really stops asking, also when the tab comes back.
const box = document.querySelector("[data-overview]");
const every = 3000;
let paused = false;

const at = (object, path) => path.split(".").reduce((o, key) => (o == null ? undefined : o[key]), object);

function age(ms) {
  const units = [[86400000, "day"], [3600000, "hour"], [60000, "minute"], [1000, "second"]];
  const [size, unit] = units.find(([s]) => ms >= s) || units[3];
  return new Intl.NumberFormat(box.dataset.lang, { style: "unit", unit, unitDisplay: "short" }).format(Math.floor(ms / size));
}

function show(data) {
  for (const e of box.querySelectorAll("[data-path]")) {
    const value = at(data, e.dataset.path);
    if (typeof value !== "number") continue;
    e.textContent = Number.isInteger(value) ? value : value.toFixed(1);
    const counter = e.closest(".counter");
    if (e.dataset.path === "dead_letters") look(counter, value > 0 ? "bad" : "calm");
    if (e.dataset.path === "retry_tasks" || e.dataset.path === "effects_due") look(counter, value > 0 ? "busy" : "calm");
    if (e.dataset.path === "settlement.lag_ms") look(counter, value > 5000 ? "busy" : "calm");
  }
  for (const e of box.querySelectorAll("[data-age]")) {
    const ms = e.dataset.age && at(data, e.dataset.age);
    if (typeof ms === "number") e.textContent = ms > 0 ? box.dataset.oldest.replace("{age}", age(ms)) : "";
  }
  for (const e of box.querySelectorAll("[data-store]")) {
    const state = e.dataset.store && at(data, e.dataset.store);
    const word = { up: box.dataset.wordUp, slow: box.dataset.wordSlow, down: box.dataset.wordDown }[state];
    if (!word) continue;
    e.textContent = word;
    look(e, { up: "ok", slow: "busy", down: "bad" }[state]);
  }
}

function look(element, name) {
  element.classList.remove("look-ok", "look-busy", "look-bad", "look-calm");
  element.classList.add("look-" + name);
}

async function refresh() {
  if (!paused && !document.hidden) {
    const status = box.querySelector("[data-status]");
    try {
      const answer = await fetch(box.dataset.overview, { headers: { Accept: "application/json" }, cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      show(await answer.json());
      status.textContent = box.dataset.updated.replace("{time}", new Date().toLocaleTimeString(box.dataset.lang, { hour12: false }));
    } catch {
      status.textContent = box.dataset.failed;
    }
  }
  setTimeout(refresh, every);
}

if (box) {
  const button = box.querySelector("[data-pause]");
  button.hidden = false;
  button.addEventListener("click", () => {
    paused = !paused;
    button.setAttribute("aria-pressed", String(paused));
    button.textContent = paused ? button.dataset.textResume : button.dataset.textPause;
  });
  setTimeout(refresh, every);
}
