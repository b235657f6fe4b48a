// General admission: stepper, total and the live number of free places.
import { moneyFormat, once } from "./money.js";

const form = document.querySelector("[data-quantity]");
if (form) start(form);

function start(form) {
  const input = form.querySelector("[name=quantity]");
  const money = moneyFormat(form.dataset.lang, form.dataset.currency);
  const total = form.querySelector("[data-total]");
  const clamp = (n) => Math.max(Number(input.min), Math.min(Number(input.max), n || 1));
  const draw = () => {
    const n = clamp(Number(input.value));
    total.textContent = money(n * Number(form.dataset.minor));
    for (const b of form.querySelectorAll("[data-step]")) b.disabled = clamp(n + Number(b.dataset.step)) === n;
  };
  for (const button of form.querySelectorAll("[data-step]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      input.value = clamp(Number(input.value) + Number(button.dataset.step));
      draw();
    });
  }
  input.addEventListener("input", draw);
  draw();
  once(form, form.dataset.textSending);

  const free = document.querySelector("[data-free-count]");
  const refresh = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(form.dataset.seats, { headers: { Accept: "application/json" } });
      if (answer.ok) free.textContent = (await answer.json()).free.toLocaleString(form.dataset.lang);
    } catch {
      // the number stays as it was; the server decides anyway
    }
  };
  setInterval(refresh, 2500);
}
