// Every page, on a phone and a desk, light and dark, against the rules of axe-core. Serious and critical violations
// fail; the others are printed.
import assert from "node:assert/strict";
import { audit } from "./lib/axe.mjs";
import { stage } from "./lib/stage.mjs";
import { visitEverything } from "./lib/tour.mjs";

const story = stage();

story("no page violates the rules of accessibility", async ({ house, visitor }) => {
  const v = await visitor();
  const found = [];
  v.expect(404, /\/nowhere$/);
  await visitEverything(v.page, house, async (name) => { found.push(...await audit(v.page, name)); });
  const grave = found.filter((f) => f.impact === "serious" || f.impact === "critical");
  for (const f of found) if (!grave.includes(f)) console.log(f.line);
  assert.deepEqual(grave.map((f) => f.line), []);
});
