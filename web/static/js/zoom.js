// Zoom of the room: buttons, a fit button, Ctrl+wheel and two fingers. On touch, a tap on a seat too small to hit
// brings it closer instead of guessing which one was meant.
const smallest = 22; // px

export function zoomable(box) {
  const room = box.querySelector("[data-room]");
  const scroll = box.querySelector("[data-scroll]");
  const tools = box.querySelector("[data-tools]");
  let zoom = 1;

  const seatWidth = () => room.querySelector(".seat")?.getBoundingClientRect().width || smallest;
  const most = () => Math.max(1.5, Math.min(10, (46 * zoom) / seatWidth()));

  function set(next, clientX, clientY) {
    const before = room.getBoundingClientRect();
    const view = scroll.getBoundingClientRect();
    const x = clientX ?? view.left + view.width / 2;
    const y = clientY ?? view.top + view.height / 2;
    const fx = (x - before.left) / before.width;
    const fy = (y - before.top) / before.height;
    zoom = Math.max(1, Math.min(next, most()));
    room.style.setProperty("--zoom", zoom);
    const after = room.getBoundingClientRect();
    scroll.scrollLeft += after.left + fx * after.width - x;
    scroll.scrollTop += after.top + fy * after.height - y;
    tools.querySelector('[data-zoom="out"]').disabled = zoom <= 1;
  }

  tools.hidden = false;
  set(1);
  tools.addEventListener("click", (event) => {
    const action = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (action === "in") set(zoom * 1.6);
    if (action === "out") set(zoom / 1.6);
    if (action === "fit") set(1);
  });
  scroll.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    set(zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15), event.clientX, event.clientY);
  }, { passive: false });

  let touched = false;
  room.addEventListener("pointerdown", (event) => { touched = event.pointerType === "touch"; });
  room.addEventListener("click", (event) => {
    if (!touched || seatWidth() >= smallest || event.detail === 0) return;
    event.preventDefault();
    set((zoom * 30) / seatWidth(), event.clientX, event.clientY);
  });

  let pinch = null;
  scroll.addEventListener("touchmove", (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const [a, b] = event.touches;
    const distance = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    if (pinch) set((pinch.zoom * distance) / pinch.distance, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
    else pinch = { distance, zoom };
  }, { passive: false });
  scroll.addEventListener("touchend", () => { pinch = null; });
}
