// Buying with the keyboard alone: Tab, arrows, Space, Enter.
import assert from "node:assert/strict";
import { stage } from "./lib/stage.mjs";
import { buyer, checkTicket, orderID } from "./lib/steps.mjs";

const story = stage();
const furthest = 80;

// tabTo presses Tab until the focus is on what the selector names, and makes sure that one can see where it is.
async function tabTo(page, selector) {
  for (let n = 0; n < furthest; n++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((s) => document.activeElement.matches(s), selector)) {
      const seen = await page.evaluate(() => {
        const visible = (e) => {
          const style = getComputedStyle(e);
          return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none";
        };
        const e = document.activeElement;
        return [e, e.nextElementSibling, e.parentElement].some((x) => x && visible(x));
      });
      assert.ok(seen, `the focus on ${selector} can be seen`);
      return;
    }
  }
  assert.fail(`${selector} is not reached by ${furthest} presses of Tab on ${page.url()}`);
}

const focused = (page) => page.evaluate(() => document.activeElement.value ?? "");

story("a purchase without a mouse", async ({ house, visitor }) => {
  const v = await visitor();
  const { page } = v;
  const screening = await house.screening("Studio");
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };

  await page.goto("/");
  await press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.matches("a.skip")), "the first stop skips to the content");
  await tabTo(page, `nav.days a[href="/?date=${screening.starts_at.slice(0, 10)}"]`);
  await press("Enter");
  await page.waitForURL(/date=/);
  await tabTo(page, `a.time[href="/screenings/${screening.id}"]`);
  await press("Enter");
  await page.locator("[data-tools]:not([hidden])").waitFor();

  // One stop for the room; inside, arrows go from seat to seat as they stand.
  await tabTo(page, "input[name=seats]");
  const first = await focused(page);
  await press("ArrowDown", "ArrowDown", "ArrowRight");
  const left = await focused(page);
  assert.notEqual(left, first);
  await press("Space", "ArrowRight");
  const right = await focused(page);
  await press("Space");
  const { seats } = await house.api.get(`/screenings/${screening.id}/seats`);
  const [p, q] = [left, right].map((no) => seats.find((s) => s.no === no));
  assert.equal(p.row, q.row, "ArrowRight stays in the row");
  assert.ok(q.x > p.x);
  assert.equal(await page.locator("[data-chosen] li").count(), 2);
  await press("Home");
  const home = await focused(page);
  const start = seats.find((s) => s.no === home);
  assert.equal(start.row, p.row);
  assert.ok(seats.every((s) => s.row !== p.row || s.x >= start.x), "Home goes to the first seat of the row");

  await tabTo(page, "form.seatform button[type=submit]");
  await press("Enter");
  await page.locator('[data-order][data-status="reserved"]').waitFor();
  const id = orderID(page);
  await tabTo(page, 'a[href$="/checkout"]');
  await press("Enter");
  await page.waitForURL(/\/checkout$/);
  await tabTo(page, "#f-email");
  await page.keyboard.type(buyer.email);
  await press("Tab");
  await page.keyboard.type(buyer.name);
  await press("Enter");
  await page.waitForURL(/\/pay\/sandbox\//);
  await tabTo(page, "button[name=outcome][value=approve]");
  await press("Space");
  await page.locator(".ticket").waitFor();
  assert.equal(orderID(page), id);
  await checkTicket(page, house, screening, [p, q]);
});
