// The JSON interface, for what happens beside the browser.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

// Api speaks to one house, as nobody or with what says who asks.
export class Api {
  constructor(url, identity = {}) {
    this.base = `${url}/api/v1`;
    this.url = url;
    this.identity = identity;
  }

  // ofPage asks as the visitor of a page.
  async ofPage(page) {
    const cookies = await page.context().cookies();
    return new Api(this.url, { Cookie: cookies.map((c) => `${c.name}=${c.value}`).join("; ") });
  }

  async call(method, path, { body, headers = {} } = {}) {
    const answer = await fetch(this.base + path, {
      method,
      headers: {
        ...this.identity,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  }

  async get(path) {
    const { status, body } = await this.call("GET", path);
    assert.equal(status, 200, `GET ${path}: ${JSON.stringify(body)}`);
    return body;
  }

  // guest is somebody new.
  async guest() {
    const { status, body } = await this.call("POST", "/session", { body: {} });
    assert.equal(status, 200, JSON.stringify(body));
    return new Api(this.url, { Authorization: `Bearer ${body.token}` });
  }

  // hold takes seats, which must succeed.
  async hold(screeningID, what) {
    const { status, body } = await this.call("POST", `/screenings/${screeningID}/holds`, { body: what, headers: { "Idempotency-Key": randomUUID() } });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  }

  async cancel(orderID) {
    const { status, body } = await this.call("POST", `/orders/${orderID}/cancel`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.status, "cancelled");
  }

  // freeSeats lists seats that can be had, in the order of the plan. Love seats are left out.
  async freeSeats(screeningID) {
    const { seats } = await this.get(`/screenings/${screeningID}/seats`);
    return seats.filter((s) => s.state === "free" && s.tier !== "love");
  }

  // stateOf is what anybody is told of a seat.
  async stateOf(screeningID, no) {
    const { seats } = await this.get(`/screenings/${screeningID}/seats`);
    return seats.find((s) => s.no === no)?.state;
  }
}
