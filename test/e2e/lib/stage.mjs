// One house and one browser for all stories of a file.
import { after, before, test } from "node:test";
import { newVisitor, openBrowser } from "./browser.mjs";
import { openHouse } from "./house.mjs";

const longest = 60_000;

// stage opens a house for the file. It returns story, which is test with visitors: each of them is checked for
// faults when the story was told to its end.
export function stage(open = openHouse) {
  let house;
  let browser;
  before(async () => { [house, browser] = await Promise.all([open(), openBrowser()]); }, { timeout: longest });
  after(async () => {
    await browser?.close();
    await house?.close();
  }, { timeout: longest });

  return function story(name, tell) {
    test(name, { timeout: longest }, async () => {
      const visitors = [];
      const visitor = async (options) => {
        const v = await newVisitor(browser, house, options);
        visitors.push(v);
        return v;
      };
      try {
        await tell({ house, visitor, browser });
        for (const v of visitors) v.assertClean();
      } catch (error) {
        const where = visitors.flatMap((v) => v.context.pages().map((p) => p.url())).join(" ");
        error.message += `\n(pages: ${where})`;
        throw error;
      } finally {
        await Promise.all(visitors.map((v) => v.context.close()));
      }
    });
  };
}
