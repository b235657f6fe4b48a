// The real program, started for a test: a box office on a free port with a folder of its own.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Api } from "./api.mjs";
import { endProgram, freePort, runProgram, startProgram } from "./process.mjs";
import { until } from "./wait.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

// binary returns the program under test. Without USHER_BIN it is built from this checkout.
async function binary(folder) {
  if (process.env.USHER_BIN) return process.env.USHER_BIN;
  const file = join(folder, "usher");
  await runProgram("go", ["build", "-C", root, "-o", file, "."]);
  return file;
}

// openHouse starts a box office with the demo cinema and waits until it sells. extra are settings beside the usual
// ones; before runs with the program and its settings, ahead of the start.
export async function openHouse({ extra = {}, before } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "usher-e2e-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("USHER_")));
  Object.assign(settings, {
    USHER_ADDR: `127.0.0.1:${port}`, USHER_OPS_ADDR: "off", USHER_DATA_DIR: join(folder, "data"), USHER_PUBLIC_URL: url, ...extra,
  });
  const file = await binary(folder);
  if (before) await before(file, settings);
  const house = new House(folder, url, startProgram(file, [], settings), extra.USHER_SECRET);
  try {
    await house.ready();
  } catch (error) {
    await house.close().catch(() => {});
    throw new Error(`the box office did not open:\n${house.tail()}`, { cause: error });
  }
  return house;
}

class House {
  constructor(folder, url, program, secret) {
    Object.assign(this, { folder, url, program, fixedSecret: secret, api: new Api(url), taken: new Set() });
  }

  async ready() {
    const gone = this.program.ended.then(([status]) => { throw new Error(`it ended with ${status}`); });
    const answers = async (path) => (await fetch(this.url + path)).ok;
    await Promise.race([gone, until("/readyz", () => answers("/readyz"), { within: 40_000 })]);
    const list = await this.screenings();
    assert.ok(list.length > 20, "the demo cinema has a programme");
    await Promise.race([gone, until("a seat map", () => answers(`/api/v1/screenings/${list[0].id}/seats`))]);
  }

  // screenings are those on sale that begin more than a day from now, so that none begins while a test runs.
  async screenings() {
    if (this.programme) return this.programme;
    const all = [];
    for (let cursor = ""; ;) {
      const page = await this.api.get(`/screenings?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      all.push(...page.items);
      cursor = page.next_cursor;
      if (!cursor) break;
    }
    const soon = Date.now() + 86_400_000;
    this.programme = all.filter((s) => s.on_sale && Date.parse(s.starts_at) > soon);
    return this.programme;
  }

  // screening returns one that no other test of this file has got. room is the auditorium's name.
  async screening(room) {
    const list = await this.screenings();
    const found = list.find((s) => s.auditorium === room && !this.taken.has(s.id));
    assert.ok(found, `there is one more screening in ${room}`);
    this.taken.add(found.id);
    return found;
  }

  setupLink() {
    const link = /First staff account: (\S+)/.exec(this.program.out)?.[1];
    assert.ok(link, `the start printed a set-up link:\n${this.tail()}`);
    return link;
  }

  // secret is what the house signs tickets with; embedded, it makes its own and keeps it in the data folder.
  async secret() {
    return this.fixedSecret ? Buffer.from(this.fixedSecret) : readFile(join(this.folder, "data", "secret"));
  }

  tail() { return this.program.out.split("\n").slice(-40).join("\n"); }

  // close ends the program the polite way, which must work, and takes its folder away.
  async close() {
    const status = await endProgram(this.program);
    await rm(this.folder, { recursive: true, force: true });
    assert.equal(status, 0, `the program ends with 0 when it is asked to end:\n${this.tail()}`);
    const broken = this.program.out.split("\n").filter((line) => line.includes("level=ERROR"));
    assert.deepEqual(broken, [], "the log has no errors");
  }
}
