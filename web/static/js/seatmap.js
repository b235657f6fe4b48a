// The choice of seats, made live. The page works without this file; here it gets totals, the list of chosen
// seats, changes made by others, arrow keys and zoom.
import { moneyFormat, once } from "./money.js";
import { followSeats } from "./seatstream.js";
import { zoomable } from "./zoom.js";
import { roving } from "./roving.js";

const form = document.querySelector("[data-seatform]");
if (form) start(form);

function start(form) {
  const text = form.dataset;
  const room = form.querySelector("[data-room]");
  const money = moneyFormat(text.lang, text.currency);
  const words = room.dataset;
  const max = Number(text.max) || Infinity;
  const prices = new Map();
  for (const item of form.querySelectorAll("[data-tier]")) prices.set(item.dataset.tier, Number(item.dataset.minor));

  const seats = new Map(); // seat number -> {box, label, name}
  for (const box of room.querySelectorAll("input[name=seats]")) {
    const label = box.parentElement;
    const suffix = ", " + words[label.dataset.state];
    const full = box.getAttribute("aria-label");
    const name = full.endsWith(suffix) ? full.slice(0, -suffix.length) : full;
    seats.set(box.value, { box, label, name });
  }
  const chosen = () => [...seats.values()].filter((s) => s.box.checked);

  const bar = {
    count: form.querySelector("[data-count]"),
    list: form.querySelector("[data-chosen]"),
    total: form.querySelector("[data-total]"),
    go: form.querySelector("[data-go]"),
  };
  const say = (what) => { form.querySelector("[data-say]").textContent = what; };

  function shortName(seat) {
    const parts = seat.name.split(", ");
    return parts.slice(0, -2).join(", ");
  }

  let drawn = "";
  function draw() {
    const picked = chosen();
    const n = picked.length;
    bar.count.textContent = n === 0 ? text.textNone : n === 1 ? text.textOne : text.textMany.replace("{n}", n);
    bar.total.textContent = n ? money(picked.reduce((sum, s) => sum + (prices.get(s.label.dataset.t) || 0), 0)) : "";
    bar.go.disabled = n === 0;
    bar.list.hidden = n === 0;
    const now = picked.map((s) => s.box.value).join();
    if (now === drawn) return; // what did not change keeps its focus
    drawn = now;
    bar.list.replaceChildren(...picked.map((seat) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = shortName(seat);
      button.setAttribute("aria-label", text.textRemove.replace("{seat}", shortName(seat)));
      button.addEventListener("click", () => {
        seat.box.checked = false;
        seat.box.focus();
        draw();
      });
      item.append(button);
      return item;
    }));
  }

  room.addEventListener("change", (event) => {
    if (event.target.hasAttribute("aria-disabled")) {
      event.target.checked = false;
      return;
    }
    if (event.target.checked && chosen().length > max) {
      event.target.checked = false;
      say(text.textMax);
      bar.count.textContent = text.textMax;
      return;
    }
    draw();
  });

  function patch(no, state) {
    const seat = seats.get(no);
    if (!seat || seat.label.dataset.state === state) return;
    const lost = seat.box.checked && state !== "free";
    seat.label.dataset.state = state;
    seat.label.classList.remove("flash");
    void seat.label.offsetWidth; // restarts the animation
    seat.label.classList.add("flash");
    close(seat.box, state !== "free");
    seat.box.setAttribute("aria-label", seat.name + ", " + (words[state] || words.blocked));
    if (!lost) return;
    seat.box.checked = false;
    if (state === "mine") return; // taken in another tab
    const note = form.querySelector("[data-lost]");
    note.textContent = text.textLost.replace("{seat}", shortName(seat));
    note.hidden = false;
    say(note.textContent);
  }

  // close takes a seat out of the choice. The browser drops the focus of a control that gets disabled, so the one
  // that has it is only marked until the focus moves on.
  function close(box, closed) {
    box.removeAttribute("aria-disabled");
    if (!closed || box !== document.activeElement) {
      box.disabled = closed;
      return;
    }
    box.setAttribute("aria-disabled", "true");
    box.addEventListener("blur", () => { box.disabled = box.hasAttribute("aria-disabled"); }, { once: true });
  }

  const free = form.querySelector("[data-free-line]");
  const countFree = () => {
    let n = 0;
    for (const seat of seats.values()) if (seat.label.dataset.state === "free") n++;
    free.textContent = text.textFree.replace("{n}", n);
  };
  const mark = form.querySelector("[data-stream]");

  if (bar.go) {
    draw();
    once(form, text.textSending);
    followSeats({
      eventsURL: text.events,
      seatsURL: text.seats,
      version: Number(text.version) || 0,
      onSeats(list) {
        for (const { no, state } of list) patch(no, state);
        countFree();
        draw();
      },
      onConnected(up) { mark.hidden = up; },
    });
  }
  for (const other of document.querySelectorAll("form[data-once]")) once(other);
  zoomable(form.querySelector("[data-map]"));
  roving(room, "input[name=seats]");
}
