// One tab stop for the whole room; arrow keys go to the nearest seat in that direction, by where seats stand and
// not by their numbers. Home and End go to the ends of the row.
export function roving(room, selector) {
  const all = () => [...room.querySelectorAll(selector)].filter((e) => !e.disabled);
  let current = all().find((e) => e.checked) || all()[0];
  for (const e of room.querySelectorAll(selector)) e.tabIndex = -1;
  if (current) current.tabIndex = 0;

  function move(to) {
    if (current) current.tabIndex = -1;
    current = to;
    current.tabIndex = 0;
  }
  room.addEventListener("focusin", (event) => {
    if (event.target.matches(selector)) move(event.target);
  });
  // The tab stop must not stay on a seat that somebody took.
  new MutationObserver(() => {
    if (current && current.disabled && document.activeElement !== current) {
      const next = all()[0];
      if (next) move(next);
    }
  }).observe(room, { subtree: true, attributeFilter: ["disabled"] });

  const middle = (e) => {
    const r = e.getBoundingClientRect();
    return { x: r.left + r.width / 2, y: r.top + r.height / 2, size: r.height };
  };
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  room.addEventListener("keydown", (event) => {
    if (!event.target.matches(selector)) return;
    const here = middle(event.target);
    let best = null;
    if (event.key === "Home" || event.key === "End") {
      const row = [...event.target.closest(".row").querySelectorAll(selector)].filter((e) => !e.disabled);
      best = event.key === "Home" ? row[0] : row[row.length - 1];
    } else if (ways[event.key]) {
      const [dx, dy] = ways[event.key];
      let least = Infinity;
      for (const e of all()) {
        if (e === event.target) continue;
        const there = middle(e);
        const along = (there.x - here.x) * dx + (there.y - here.y) * dy;
        const across = Math.abs((there.x - here.x) * dy) + Math.abs((there.y - here.y) * dx);
        if (along < here.size * 0.3) continue;
        const cost = along + across * 2.5;
        if (cost < least) { least = cost; best = e; }
      }
    } else {
      return;
    }
    event.preventDefault();
    if (best) {
      best.focus({ preventScroll: true });
      best.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  });
}
