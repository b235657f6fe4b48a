// Chromium and its visitors. Each visitor is watched: whatever goes wrong on his pages fails the test at its end,
// also where nothing looked wrong.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const flags = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

// openBrowser starts Chromium.
export function openBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags, headless: true });
}

// patience of a page: generous, since a slow machine is no fault of the page.
const patience = 15_000;

// newVisitor is a person with a browser of his own: own cookies, own language, own screen.
export async function newVisitor(browser, house, options = {}) {
  const context = await browser.newContext({
    baseURL: house.url, locale: "en-GB", viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", timezoneId: "Europe/Berlin", ...options,
  });
  context.setDefaultTimeout(patience);
  context.setDefaultNavigationTimeout(patience);
  const visitor = new Visitor(context, new URL(house.url).origin);
  await visitor.watch(options.javaScriptEnabled !== false);
  visitor.page = await context.newPage();
  return visitor;
}

class Visitor {
  #faults = [];
  #allowed = [];

  constructor(context, origin) {
    this.context = context;
    this.origin = origin;
  }

  // expect names a refusal that belongs to the story.
  expect(status, path) { this.#allowed.push({ status, path, met: 0 }); }

  async watch(scripts) {
    const fault = (text) => this.#faults.push(text);
    this.context.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      if (message.text().startsWith("Failed to load resource")) return; // seen as an answer below
      fault(`console ${message.type()}: ${message.text()}`);
    });
    this.context.on("weberror", (error) => fault(`script error: ${error.error().stack}`));
    this.context.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith("http") && url.origin !== this.origin) fault(`request to another site: ${url}`);
    });
    this.context.on("requestfailed", (request) => {
      const why = request.failure()?.errorText;
      if (why !== "net::ERR_ABORTED") fault(`${request.method()} ${request.url()} failed: ${why}`); // aborted: the page was left
    });
    this.context.on("response", (response) => {
      if (response.status() < 400) return;
      const { pathname } = new URL(response.url());
      const known = this.#allowed.find((a) => a.status === response.status() && a.path.test(pathname));
      if (known) known.met++;
      else fault(`${response.request().method()} ${pathname} answered ${response.status()}`);
    });
    if (!scripts) return;
    await this.context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`content policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
      });
    });
  }

  // assertClean fails when something went wrong, or an expected refusal never came.
  assertClean() {
    assert.deepEqual(this.#faults, [], "the pages have no faults");
    for (const a of this.#allowed) assert.ok(a.met > 0, `a ${a.status} of ${a.path} belongs to the story`);
  }
}
