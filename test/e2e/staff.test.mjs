// Staff: the set-up link, live numbers, a screening's room, pausing the sale. The stories of this file build on each
// other: the house has one first administrator.
import assert from "node:assert/strict";
import { stage } from "./lib/stage.mjs";
import { admin, setUp, signIn } from "./lib/staff.mjs";
import { choose, hold, holdButton, openMap } from "./lib/steps.mjs";
import { until } from "./lib/wait.mjs";

const story = stage();

story("the set-up link makes the first administrator, once", async ({ house, visitor }) => {
  const chief = await visitor();
  const link = house.setupLink();
  await setUp(chief.page, link);
  await chief.page.waitForURL("**/staff");
  assert.equal(await chief.page.locator(".account-name").count(), 1);

  const late = await visitor();
  late.expect(403, /\/staff\/setup$/);
  await setUp(late.page, link);
  assert.match(await late.page.locator(".notice").innerText(), /has been used/);
  assert.equal(new URL(late.page.url()).pathname, "/staff/setup");
  await late.page.goto("/staff");
  assert.equal(new URL(late.page.url()).pathname, "/staff/sign-in", "he is still outside");
});

story("a wrong password does not let in, and a visitor sees no staff pages", async ({ visitor }) => {
  const v = await visitor();
  v.expect(401, /\/staff\/sign-in$/);
  await v.page.goto("/staff/sign-in");
  await v.page.locator("#f-email").fill(admin.email);
  await v.page.locator("#f-password").fill("not the password");
  await v.page.locator("main form button[type=submit]").click();
  assert.match(await v.page.locator(".notice").innerText(), /not right/);
  await v.page.goto("/staff/screenings");
  assert.equal(new URL(v.page.url()).pathname, "/staff/sign-in");
});

story("the overview shows numbers that stay fresh, until one pauses them", async ({ visitor }) => {
  const { page } = await visitor();
  await signIn(page);
  const values = await page.locator(".counter-value [data-path]").allInnerTexts();
  assert.ok(values.length >= 5, values.join());
  for (const value of values) assert.match(value, /^[\d.,]+$/);
  assert.ok(await page.locator("[data-store].look-ok").count() >= 2, "both stores are up");

  const status = page.locator("[data-status]");
  const before = await status.innerText();
  await page.waitForResponse((r) => r.url().endsWith("/admin/overview") && r.ok(), { timeout: 6_000 });
  await until("a newer time", async () => (await status.innerText()) !== before, { within: 6_000 });

  await page.clock.install();
  await page.reload();
  let asked = 0;
  page.on("request", (r) => { if (r.url().endsWith("/admin/overview")) asked++; });
  await page.locator("[data-pause]").click();
  await page.clock.runFor(10_000);
  assert.equal(asked, 0, "paused means that nothing is asked");
  await page.locator("[data-pause]").click();
  await page.clock.runFor(4_000);
  await until("the next round", () => asked > 0);
});

story("staff find a screening, see who holds what, pause the sale and open it again", async ({ house, visitor }) => {
  const { page } = await visitor();
  const buyer = await visitor();
  const screening = await house.screening("Studio");
  const seats = (await house.api.freeSeats(screening.id)).slice(60, 62);
  await (await house.api.guest()).hold(screening.id, { seats: [seats[0].no] });
  await openMap(buyer.page, screening);
  await choose(buyer.page, seats[1]);

  await signIn(page);
  await page.locator('nav a[href="/staff/screenings"]').click();
  await page.locator("#date").fill(screening.starts_at.slice(0, 10));
  await page.locator("form.filter button[type=submit]").click();
  await page.locator(`a[href="/staff/screenings/${screening.id}"]`).click();
  await page.locator(`[data-no="${seats[0].no}"][data-state=held]`).waitFor();
  assert.equal(await page.locator(".tablebox tbody tr").count(), 1);

  await setStatus(page, "paused");
  buyer.expect(409, /\/holds$/);
  await holdButton(buyer.page).click();
  await buyer.page.locator(".notice").first().waitFor();
  assert.match(await buyer.page.locator("main").innerText(), /not on sale|sale is paused/);
  assert.equal(await house.api.stateOf(screening.id, seats[1].no), "free");
  assert.equal(await buyer.page.locator("form.seatform button[type=submit]").count(), 0, "there is nothing to press");

  await setStatus(page, "on_sale");
  await openMap(buyer.page, screening);
  await choose(buyer.page, seats[1]);
  await hold(buyer.page);
});

story("a rebuild keeps what people hold", async ({ house, visitor }) => {
  const { page } = await visitor();
  const screening = await house.screening("Studio");
  const [seat] = (await house.api.freeSeats(screening.id)).slice(60);
  await (await house.api.guest()).hold(screening.id, { seats: [seat.no] });
  await signIn(page);
  await page.goto(`/staff/screenings/${screening.id}`);
  await page.locator("details.confirm summary").click();
  await page.locator('form[action$="/rebuild"] button').click();
  await page.locator(".notice-success").waitFor();
  assert.equal(await house.api.stateOf(screening.id, seat.no), "held");
});

async function setStatus(page, status) {
  await page.locator(`form[action$="/status"]:has(input[value="${status}"]) button`).click();
  await page.locator(".notice-success").waitFor();
}
