// A walk past every page, in the order in which a visitor and then the staff see them.
import { setUp } from "./staff.mjs";
import { choose, hold, openMap, play, toGateway } from "./steps.mjs";

// visitEverything stops at each page and calls stop with its name.
export async function visitEverything(page, house, stop) {
  const screening = await house.screening("Studio");
  const seats = (await house.api.freeSeats(screening.id)).slice(40, 45);
  await (await house.api.guest()).hold(screening.id, { seats: seats.slice(3).map((s) => s.no) });

  await visitProgramme(page, house, screening, stop);
  await openMap(page, screening);
  await choose(page, ...seats.slice(0, 2));
  await stop("seats");
  await hold(page);
  await stop("order");
  await visitPayment(page, stop);
  await visitLists(page, stop);
  await visitStaff(page, house, screening, stop);
}

async function visitProgramme(page, house, screening, stop) {
  await page.goto(`/?date=${screening.starts_at.slice(0, 10)}`);
  await stop("programme");
  await page.goto(`/movies/${screening.movie_id}`);
  await stop("movie");
  const loft = await house.screening("Loft");
  await page.goto(`/screenings/${loft.id}`);
  await stop("places");
}

async function visitPayment(page, stop) {
  const order = page.url();
  await page.goto(`${order}/checkout`);
  await stop("checkout");
  await page.goto(order);
  await toGateway(page);
  await stop("gateway");
  const gateway = page.url();
  await play(page, "timeout");
  await page.locator('[data-order][data-status="paying"]').waitFor();
  await stop("checking");
  await page.goto(gateway);
  await play(page, "approve");
  await page.locator(".ticket").waitFor();
  await stop("ticket");
}

async function visitLists(page, stop) {
  for (const [path, name] of [["/orders", "orders"], ["/sign-in", "sign-in"], ["/sign-up", "sign-up"], ["/nowhere", "error"]]) {
    await page.goto(path);
    await stop(name);
  }
}

async function visitStaff(page, house, screening, stop) {
  await page.goto("/staff/sign-in");
  await stop("staff-sign-in");
  await page.goto(house.setupLink());
  await stop("staff-setup");
  await setUp(page, house.setupLink());
  await page.waitForURL("**/staff");
  await page.reload(); // without the greeting
  await stop("staff-overview");
  await page.goto(`/staff/screenings?date=${screening.starts_at.slice(0, 10)}`);
  await stop("staff-screenings");
  await page.goto(`/staff/screenings/${screening.id}`);
  await stop("staff-screening");
}
