// What visitors do on the pages, step by step.
import assert from "node:assert/strict";
import { readTicket } from "./ticket.mjs";

export const buyer = { email: "mara@example.com", name: "Mara Lindqvist" };

export const seatBox = (page, no) => page.locator(`input[name=seats][value="${no}"]`);
export const seatLabel = (page, no) => page.locator(`label.seat:has(input[value="${no}"])`);
export const holdButton = (page) => page.locator("form.seatform button[type=submit]");
export const orderState = (page) => page.locator("[data-order]");
export const orderID = (page) => new URL(page.url()).pathname.split("/")[2];

// openMap opens the seats of a screening; with scripts it also waits until the map follows what others do.
export async function openMap(page, screening, { live = true } = {}) {
  const followed = live && page.waitForResponse((r) => r.url().endsWith("/events"));
  const answer = await page.goto(`/screenings/${screening.id}`);
  assert.equal(answer.status(), 200);
  if (followed) assert.equal((await followed).status(), 200);
}

export async function choose(page, ...seats) {
  for (const seat of seats) {
    await seatLabel(page, seat.no).click();
    assert.ok(await seatBox(page, seat.no).isChecked(), `seat ${seat.no} is chosen`);
  }
}

// hold presses the button and returns the order that came of it.
export async function hold(page) {
  await holdButton(page).click();
  return arriveAtOrder(page);
}

// arriveAtOrder waits for an order that is in the ledger.
export async function arriveAtOrder(page) {
  await page.waitForURL(/\/orders\/[0-9a-f-]{36}$/);
  await page.locator('[data-order][data-status="reserved"]').waitFor();
  return orderID(page);
}

// toGateway goes from the order to the gateway's page.
export async function toGateway(page) {
  await page.locator('a[href$="/checkout"]').click();
  await page.locator("#f-email").fill(buyer.email);
  await page.locator("#f-name").fill(buyer.name);
  await page.locator('form[action$="/checkout"] button[type=submit]').click();
  await page.waitForURL(/\/pay\/sandbox\//);
}

export async function play(page, outcome) {
  await page.locator(`button[name=outcome][value=${outcome}]`).click();
  await page.waitForURL(/\/orders\/[0-9a-f-]{36}$/);
}

// pay goes the whole way from the order to the ticket.
export async function pay(page) {
  await toGateway(page);
  await play(page, "approve");
  await page.locator(".ticket").waitFor();
}

// checkTicket reads the code from the screen, like the phone of somebody at the door, and checks it.
export async function checkTicket(page, house, screening, seats) {
  await page.locator(".ticket-qr img").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector(".ticket-qr img").complete);
  const ticket = readTicket(await page.locator(".ticket-qr").screenshot(), await house.secret());
  assert.ok(ticket.signed, "the ticket is signed by this house");
  assert.equal(ticket.orderID, orderID(page));
  assert.equal(ticket.screeningID, screening.id);
  assert.equal(ticket.bookingCode, (await page.locator(".ticket-code").innerText()).replace(/\s/g, ""));

  const told = await (await house.api.ofPage(page)).get(`/orders/${ticket.orderID}/ticket`);
  assert.equal(told.ticket_code, ticket.text, "the picture says what the interface says");
  if (seats) {
    assert.equal(await page.locator(".ticket-seats li").count(), seats.length);
    for (const seat of seats) assert.equal(await house.api.stateOf(screening.id, seat.no), "sold");
  }
}
