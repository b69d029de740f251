// Every kind of fault: how the page draws it, and how it is played by clicking in `ldfi explore`.
const assert = require("node:assert/strict");
const path = require("node:path");
const { test } = require("./harness.js");
const { sample } = require("./report.js");
const { game, arrow, settled, press } = require("./explorer.js");

const STORM = path.join(__dirname, "storm.ded");
const BOUNDS = ["--eot", "6", "--eff", "4", "--crashes", "1"];
const EVERYTHING = [...BOUNDS, "--delay", "2", "--duplicates", "1", "--partitions", "1", "--restarts", "1", "--pauses", "1"];

// An arrow that is bent is not where its middle is: the click is sent to the arrow itself.
const click = (page, from, to, time) => arrow(page, from, to, time).first().locator(".hit").dispatchEvent("click");
const choose = (page, name) => page.locator("#moves").getByRole("button", { name, exact: true }).click();
const node = (page, place) => page.locator(`[data-crash='${place}']`);
const refused = (page) => page.locator("#game .said.refused").innerText();
const count = (page, what) => page.locator(`#spacetime ${what}`).count();

test("every kind of fault leaves its mark on the page", async (page) => {
  await page.goto(sample("stormy"));
  await page.locator("#runs [role=tab]").nth(1).click();
  assert.equal(await page.locator("#spacetime-hint").innerText(), "36 messages sent, 11 lost, 1 late, 1 copy");
  for (const [mark, times] of [[".arrow.late:not(.copy)", 1], [".arrow.copy", 1], [".hatch", 1], [".wall", 1], [".input.given", 1], [".dot.back", 1]]) {
    assert.equal(await count(page, mark), times, mark);
  }
  const texts = await page.locator("#spacetime text").allTextContents();
  for (const said of ["2 late", "copy, 1 late", "pause", "partition", "restart", "bcast(d, more)"]) assert.ok(texts.includes(said), said);
  assert.equal(texts.filter((text) => text === "crash").length, 2, "one for good, one with its restart");
  await arrow(page, "a", "b", 1).dispatchEvent("mouseenter");
  assert.match(await page.locator("#tip").innerText(), /arrives @4 \(delay a->b@1 by 2\)/);
  assert.match(await page.locator(".arrow.copy").getAttribute("aria-label"), /a copy arrives @3 \(duplicate a->c@1 by 1\)/);
});

test("a late message ends where it lands, and its receiver is busy then", async (page) => {
  await page.goto(sample("stormy"));
  await page.locator("#runs [role=tab]").nth(1).click();
  const top = async (what) => (await page.locator(what).boundingBox()).y;
  const drop = async (what) => { const box = await page.locator(what).boundingBox(); return box.height; };
  assert.ok(await drop(".arrow.late:not(.copy) .shaft") > 2.5 * (await top("[data-arrow='6'] .shaft") - await top(".arrow.late:not(.copy) .shaft")), "three steps down");
  // Nothing arrives at b at 2: what was sent at 1 is late.
  const dots = await page.locator("#spacetime .dot").evaluateAll((all) => all.map((dot) => [dot.getAttribute("class"), dot.getAttribute("cx"), dot.getAttribute("cy")]));
  const lanes = [...new Set(dots.map(([, x]) => Number(x)))].sort((a, b) => a - b);
  const [first, second] = [...new Set(dots.map(([, , y]) => Number(y)))].sort((a, b) => a - b);
  const at = (y) => dots.find(([, x, dy]) => Number(x) === lanes[1] && Number(dy) === y)[0];
  assert.deepEqual([at(first), at(second)], ["dot", "dot"]);
});

test("a message is lost, delayed or copied by a click", (page) =>
  game(STORM, EVERYTHING, async (url) => {
    await page.goto(url);
    await click(page, "a", "b", 1);
    await choose(page, "delay it by 2");
    await settled(page, "delay a->b@1 by 2");
    assert.equal(await count(page, ".arrow.late"), 1);
    await click(page, "a", "b", 1);
    await choose(page, "Take back delay a->b@1 by 2");
    await settled(page, "no faults");
    await click(page, "a", "c", 1);
    await choose(page, "copy it, late by 1");
    await settled(page, "duplicate a->c@1 by 1");
    assert.equal(await count(page, ".arrow.copy"), 1);
    await click(page, "a", "b", 1);
    await choose(page, "lose it");
    await settled(page, "lose a->b@1; duplicate a->c@1 by 1");
    assert.equal(await page.locator("#verdict").innerText(), "broken");
    await page.locator(".arrow.lost .hit").click();
    await settled(page, "duplicate a->c@1 by 1");
  }));

test("a node is paused, crashed and brought back by clicks", (page) =>
  game(STORM, EVERYTHING, async (url) => {
    await page.goto(url);
    await node(page, "b@2").click();
    await choose(page, "pause it until 4");
    await settled(page, "pause b@2 until 4");
    assert.equal(await count(page, ".hatch"), 1);
    await node(page, "b@3").click();
    await choose(page, "Take back pause b@2 until 4");
    await settled(page, "no faults");
    await node(page, "a@2").click();
    await choose(page, "crash a@2");
    await settled(page, "crash a@2");
    await node(page, "a@4").click();
    await choose(page, "restart it here");
    await settled(page, "crash a@2; restart a@4");
    assert.equal(await count(page, ".dot.back"), 1);
    await node(page, "a@2").click();
    await settled(page, "no faults");
    await press(page, "Undo");
    await settled(page, "crash a@2; restart a@4");
    await press(page, "remove crash a@2");
    await settled(page, "no faults");
  }));

test("the nodes are parted by a click on a step", (page) =>
  game(STORM, EVERYTHING, async (url) => {
    await page.goto(url);
    await page.locator("[data-part='1']").click();
    await page.locator("#moves [data-side='b']").click();
    await choose(page, "from the others, until 3");
    await settled(page, "partition a|b,c@1 until 3");
    assert.equal(await count(page, ".wall"), 1);
    assert.equal(await page.locator("#verdict").innerText(), "broken");
    await page.locator(".arrow.lost .hit").first().click();
    await settled(page, "no faults");
  }));

test("an input is given by a click, and taken back by another", (page) =>
  game(STORM, EVERYTHING, async (url) => {
    await page.goto(url);
    assert.equal(await count(page, ".input"), 2, "it may come at two steps");
    await page.locator("#spacetime .input").first().click();
    await settled(page, 'give bcast("c", "more")@2');
    assert.equal(await count(page, ".input.given"), 1);
    assert.equal(await arrow(page, "c", "a", 2).count(), 1, "and it is sent on");
    assert.equal(await node(page, "c@2").count(), 1, "the node beside it can be struck");
    await page.locator("#spacetime .input.given").click();
    await settled(page, "no faults");
  }));

test("where single messages are struck, each has its own moves", (page) =>
  game(STORM, [...BOUNDS, "--per-message"], async (url) => {
    await page.goto(url);
    await click(page, "a", "b", 1);
    await choose(page, 'log("b", "data"): lose it');
    await settled(page, 'lose a->b@1 log("b", "data")');
    assert.equal(await arrow(page, "a", "b", 1).count(), 2, "the other message arrives");
    await page.locator(".arrow.lost .hit").click();
    await settled(page, "no faults");
  }));

test("the server refuses what goes beyond the bounds, and its reason is shown", (page) =>
  game(STORM, EVERYTHING, async (url) => {
    await page.goto(url);
    await node(page, "b@2").click();
    await choose(page, "pause it until 3");
    await settled(page, "pause b@2 until 3");
    for (const [move, reason] of [
      [async () => { await node(page, "c@2").click(); await choose(page, "pause it until 3"); }, /`pause c@2 until 3`: `pauses` allows 1/],
      [async () => { await page.locator("[data-part='5']").click(); await choose(page, "from the others, until 6"); }, /strikes later than EFF/],
      [async () => { await page.locator("[data-part='1']").click(); await page.locator("#moves [data-side='c']").click(); await choose(page, "from the others, until 2"); }, /`partition a,b,c\|@1 until 2` is not a fault/],
    ]) {
      await move();
      await page.locator("#game .said.refused").waitFor();
      assert.match(await refused(page), reason);
      await settled(page, "pause b@2 until 3");
      await press(page, "Undo");
      await settled(page, "no faults");
      assert.equal(await page.locator("#game .said.refused").count(), 0, "what is allowed is not refused");
      await node(page, "b@2").click();
      await choose(page, "pause it until 3");
      await settled(page, "pause b@2 until 3");
    }
  }));

test("the adversary answers within the bounds that were chosen", async (page) => {
  for (const [flags, answer] of [
    [["--losses", "0", "--pauses", "1"], "no faults"],
    [["--losses", "0", "--partitions", "1"], "partition a,b|c@1 until 2"],
    [["--losses", "0", "--delay", "5"], "delay a->b@1 by 5"],
  ]) {
    await game(STORM, ["--eot", "6", "--eff", "4", "--crashes", "0", "--gives", "0", ...flags], async (url) => {
      await page.goto(url);
      await press(page, "Ask the adversary");
      await page.getByText(/after \d+ ms/).waitFor();
      assert.equal(await page.locator("#fault-set").textContent(), answer);
    });
  }
});

test("everything can be struck without a mouse", (page) =>
  game(STORM, EVERYTHING, async (url) => {
    await page.goto(url);
    await page.locator("#time").fill("2");
    const picker = page.locator("#game select");
    await picker.selectOption({ label: "b" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await settled(page, "pause b@2 until 3");
    await page.locator("#game select").selectOption({ label: "give an input…" });
    await settled(page, 'pause b@2 until 3; give bcast("c", "more")@2');
    await page.locator("#game select").selectOption({ label: "part the nodes…" });
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#moves").isVisible(), false);
    await page.locator("#spacetime .arrow[tabindex='0']").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator(".arrow.lost").waitFor();
  }));
