// `ldfi explore` itself: the command serves, the browser plays.
const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { once } = require("node:events");
const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const { test, expectRefusals } = require("./harness.js");

const { LDFI, EXAMPLES } = process.env;

// Starts the command on an example, or on a file of its own, and reads the address that it prints.
async function serve(name, ...flags) {
  const file = path.isAbsolute(name) ? name : path.join(EXAMPLES, `${name}.ded`);
  const child = spawn(LDFI, ["explore", file, ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const lines = readline.createInterface({ input: child.stdout });
  const [url] = await Promise.race([once(lines, "line"), ended.then(([code]) => { throw new Error(`ldfi explore ended with ${code}`); })]);
  const stop = async () => {
    child.kill("SIGINT");
    const late = setTimeout(() => child.kill("SIGKILL"), 10000);
    const [code, signal] = await ended;
    clearTimeout(late);
    return signal || code;
  };
  return { url, stop, ended };
}

// Plays a game, then ends the server as Ctrl-C does.
async function game(name, flags, play) {
  const { url, stop } = await serve(name, ...flags);
  let status;
  try {
    await play(url);
  } finally {
    status = await stop();
  }
  assert.equal(status, 0, "Ctrl-C ends the server gracefully");
}

const arrow = (page, from, to, time) => page.locator(`.arrow[aria-label*="${from} → ${to}, sent @${time},"]`);
const settled = (page, text) => page.waitForFunction((t) => document.getElementById("fault-set").textContent === t, text);
const verdict = (page) => page.locator("#verdict").innerText();
const press = (page, name) => page.getByRole("button", { name }).click();

test("the served explorer: losing a message by a click breaks simple-deliv", (page) =>
  game("simple_deliv", ["--eot", "4", "--eff", "2", "--crashes", "1"], async (url) => {
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
    await page.goto(url);
    assert.equal(await verdict(page), "counterexample", "it opens with a verdict");
    assert.equal(await page.locator(".arrow").count(), 2);
    await arrow(page, "a", "b", 1).locator(".hit").click();
    await settled(page, "lose a->b@1");
    assert.equal(await verdict(page), "broken");
    assert.equal(await page.locator(".arrow.lost").count(), 1);
    await page.getByText("You broke it: 2 promises not kept.").waitFor();
    assert.match(await page.locator("#because").innerText(), /LOST by lose a->b@1/, "what the loss cut is told");
    await page.locator("#runs [role=tab]").first().click();
    assert.equal(await page.locator("#outcome option").first().innerText(), "why log(b, data)@4");
    const cut = await page.locator("#graph .goal.cut").evaluateAll((goals) => goals.map((goal) => goal.getAttribute("aria-label").split(",", 2).join(",")));
    assert.deepEqual(cut.sort(), ["log(b, data) at 2", "log(b, data) at 4"], "the falsified support is highlighted");
    await press(page, "Undo");
    await settled(page, "no faults");
    assert.equal(await verdict(page), "survives");
  }));

test("the served explorer: crashing a node by a click", (page) =>
  game("retry_deliv", ["--eot", "4", "--eff", "2", "--crashes", "1"], async (url) => {
    await page.goto(url);
    await page.locator("[data-crash='a@2']").click();
    await settled(page, "crash a@2");
    assert.equal(await verdict(page), "survives", "everybody has it by then");
    await arrow(page, "a", "b", 1).locator(".hit").click();
    await settled(page, "lose a->b@1; crash a@2");
    assert.equal(await verdict(page), "broken", "Figure 4b: nobody sends it again");
    await page.locator("[data-crash='b@2']").click();
    await page.getByText("`crash b@2`: `crashes` allows 1").waitFor();
    await settled(page, "lose a->b@1; crash a@2");
  }));

test("the served explorer: losses in a row on one link are said as one", (page) =>
  game("retry_deliv", ["--eot", "4", "--eff", "4"], async (url) => {
    await page.goto(url);
    for (const [time, said] of [[1, "lose a->b@1"], [2, "lose a->b@1–2"], [3, "lose a->b@1–3"]]) {
      await arrow(page, "a", "b", time).locator(".hit").click();
      await page.waitForFunction((text) => document.getElementById("run-faults").textContent === text, said);
    }
    assert.equal(await verdict(page), "broken");
  }));

test("the served explorer: the program is the author's files, with the rules that fired", (page) =>
  game("retry_deliv", ["--eot", "4", "--eff", "2"], async (url) => {
    await page.goto(url);
    const files = await page.locator("#program .file").allInnerTexts();
    assert.deepEqual(files.map((name) => name.split("/").pop()), ["retry_deliv.ded", "simple_deliv.ded", "broadcast_spec.ded"]);
    const written = files.flatMap((name) => fs.readFileSync(name, "utf8").trimEnd().split("\n"));
    assert.deepEqual(await page.locator("#program .line .src").allTextContents(), written);
    const fired = await page.locator("#program .line.fired .src").allTextContents();
    assert.equal(fired.length, 8, "every rule fired, and nothing else is marked");
    assert.ok(fired.includes("bcast(N, P)@next :- bcast(N, P);"));
  }));

test("the served explorer: the adversary's best move, or its surrender", async (page) => {
  await game("classic_deliv", ["--eot", "5", "--eff", "3", "--crashes", "0"], async (url) => {
    await page.goto(url);
    await press(page, "Ask the adversary");
    await settled(page, "lose a->b@1; lose a->c@1");
    assert.equal(await verdict(page), "broken");
    await press(page, "Ask the adversary");
    await page.getByText("that is my move too").waitFor();
  });
  await game("ack_deliv", ["--eot", "6", "--eff", "4", "--crashes", "1"], async (url) => {
    await page.goto(url);
    await press(page, "Ask the adversary");
    await page.getByText("I give up").waitFor();
    await settled(page, "no faults");
  });
});

test("the served explorer: a wrong token is refused", (page) =>
  game("simple_deliv", ["--eot", "4", "--eff", "2"], async (url) => {
    expectRefusals(page);
    const { origin } = new URL(url);
    for (const wrong of ["/", "/00000000000000000000000000000000/"]) {
      const answer = await page.goto(origin + wrong);
      assert.equal(answer.status(), 404);
      assert.doesNotMatch(await page.content(), /LDFI_EXPLORE/);
    }
    await page.goto(url);
    const status = await page.evaluate(async () => {
      const headers = { "Content-Type": "application/json", "X-Ldfi-Token": "wrong" };
      return (await fetch("api/run", { method: "POST", headers, body: "{}" })).status;
    });
    assert.equal(status, 403);
  }));

test("the served explorer: whoever waits for it goes on when the page ends it", async (page) => {
  const { url, ended } = await serve("simple_deliv", "--eot", "4", "--eff", "2");
  await page.goto(url);
  await page.getByRole("button", { name: "End", exact: true }).click();
  await page.getByText("Ended. This page can be closed.").waitFor();
  assert.deepEqual(await ended, [0, null]);
});

test("the served explorer: the page says so when its server has gone", async (page) => {
  const { url, stop } = await serve("simple_deliv", "--eot", "4", "--eff", "2");
  await page.goto(url);
  assert.equal(await stop(), 0);
  expectRefusals(page);
  await arrow(page, "a", "b", 1).locator(".hit").click();
  await page.getByText("The server does not answer.").waitFor();
  assert.equal(await page.locator("#fault-set").textContent(), "no faults");
});

module.exports = { serve, game, arrow, settled, press };
