// From the hold to the money: the clock, giving seats back, payments that fail or stay silent.
import assert from "node:assert/strict";
import { stage } from "./lib/stage.mjs";
import {
  checkTicket, choose, hold, holdButton, openMap, orderID, orderState, pay, play, toGateway,
} from "./lib/steps.mjs";

const story = stage();

async function takeSeats(house, visitor, count = 1) {
  const v = await visitor();
  const screening = await house.screening("Studio");
  const seats = (await house.api.freeSeats(screening.id)).slice(50, 50 + count);
  await openMap(v.page, screening);
  await choose(v.page, ...seats);
  await hold(v.page);
  return { v, page: v.page, screening, seats };
}

// clockTime is an instant as the cinema's clock shows it.
const clockTime = (iso) => new Date(iso).toLocaleTimeString("en-GB", { timeZone: "Europe/Berlin", hour: "2-digit", minute: "2-digit" });

story("the order says until when the seats are held, and giving them back frees them", async ({ house, visitor }) => {
  const { page, screening, seats } = await takeSeats(house, visitor, 2);
  const order = await (await house.api.ofPage(page)).get(`/orders/${orderID(page)}`);
  assert.match(await page.locator(".lead").innerText(), new RegExp(clockTime(order.expires_at)));
  assert.match(await page.locator(".clock-until").innerText(), new RegExp(clockTime(order.expires_at)));
  assert.match(await page.locator("[data-left]").innerText(), /^[45] minutes left$/, "minutes in words, no seconds yet");

  await page.locator('form[action$="/cancel"] button').click();
  await page.locator('[data-order][data-status="cancelled"]').waitFor();
  assert.match(await page.locator(".notice").innerText(), /given back/);
  for (const seat of seats) assert.equal(await house.api.stateOf(screening.id, seat.no), "free");
  await page.locator("a.btn-primary").click();
  await page.waitForURL(`**/screenings/${screening.id}`);
});

story("seconds are shown in the last two minutes, and people who listen hear of it", async ({ house, visitor }) => {
  const { page } = await takeSeats(house, visitor);
  await page.clock.install();
  await page.reload();
  await page.locator("[data-left]", { hasText: "minutes left" }).waitFor();
  await page.clock.fastForward("03:20");
  await page.locator("[data-left]", { hasText: /^1:\d\d left$/ }).waitFor();
  assert.match(await page.locator("[data-announce]").textContent(), /2 minutes left/);
  assert.match(await page.locator(".clock").getAttribute("class"), /clock-soon/);
});

story("a declined payment keeps the seats, and one can pay again", async ({ house, visitor }) => {
  const { page, screening, seats } = await takeSeats(house, visitor);
  const id = orderID(page);
  await toGateway(page);
  await play(page, "decline");
  assert.equal(await orderState(page).getAttribute("data-status"), "reserved");
  assert.match(await page.locator(".notice").innerText(), /declined/i);
  assert.equal(await house.api.stateOf(screening.id, seats[0].no), "held");
  await pay(page);
  assert.equal(orderID(page), id);
  await checkTicket(page, house, screening, seats);
});

story("a payment without an answer is being checked; once the answer comes the page turns into the ticket", async ({ house, visitor }) => {
  const { v, page, screening, seats } = await takeSeats(house, visitor);
  await toGateway(page);
  const gateway = page.url();
  await play(page, "timeout");
  await page.locator('[data-order][data-status="paying"]').waitFor();
  assert.match(await page.locator("h1").innerText(), /checking your payment/i);
  assert.match(await page.locator(".lead").innerText(), /do not pay again/i);

  const other = await v.context.newPage();
  await other.goto(gateway);
  await play(other, "approve");
  await page.locator(".ticket").waitFor({ timeout: 8_000 });
  await checkTicket(page, house, screening, seats);
});

story("a paid order can be refunded, and its seat is sold again", async ({ house, visitor }) => {
  const { page, screening, seats } = await takeSeats(house, visitor);
  await pay(page);
  await page.locator("details.confirm summary").click();
  await page.locator('form[action$="/refund"] button').click();
  await page.locator('[data-order][data-status="refunded"]').waitFor();
  const next = await visitor();
  await openMap(next.page, screening);
  await choose(next.page, ...seats);
  await hold(next.page);
});

story("two presses of the button take the seats once", async ({ house, visitor }) => {
  const v = await visitor({ javaScriptEnabled: false });
  const screening = await house.screening("Studio");
  const seats = (await house.api.freeSeats(screening.id)).slice(50, 52);
  await openMap(v.page, screening, { live: false });
  await choose(v.page, ...seats);
  await holdButton(v.page).dblclick({ noWaitAfter: true });
  await v.page.locator('[data-order][data-status="reserved"]').waitFor();
  await v.page.goto("/orders");
  assert.equal(await v.page.locator(".order-row").count(), 1);
});
