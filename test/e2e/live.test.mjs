// The live map: what others do shows by itself, also with more tabs than a browser has connections.
import assert from "node:assert/strict";
import { stage } from "./lib/stage.mjs";
import { choose, hold, openMap, seatLabel } from "./lib/steps.mjs";
import { until } from "./lib/wait.mjs";

const story = stage();
const soon = 3_000;

// showsState waits until a page shows a seat in one of the states.
const showsState = (page, no, ...states) => {
  const seat = states.map((state) => `label.seat[data-state=${state}]:has(input[value="${no}"])`).join();
  return page.locator(seat).waitFor({ state: "attached", timeout: soon });
};

const freeCount = async (page) => Number((await page.locator("[data-free-line]").innerText()).replace(/\D/g, ""));

story("a hold appears on an open map, and its end", async ({ house, visitor }) => {
  const v = await visitor();
  const screening = await house.screening("Salon");
  const [one, two] = (await house.api.freeSeats(screening.id)).slice(40, 42);
  await openMap(v.page, screening);
  assert.equal(await freeCount(v.page), screening.capacity);

  const guest = await house.api.guest();
  const held = await guest.hold(screening.id, { seats: [one.no, two.no] });
  await showsState(v.page, one.no, "held");
  await showsState(v.page, two.no, "held");
  assert.equal(await freeCount(v.page), screening.capacity - 2);
  assert.ok(await seatLabel(v.page, one.no).locator("input").isDisabled());

  await guest.cancel(held.id);
  await showsState(v.page, one.no, "free");
  await showsState(v.page, two.no, "free");
  assert.equal(await freeCount(v.page), screening.capacity);
  await choose(v.page, one);
});

story("places of a room without numbers are counted down while one looks", async ({ house, visitor }) => {
  const v = await visitor();
  const screening = await house.screening("Loft");
  await v.page.goto(`/screenings/${screening.id}`);
  await (await house.api.guest()).hold(screening.id, { quantity: 3 });
  const left = String(screening.capacity - 3);
  await until("the number of free places", async () => (await v.page.locator("[data-free-count]").innerText()) === left, { within: soon });
});

story("with the map open in eight tabs the eighth still loads, takes seats and shows what others do", async ({ house, visitor }) => {
  const v = await visitor();
  const screening = await house.screening("Studio");
  const seats = (await house.api.freeSeats(screening.id)).slice(40, 43);
  const streams = new Set();
  v.context.on("request", (r) => { if (r.url().endsWith("/events")) streams.add(r); });
  for (const end of ["requestfailed", "requestfinished"]) v.context.on(end, (r) => streams.delete(r));
  const pages = [v.page];
  while (pages.length < 8) pages.push(await v.context.newPage());
  const took = [];
  for (const page of pages) {
    const begin = Date.now();
    await page.goto(`/screenings/${screening.id}`, { waitUntil: "domcontentloaded", timeout: 3_000 });
    await page.locator("[data-tools]:not([hidden])").waitFor({ timeout: 3_000 });
    took.push(Date.now() - begin);
  }
  assert.ok(Math.max(...took) < 3_000, `each page loads within 3 s: ${took}`);

  await (await house.api.guest()).hold(screening.id, { seats: [seats[0].no] });
  await Promise.all(pages.map((page) => showsState(page, seats[0].no, "held")));
  assert.ok(streams.size <= 2, `${streams.size} streams for one browser`);

  const last = pages.at(-1);
  await choose(last, seats[1]);
  await hold(last);
  await Promise.all(pages.slice(0, -1).map((page) => showsState(page, seats[1].no, "held", "mine")));
});
