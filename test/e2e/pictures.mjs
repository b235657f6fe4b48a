// Takes a picture of every page, at two widths, light and dark, in both languages: node pictures.mjs FOLDER
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { newVisitor, openBrowser } from "./lib/browser.mjs";
import { openHouse } from "./lib/house.mjs";
import { visitEverything } from "./lib/tour.mjs";

const folder = process.argv[2];
if (!folder) {
  console.error("usage: node pictures.mjs FOLDER");
  process.exit(2);
}
await mkdir(folder, { recursive: true });
const browser = await openBrowser();
try {
  // One house for each language: its set-up link works once.
  for (const [lang, locale] of [["en", "en-GB"], ["zh", "zh-CN"]]) await tour(lang, locale);
} finally {
  await browser.close();
}

async function tour(lang, locale) {
  const house = await openHouse();
  const { context, page } = await newVisitor(browser, house, { locale });
  let n = 0;
  await visitEverything(page, house, async (name) => {
    n++;
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: width < 500 ? 844 : 900 });
      for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await page.screenshot({ path: join(folder, `${String(n).padStart(2, "0")}-${name}-${width}-${scheme}-${lang}.png`), fullPage: true });
      }
    }
  });
  await context.close();
  await house.close();
}
