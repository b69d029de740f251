// The report of real code under failures: recorded messages, what nodes told, and the way from a broken promise to the failures.
const assert = require("node:assert/strict");
const path = require("node:path");
const { test } = require("./harness.js");

const live = `file://${path.resolve(process.env.LIVE)}`;

test("a report of real code opens on the failures and why they break it", async (page) => {
  await page.goto(live);
  assert.equal(await page.locator("#verdict").innerText(), "counterexample");
  assert.equal(await page.locator("#run-faults").innerText(), "lose a->b@1 log; crash a@2");
  const said = await page.locator("#because").innerText();
  for (const part of ["post(data)@4", "lose a->b@1 log", "crash a@2", "what Broadcaster does"]) assert.ok(said.includes(part), `${part} in ${said}`);
});

test("messages of real code are arrows with their content, the lost one too", async (page) => {
  await page.goto(live);
  assert.equal(await page.locator("#spacetime .arrow.lost").count(), 1);
  await page.locator("#spacetime .arrow.lost .hit").hover();
  const tip = await page.locator("#tip").innerText();
  assert.match(tip, /log/);
  assert.match(tip, /lose a->b@1 log/);
  await page.locator("#runs [role=tab]").nth(0).click();
  assert.equal(await page.locator("#spacetime .arrow.lost").count(), 0);
});

test("what nodes told and did is found at its instant", async (page) => {
  await page.goto(live);
  await page.locator("#find").fill("delivered( c");
  await page.locator("#found .found").first().click();
  assert.match(await page.locator("#inspector .title").innerText(), /^delivered\(c, data\)@/);
  await page.locator("#find").fill("asked:");
  assert.match(await page.locator("#found").innerText(), /asked:\(a, .*data/);
});

module.exports = { live };
