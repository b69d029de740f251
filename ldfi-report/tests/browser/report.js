// Loads the sample reports in a real browser and uses them as a reader would.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("./harness.js");

const { SAMPLES } = process.env;
const sample = (name) => `file://${path.join(SAMPLES, name, "index.html")}`;
const tab = (page, at) => page.locator("#runs [role=tab]").nth(at);
const goal = (page, label) => page.locator(`#graph .goal[aria-label^="${label}"]`);
const title = (page) => page.locator("#inspector .title").innerText();

test("the page opens on the counterexample with its verdict and faults", async (page) => {
  await page.goto(sample("simple-deliv"));
  assert.equal(await page.locator("#verdict").innerText(), "counterexample");
  assert.equal(await page.locator("#run-faults").innerText(), "lose a->b@1");
  assert.equal(await page.locator(".arrow.lost").count(), 1);
  assert.equal(await page.locator("#graph .goal.gone").count(), 4);
  assert.equal(await page.locator("#graph .edge.lost").count(), 1);
});

test("switching runs changes every view", async (page) => {
  await page.goto(sample("simple-deliv"));
  await tab(page, 0).click();
  assert.equal(await page.locator("#run-faults").innerText(), "no faults");
  assert.equal(await page.locator(".arrow.lost").count(), 0);
  assert.ok(await page.locator("#graph .goal.cut").count() > 0, "falsified support is marked in the failure-free run");
  await page.keyboard.press("2");
  assert.equal(await tab(page, 1).getAttribute("aria-selected"), "true");
});

test("the slider shows the tables of each step and what changed", async (page) => {
  await page.goto(sample("retry-deliv"));
  await page.locator("#time").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#now").innerText(), "2 / 4");
  assert.match(await page.locator("#changes").innerText(), /new/);
  assert.ok(await page.locator("#tables .row.new").count() > 0);
  assert.ok(await page.locator("#tables .row.gone").count() > 0, "what the faults took away is shown");
  await page.locator("#later").click();
  assert.equal(await page.locator("#time").inputValue(), "3");
  await page.locator("body").press("ArrowLeft");
  assert.equal(await page.locator("#time").inputValue(), "2");
});

test("hovering a message shows its tuple and rule", async (page) => {
  await page.goto(sample("simple-deliv"));
  await page.locator(".arrow.lost .hit").hover();
  const said = await page.locator("#tip").innerText();
  assert.match(said, /log\(b, data\)/);
  assert.match(said, /lose a->b@1/);
  assert.match(said, /@async/);
});

test("clicking a tuple walks its lineage in both diagrams at once", async (page) => {
  await page.goto(sample("retry-deliv"));
  await goal(page, "log(b, data) at 4").click();
  assert.equal(await title(page), "log(b, data)@4");
  assert.ok(await page.locator("#graph .dimmed .goal.lit").count() > 1);
  assert.ok(await page.locator("#spacetime .arrow.lit").count() >= 1);
  await page.locator("#inspector .link", { hasText: "log(b, data)@3" }).click();
  assert.equal(await title(page), "log(b, data)@3");
  assert.equal(await page.locator("#time").inputValue(), "3");
  await page.locator("body").press("Escape");
  assert.equal(await page.locator("#graph .dimmed").count(), 0);
});

test("a row of a table can be explained too", async (page) => {
  await page.goto(sample("simple-deliv"));
  await tab(page, 0).click();
  await page.locator("#time").fill("4");
  await page.locator("#tables .card", { hasText: "post" }).locator("[data-tuple]").first().click();
  assert.match(await title(page), /@4$/);
  assert.ok(await page.locator("#program .line.chosen").count() > 0);
});

test("the whole page can be used from the keyboard", async (page) => {
  await page.goto(sample("retry-deliv"));
  const stops = new Set();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    stops.add(await page.evaluate(() => {
      const at = document.activeElement;
      return at.id || at.getAttribute("role") && at.getAttribute("class")?.split(" ")[0] || at.getAttribute("role") || at.className;
    }));
  }
  for (const stop of ["arrow", "goal", "time", "outcome", "zoom-fit", "program"]) assert.ok(stops.has(stop), `${stop} in ${[...stops]}`);
  await page.locator("#graph .goal[tabindex='0']").focus();
  await page.keyboard.press("ArrowUp");
  const first = await title(page);
  await page.keyboard.press("ArrowUp");
  assert.notEqual(await title(page), first);
  await page.keyboard.press("ArrowDown");
  assert.equal(await title(page), first);
  await page.locator("#spacetime .arrow[tabindex='0']").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.match(await title(page), /^log/);
});

test("the page and the command line explain alike", async (page) => {
  for (const [name, run] of [["simple-deliv", 1], ["retry-deliv", 1], ["retry-deliv", 2]]) {
    await page.goto(sample(name));
    await tab(page, run).click();
    const drawn = await page.locator("#graph .goal").evaluateAll((goals) =>
      goals.map((goal) => goal.getAttribute("aria-label").replace(/ at (\d+), .*/, "@$1")));
    const told = fs.readFileSync(path.join(SAMPLES, name, `lineage-${run}.txt`), "utf8").split("\n");
    assert.deepEqual(drawn.sort(), told.sort());
  }
});

test("a verdict without runs is still a page", async (page) => {
  await page.goto(sample("empty"));
  assert.equal(await page.locator("#verdict").innerText(), "inconclusive");
  await page.locator("#time").focus();
  await page.keyboard.press("ArrowRight");
});

test("zoom, pan and fit move the graph", async (page) => {
  await page.goto(sample("retry-deliv"));
  const where = () => page.locator("#graph svg > g").getAttribute("transform");
  const start = await where();
  await page.locator("#zoom-in").click();
  assert.notEqual(await where(), start);
  await page.locator("#zoom-fit").click();
  assert.equal(await where(), start);
  const box = await page.locator("#graph").boundingBox();
  await page.mouse.move(box.x + 8, box.y + box.height - 8);
  await page.mouse.down();
  await page.mouse.move(box.x + 80, box.y + box.height - 60);
  await page.mouse.up();
  assert.notEqual(await where(), start);
  assert.equal(await page.locator("#inspector .title").count(), 0, "a drag is not a click");
});

test("a graph that is moved still says whose lane it is and what time", async (page) => {
  await page.goto(sample("big"));
  const box = await page.locator("#graph").boundingBox();
  for (const at of [0, 1]) {
    const name = await page.locator("#graph .lane-name").nth(at).boundingBox();
    assert.ok(name.y >= box.y && name.y < box.y + 24, "the root is far down, and the names are at the top");
  }
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 8);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height - 60);
  await page.mouse.up();
  const mark = await page.locator("#graph .labels .soft").last().boundingBox();
  assert.ok(mark.x >= box.x && mark.x < box.x + 38, "times stay at the left");
});

test("data cannot break out of the page", async (page) => {
  await page.goto(sample("hostile"));
  assert.equal(await page.evaluate(() => window.BROKEN), undefined);
  assert.match(await page.locator("#graph").innerText(), /<\/script>/);
});

test("twenty thousand tuples stay responsive", async (page) => {
  const start = Date.now();
  await page.goto(sample("big"));
  await page.locator("#graph .goal").first().waitFor();
  const loaded = Date.now() - start;
  const spent = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const timed = async (deed) => { const t = performance.now(); deed(); await frame(); return performance.now() - t; };
    const later = document.getElementById("later");
    return {
      step: await timed(() => later.click()),
      run: await timed(() => document.querySelectorAll("#runs [role=tab]")[0].click()),
      choose: await timed(() => document.querySelector("[data-tuple]").click()),
    };
  });
  console.log(`    load ${loaded} ms, step ${spent.step.toFixed(0)} ms, run ${spent.run.toFixed(0)} ms, choose ${spent.choose.toFixed(0)} ms`);
  assert.ok(loaded < 6000 && spent.step < 1500 && spent.run < 3000 && spent.choose < 2000, JSON.stringify({ loaded, ...spent }));
});

module.exports = { sample };
