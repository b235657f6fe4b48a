// What staff do on their pages.
export const admin = { email: "chief@example.com", password: "seven lamps over row F" };

// setUp makes the first administrator by the link of the start, who is then signed in.
export async function setUp(page, link) {
  await page.goto(link);
  await page.locator("#f-email").fill(admin.email);
  await page.locator("#f-password").fill(admin.password);
  await page.locator("main form button[type=submit]").click();
}

// signIn comes back by password.
export async function signIn(page) {
  await page.goto("/staff/sign-in");
  await page.locator("#f-email").fill(admin.email);
  await page.locator("#f-password").fill(admin.password);
  await page.locator("main form button[type=submit]").click();
  await page.waitForURL("**/staff");
}
