// The main story on the stores of production: PostgreSQL and Redis. It needs TEST_DATABASE_URL, psql and redis-server.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openHouse } from "./lib/house.mjs";
import { endProgram, freePort, inPath, runProgram, startProgram } from "./lib/process.mjs";
import { stage } from "./lib/stage.mjs";
import { setUp } from "./lib/staff.mjs";
import { checkTicket, choose, hold, openMap, pay, seatBox } from "./lib/steps.mjs";
import { until } from "./lib/wait.mjs";

const server = process.env.TEST_DATABASE_URL;
const lacking = [
  !server && "TEST_DATABASE_URL is not set",
  !inPath("psql") && "psql is not installed",
  !inPath("redis-server") && "redis-server is not installed",
].filter(Boolean).join(", ");

if (!lacking) tell();
else if (process.env.USHER_TEST_REQUIRE_SERVERS === "1") test("production", () => assert.fail(lacking));
else test("production", { skip: lacking }, () => {});

// openProduction starts a Redis and makes a database, loads the demo cinema and opens the house with them.
async function openProduction(ends) {
  const folder = await mkdtemp(join(tmpdir(), "usher-e2e-redis-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const redis = startProgram("redis-server", [
    "--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", "--appendonly", "yes", "--maxmemory-policy", "noeviction",
  ]);
  ends.push(() => endProgram(redis));
  await until("Redis", () => redis.out.includes("Ready to accept connections"));

  const name = `usher_e2e_${randomBytes(6).toString("hex")}`;
  const sql = (text) => runProgram("psql", ["--no-psqlrc", "--quiet", "--dbname", server, "--command", text]);
  await sql(`CREATE DATABASE ${name}`);
  ends.push(() => sql(`DROP DATABASE ${name} WITH (FORCE)`));
  const database = new URL(server);
  database.pathname = `/${name}`;
  return openHouse({
    extra: { USHER_DATABASE_URL: database.href, USHER_REDIS_URL: `redis://127.0.0.1:${port}/0`, USHER_SECRET: randomBytes(24).toString("hex") },
    before: (file, settings) => runProgram(file, ["demo"], settings),
  });
}

function tell() {
  const ends = [];
  const story = stage(() => openProduction(ends));
  // Registered after the stage, so it runs when the house is closed.
  after(async () => { for (const end of ends.reverse()) await end(); });

  story("two people race for a seat, both end with a ticket", async ({ house, visitor }) => {
    const [a, b] = [await visitor(), await visitor()];
    const screening = await house.screening("Studio");
    const [wanted, other] = (await house.api.freeSeats(screening.id)).slice(20, 22);
    await openMap(a.page, screening);
    await openMap(b.page, screening);
    await choose(a.page, wanted);
    await choose(b.page, wanted);
    await hold(a.page);
    await b.page.locator("[data-lost]:not([hidden])").waitFor({ timeout: 3_000 });
    assert.equal(await seatBox(b.page, wanted.no).isChecked(), false);
    await choose(b.page, other);
    await hold(b.page);
    for (const [v, seat] of [[a, wanted], [b, other]]) {
      await pay(v.page);
      await checkTicket(v.page, house, screening, [seat]);
    }
  });

  story("the overview names both stores, and they are up", async ({ house, visitor }) => {
    const { page } = await visitor();
    await setUp(page, house.setupLink());
    await page.waitForURL("**/staff");
    assert.match(await page.locator(".stores").innerText(), /PostgreSQL[\s\S]*Redis/);
    assert.equal(await page.locator("[data-store].look-ok").count(), 2);
  });
}
