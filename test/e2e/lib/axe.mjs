// Accessibility rules, run inside a page, and that it needs no scrolling sideways.
import assert from "node:assert/strict";
import axe from "axe-core";

export const looks = [
  { width: 390, scheme: "light" }, { width: 390, scheme: "dark" }, { width: 1280, scheme: "dark" }, { width: 1280, scheme: "light" },
];

const narrowest = 320;

// audit returns the violations of a page in all looks, one line for each rule and look.
export async function audit(page, name) {
  const found = [];
  await page.evaluate(axe.source);
  await page.setViewportSize({ width: narrowest, height: 900 });
  const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
  if (wide > narrowest) found.push({ impact: "serious", line: `${name} ${narrowest}: the page is ${wide} pixels wide` });
  for (const { width, scheme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    const { violations, passed } = await page.evaluate(async () => {
      const result = await globalThis.axe.run(document, { resultTypes: ["violations"] });
      return {
        passed: result.passes.length,
        violations: result.violations.map((v) => ({
          id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map((n) => `${n.target.join(" ")}: ${n.failureSummary}`),
        })),
      };
    });
    assert.ok(passed > 15, `only ${passed} rules had something to look at on ${name}`);
    for (const v of violations) {
      found.push({ impact: v.impact, line: `${name} ${width} ${scheme}: ${v.id} (${v.impact}), ${v.nodes.length}×: ${v.help}\n    ${v.nodes[0]}` });
    }
  }
  return found;
}
