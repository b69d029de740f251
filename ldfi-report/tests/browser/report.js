// Loads the sample reports in a real browser and uses them as a reader would.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { execFileSync } = require("node:child_process");
const { test } = require("./harness.js");

const { SAMPLES, LDFI, EXAMPLES } = process.env;
const sample = (name) => `file://${path.join(SAMPLES, name, "index.html")}`;
const tab = (page, at) => page.locator("#runs [role=tab]").nth(at);
const goal = (page, label) => page.locator(`#graph .goal[aria-label^="${label}"]`);
const asGraph = (page) => page.locator("#as-graph").click();
// The report that the command itself writes of an example.
function real(name, ...flags) {
  const folder = path.join(SAMPLES, "real", name);
  try {
    execFileSync(LDFI, ["check", path.join(EXAMPLES, `${name}.ded`), ...flags, "--report", folder], { stdio: "ignore" });
  } catch (error) {
    assert.equal(error.status, 1, "a counterexample is no failure of the command");
  }
  return `file://${path.join(folder, "index.html")}`;
}
const kafka = () => real("kafka", "--eot", "6", "--eff", "4", "--crashes", "1");
const title = (page) => page.locator("#inspector .title").innerText();

test("the page opens on the counterexample with its verdict and faults", async (page) => {
  await page.goto(sample("simple-deliv"));
  assert.equal(await page.locator("#verdict").innerText(), "counterexample");
  assert.equal(await page.locator("#run-faults").innerText(), "lose a->b@1");
  assert.equal(await page.locator(".arrow.lost").count(), 1);
  assert.match(await page.locator("#because").innerText(), /LOST by lose a->b@1/);
  await asGraph(page);
  assert.deepEqual(await page.locator("#graph .goal.gone").allTextContents(), ["post(a, data)", "log(b, data) since @2"]);
  assert.deepEqual(await page.locator("#graph .goal.fault").allTextContents(), ["lose a->b@1"]);
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
  await tab(page, 0).click();
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
  await tab(page, 0).click();
  const stops = new Set();
  for (let i = 0; i < 60; i++) {
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
  const lines = (text) => text.split("\n").map((line) => line.replace(/^[│├└─ ]+/u, "").replace(/\s+/g, " ").trim()).filter(Boolean);
  for (const [name, run] of [["simple-deliv", 1], ["retry-deliv", 1], ["retry-deliv", 2]]) {
    await page.goto(sample(name));
    await tab(page, run).click();
    const drawn = await page.locator("#because .said, #because .later").allTextContents();
    assert.deepEqual(drawn.flatMap(lines), lines(fs.readFileSync(path.join(SAMPLES, name, `because-${run}.txt`), "utf8")));
  }
});

test("the page and the command line draw alike", async (page) => {
  for (const [name, run] of [["simple-deliv", 1], ["retry-deliv", 1], ["retry-deliv", 2]]) {
    await page.goto(sample(name));
    await tab(page, run).click();
    await asGraph(page);
    const drawn = await page.locator("#graph .goal").evaluateAll((goals) => goals.map((goal) => {
      const [, label, time, state] = /^(.*) at (\d+), (.*)$/.exec(goal.getAttribute("aria-label"));
      return state === "a fault" ? label : `${label.replace(/ since @\d+$/, "")}@${time}`;
    }));
    const told = fs.readFileSync(path.join(SAMPLES, name, `lineage-${run}.txt`), "utf8").split("\n");
    assert.deepEqual(drawn.sort(), told.sort());
  }
});

test("what is broken is a tree that folds, and each of its tuples a link", async (page) => {
  await page.goto(sample("retry-deliv"));
  const first = page.locator("#because > details").first();
  assert.ok(await first.locator(".below").first().isVisible());
  await first.locator("summary").first().click({ position: { x: 4, y: 8 } });
  assert.ok(!await first.locator(".below").first().isVisible());
  await first.locator("summary").first().click({ position: { x: 4, y: 8 } });
  await page.locator("#because .tuple.gone", { hasText: "log(b, data)@4" }).click();
  assert.equal(await title(page), "log(b, data)@4");
  assert.match(await page.locator("#inspector .because").innerText(), /LOST by lose a->b@1[^]*not sent: a is down by crash a@2/);
  assert.equal(await page.locator("#because .tuple.chosen").count(), 1);
});

test("the explanation of kafka names the missing replicas and every fault, and nothing that changes is called constant", async (page) => {
  await page.goto(kafka());
  const said = await page.locator("#because").textContent();
  for (const part of ["isr(a, b)@3", "lose b->zk@1", "lose c->zk@1", "crash a@4", "for good, as far as can be seen"]) assert.ok(said.includes(part), part);
  for (const time of [1, 3, 6]) {
    await page.locator("#time").fill(String(time));
    const constant = await page.locator("#tables summary").allTextContents();
    assert.ok(!constant.some((text) => /^(isr|view) /.test(text)), constant.join());
  }
});

test("Fit shows the whole graph, and no label is wider than its box", async (page) => {
  await page.setViewportSize({ width: 1600, height: 900 });
  await page.goto(kafka());
  await asGraph(page);
  await page.locator("#zoom-fit").click();
  const host = await page.locator("#graph").boundingBox();
  const goals = await page.locator("#graph .goal").evaluateAll((all) => all.map((goal) => {
    const [box, text] = [goal.querySelector("rect"), goal.querySelector("text")].map((part) => part.getBoundingClientRect());
    return { name: goal.getAttribute("aria-label"), left: box.left, right: box.right, top: box.top, bottom: box.bottom, fits: text.width <= box.width };
  }));
  assert.ok(goals.length > 10);
  for (const { name, left, right, top, bottom, fits } of goals) {
    assert.ok(left >= host.x && right <= host.x + host.width && top >= host.y && bottom <= host.y + host.height, `${name} is not seen`);
    assert.ok(fits, `${name} is clipped`);
  }
});

test("no word in space and time is cut off at the edge", async (page) => {
  for (const width of [1600, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(real("raft_commit_old_term", "--eot", "14", "--eff", "12"));
    const edge = await page.locator("#spacetime svg").evaluate((svg) => svg.getBoundingClientRect().right);
    const words = await page.locator("#spacetime svg text").evaluateAll((all) => all.map((text) => [text.textContent, text.getBoundingClientRect().right]));
    assert.ok(words.length > 20);
    for (const [word, right] of words) assert.ok(right <= edge, `${word} ends at ${right}, the picture at ${edge}`);
  }
});

// Letters against what is behind them, as the eye sees it: from 1 to 21.
const contrast = (locator) => locator.evaluate((element) => {
  const colour = (text) => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  let behind = element;
  while (behind && (colour(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
  const style = getComputedStyle(element);
  const [one, other] = [light(colour(element instanceof SVGElement ? style.fill : style.color)), light(colour(getComputedStyle(behind || document.body).backgroundColor))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
});

test("everything can be read in the light and in the dark", async (page) => {
  const inks = new Set();
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const address of [sample("retry-deliv"), comparison()]) {
      await page.goto(address);
      inks.add(`${colorScheme} ${await page.evaluate(() => getComputedStyle(document.body).color)}`);
      for (const what of ["h1", "#verdict", "#because .said", "#because .tuple", "#spacetime svg text", "#tables .row", "td", "th"]) {
        const some = page.locator(what);
        if (await some.count()) {
          const ratio = await contrast(some.first());
          assert.ok(ratio >= 3, `${what} has a contrast of ${ratio.toFixed(1)} in the ${colorScheme}`);
        }
      }
    }
  }
  assert.equal(new Set([...inks].map((ink) => ink.slice(ink.indexOf(" ")))).size, inks.size, "the two differ");
});

test("a large certified protocol opens on something that can be read", async (page) => {
  await page.goto(real("raft_log", "--eot", "14", "--eff", "12"));
  const host = await page.locator("#graph").boundingBox();
  const boxes = await page.locator("#graph .goal rect").evaluateAll((all) => all.map((box) => box.getBoundingClientRect().toJSON()));
  const seen = boxes.filter((box) => box.left >= host.x && box.right <= host.x + host.width && box.top >= host.y && box.bottom <= host.y + host.height);
  assert.ok(boxes[0].height >= 15, "letters are large enough");
  assert.ok(seen.length >= 12, `${seen.length} of ${boxes.length} tuples are in sight`);
  assert.ok(seen.some((box) => box.left === boxes[0].left && box.top === boxes[0].top), "and the outcome is one of them");
});

test("a crash is one box, however many may ask about it", async (page) => {
  await page.goto(kafka());
  assert.deepEqual(await page.locator("#tables .turns .row").allTextContents(), ["crash a@4"]);
  assert.ok(!(await page.locator("#tables h4, #tables summary").allTextContents()).some((text) => text.startsWith("crash")));
  await asGraph(page);
  assert.equal(await goal(page, "crash a@4").count(), 1);
  assert.equal(await goal(page, "crash(").count(), 0);
});

test("runs are named by their faults", async (page) => {
  await page.goto(sample("retry-deliv"));
  assert.deepEqual(await page.locator("#runs .name").allInnerTexts(), ["failure-free", "lose a->b@1; crash a@2", "lose a->c@1; crash a@2"]);
});

test("two runs can be put side by side", async (page) => {
  await page.goto(sample("retry-deliv"));
  assert.ok(!await page.locator("#beside-panel").isVisible());
  await page.locator("#beside-run").selectOption({ label: "lose a->c@1; crash a@2" });
  assert.equal(await page.locator("#beside-title").innerText(), "lose a->c@1; crash a@2");
  const lost = (id) => page.locator(`#${id} .arrow.lost`).getAttribute("aria-label");
  assert.match(await lost("spacetime"), /a → b/);
  assert.match(await lost("beside"), /a → c/);
  const [one, other] = [await page.locator("#spacetime").boundingBox(), await page.locator("#beside").boundingBox()];
  assert.ok(one.x + one.width <= other.x && Math.abs(one.y - other.y) < 2, "beside, not below");
  await page.locator("#time").fill("2");
  const gone = page.locator("#tables .row.gone", { hasText: "data" });
  assert.ok((await gone.allTextContents()).some((text) => text.includes("b,")), "b has it there, and not here");
  assert.match(await gone.first().getAttribute("title"), /holds here in lose a->c@1/);
  await page.locator("#beside-run").selectOption({ label: "nothing" });
  assert.ok(!await page.locator("#beside-panel").isVisible());
});

test("relations and nodes can be filtered", async (page) => {
  await page.goto(sample("retry-deliv"));
  await tab(page, 0).click();
  const box = (name) => page.locator(`[data-filter="${name}"]`);
  const arrows = await page.locator("#spacetime .arrow").count();
  await page.locator("#filter summary").click();
  await box("c").uncheck();
  assert.ok(await page.locator("#spacetime .arrow").count() < arrows, "what goes to c is not drawn");
  assert.equal(await page.locator("#tables .card[aria-label='c']").count(), 0);
  await box("log").uncheck();
  assert.equal(await page.locator("#spacetime .arrow").count(), 0);
  assert.ok(!(await page.locator("#tables h4").allTextContents()).includes("log"));
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await page.locator("#spacetime .arrow").count(), arrows);
});

test("a tuple can be found whenever it holds", async (page) => {
  await page.goto(sample("retry-deliv"));
  await tab(page, 0).click();
  await page.locator("#find").fill("log( b");
  assert.deepEqual(await page.locator("#found .found").allTextContents(), ["log(b, data)@2-4", "missing_log(b, data)@1"]);
  await page.locator("#found .found").first().click();
  assert.equal(await title(page), "log(b, data)@2");
  await page.locator("#find").fill("nobody");
  assert.match(await page.locator("#found").innerText(), /No tuple/);
});

test("a rule leads to its place in the source", async (page) => {
  await page.goto(kafka());
  await page.locator("#because .place", { hasText: "kafka_replication.ded:41" }).click();
  assert.match(await page.locator("#source-place").innerText(), /examples\/.*kafka_replication\.ded:41$/);
  const line = page.locator("#program .line.here");
  assert.match(await line.first().innerText(), /unreplicated\(/);
  assert.ok(await line.first().isVisible());
});

test("a verdict without runs is still a page", async (page) => {
  await page.goto(sample("empty"));
  assert.equal(await page.locator("#verdict").innerText(), "inconclusive");
  await page.locator("#time").focus();
  await page.keyboard.press("ArrowRight");
});

test("zoom, pan and fit move the graph", async (page) => {
  await page.goto(sample("retry-deliv"));
  await asGraph(page);
  const where = () => page.locator("#graph svg > g").getAttribute("transform");
  // A graph that is shown is fitted once its room is known.
  let start = await where();
  for (let now; (now = (await page.waitForTimeout(100), await where())) !== start; ) start = now;
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
  await tab(page, 0).click();
  await page.locator("#show-all").check();
  const box = await page.locator("#graph").boundingBox();
  for (const at of [0, 1]) {
    const name = await page.locator("#graph .lane-name").nth(at).boundingBox();
    assert.ok(name.y >= box.y && name.y < box.y + 24, "the root is far down, and the names are at the top");
  }
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 8);
  await page.mouse.down();
  // So far that the left edge of the graph is out of sight.
  await page.mouse.move(box.x + 10, box.y + box.height - 60);
  await page.mouse.up();
  const mark = await page.locator("#graph .labels .soft").last().boundingBox();
  assert.ok(mark.x >= box.x && mark.x < box.x + 38, "times stay at the left");
});

test("data cannot break out of the page", async (page) => {
  await page.goto(sample("hostile"));
  assert.equal(await page.evaluate(() => window.BROKEN), undefined);
  assert.match(await page.locator("#because").innerText(), /<\/script>/);
  await asGraph(page);
  assert.match(await page.locator("#graph").innerText(), /<\/script>/);
});

// The page of a comparison that the command itself writes.
function comparison() {
  const folder = path.join(SAMPLES, "real", "compare");
  const files = ["simple_deliv", "retry_deliv", "redun_deliv"].map((name) => path.join(EXAMPLES, `${name}.ded`));
  execFileSync(LDFI, ["compare", ...files, "--eot", "5", "--crashes", "1", "--report", folder], { stdio: "ignore" });
  return `file://${path.join(folder, "index.html")}`;
}

test("variants stand side by side, each with its frontier", async (page) => {
  await page.goto(comparison());
  assert.equal(await page.locator("svg.map").count(), 3);
  const text = await page.locator("body").innerText();
  for (const said of ["3 variants side by side", "simple_deliv", "lose a->b@1; crash a@2", "fault-tolerant"]) assert.ok(text.includes(said), said);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(wide, 0, "nothing is cut off at the right");
});

// What a reader waits for: the page, a step, another run, a choice.
async function waits(page, address) {
  const start = Date.now();
  await page.goto(address);
  await page.locator("#because .said").first().waitFor();
  const load = Date.now() - start;
  const deeds = await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const timed = async (deed) => { const t = performance.now(); deed(); await frame(); return performance.now() - t; };
    const later = document.getElementById("later");
    return {
      step: await timed(() => later.click()),
      run: await timed(() => document.querySelectorAll("#runs [role=tab]")[0].click()),
      choose: await timed(() => document.querySelector("[data-tuple]").click()),
    };
  });
  return { load, ...deeds };
}

test("twenty thousand tuples stay responsive, next to some dozens", async (page) => {
  const few = await waits(page, sample("simple-deliv"));
  const many = await waits(page, sample("big"));
  const told = Object.keys(many).map((deed) => `${deed} ${few[deed].toFixed(0)} -> ${many[deed].toFixed(0)} ms`).join(", ");
  console.log(`    ${told}`);
  // A thousand times as much of everything, and nowhere near a thousand times the wait.
  assert.ok(Object.keys(many).every((deed) => many[deed] < 100 * Math.max(few[deed], 1)), told);
});

module.exports = { sample, real, kafka, comparison };
