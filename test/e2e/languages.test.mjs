// Both languages: every page speaks the one that was chosen, and no text is missing.
import assert from "node:assert/strict";
import { stage } from "./lib/stage.mjs";
import { setUp } from "./lib/staff.mjs";
import { checkTicket, choose, hold, openMap, play, seatBox, toGateway } from "./lib/steps.mjs";

const story = stage();

// words are all texts of a page that a person reads or hears. A film's other title is there on purpose.
const words = (page) => page.evaluate(() => {
  const found = [document.title];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    if (!walk.currentNode.parentElement.closest("script, noscript, code, .film-other")) found.push(walk.currentNode.data);
  }
  for (const e of document.querySelectorAll("*")) {
    for (const name of ["aria-label", "title", "placeholder", "alt"]) found.push(e.getAttribute(name) ?? "");
    for (const [name, value] of Object.entries(e.dataset)) if (/^(text|word|many|one|over|oldest|updated|failed)/.test(name)) found.push(value);
  }
  return found.map((text) => text.trim()).filter(Boolean);
});

// speaks checks the page's language: it is declared and no key shines through. It returns what is in the other one.
async function speaks(page, lang) {
  assert.equal(await page.locator("html").getAttribute("lang"), lang);
  const all = await words(page);
  assert.deepEqual(all.filter((text) => /^[a-z_]+\.[a-z_.]+$/.test(text) || text.includes("{{") || text.includes("<no value>")), [], page.url());
  const foreign = lang === "en" ? /\p{Script=Han}/u : /[A-Za-z]{2,} [a-z]{2,}/;
  const names = new Set(["简体中文", "Usher Picture House", "Grand Hall"]);
  return all.filter((text) => foreign.test(text) && !names.has(text));
}

story("a visitor with a Chinese browser reads Chinese, and can switch", async ({ visitor }) => {
  const v = await visitor({ locale: "zh-CN" });
  await v.page.goto("/");
  assert.deepEqual(await speaks(v.page, "zh-CN"), []);
  await v.page.locator('.langs button[value="en"]').click();
  assert.equal(await v.page.locator("html").getAttribute("lang"), "en");
  await v.page.goto("/orders");
  assert.equal(await v.page.locator("html").getAttribute("lang"), "en", "the choice is kept");
});

for (const [lang, locale] of [["zh-CN", "en-GB"], ["en", "zh-CN"]]) {
  story(`all pages speak ${lang}`, async ({ house, visitor }) => {
    const v = await visitor({ locale });
    const { page } = v;
    const screening = await house.screening("Studio");
    const [seat] = (await house.api.freeSeats(screening.id)).slice(10);
    const strange = {};
    const here = async (name) => { strange[name] = await speaks(page, lang); };

    await page.goto("/");
    await page.locator(`.langs button[value="${lang}"]`).click();
    await here("programme");
    await page.goto(`/movies/${screening.movie_id}`);
    await here("movie");
    await openMap(page, screening);
    await here("seats");
    await choose(page, seat);
    if (lang === "zh-CN") assert.match(await seatBox(page, seat.no).getAttribute("aria-label"), /排 .*座/);
    await here("seats, one chosen");
    await hold(page);
    await here("order");
    await page.goto(`${page.url()}/checkout`);
    await here("checkout");
    await page.goBack();
    await toGateway(page);
    await here("gateway");
    await play(page, "approve");
    await page.locator(".ticket").waitFor();
    await here("ticket");
    if (lang === "zh-CN") assert.match(await page.locator("h1").innerText(), /\p{Script=Han}/u);
    await checkTicket(page, house, screening, [seat]);
    for (const path of ["/orders", "/sign-in", "/sign-up", "/staff/sign-in"]) {
      await page.goto(path);
      await here(path);
    }
    v.expect(404, /\/nowhere$/);
    await page.goto("/nowhere");
    await here("error");
    assert.deepEqual(Object.entries(strange).filter(([, list]) => list.length), []);
  });
}

story("staff pages speak Chinese", async ({ house, visitor }) => {
  const { page } = await visitor({ locale: "zh-CN" });
  const screening = await house.screening("Studio");
  await setUp(page, house.setupLink());
  await page.waitForURL("**/staff");
  const strange = {};
  for (const path of ["/staff", "/staff/screenings", `/staff/screenings/${screening.id}`]) {
    await page.goto(path);
    strange[path] = await speaks(page, "zh-CN");
  }
  assert.deepEqual(Object.entries(strange).filter(([, list]) => list.length), []);
});
