// What every browser test shares: a list of tests, a page for each, and a console that must stay silent.
const { chromium } = require("playwright-core");
const assert = require("node:assert/strict");

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const VIEWPORT = { width: 1400, height: 900 };

const tests = [];
const test = (name, body) => tests.push({ name, body });

// From here on the browser may report requests that fail: the test is about them.
const expectRefusals = (page) => page.removeAllListeners("console");

// Runs one test on a page of its own; true if it passed.
async function passes(browser, { name, body }) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(10000);
  const problems = [];
  // The browser itself reports a refused request; everything else on the console is a fault of the page.
  page.on("console", (m) => { if (m.type() === "error" && !/status of 400/.test(m.text())) problems.push(m.text()); });
  page.on("pageerror", (error) => problems.push(error.message));
  try {
    await body(page);
    assert.deepEqual(problems, [], "nothing is said on the console");
    console.log(`ok    ${name}`);
    return true;
  } catch (error) {
    console.log(`FAIL  ${name}\n${error.stack}\n${problems.join("\n")}`);
    return false;
  } finally {
    await page.close();
  }
}

// Runs them all, then whatever else wants a browser.
async function run(after) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
  let failed = 0;
  for (const one of tests) if (!await passes(browser, one)) failed++;
  await after(browser);
  await browser.close();
  console.log(failed ? `${failed} of ${tests.length} failed` : `all ${tests.length} passed`);
  return failed;
}

module.exports = { test, run, expectRefusals, VIEWPORT };
