// The explorer's page against a server with ready answers: refusals and races that a real one seldom gives.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { test } = require("./harness.js");

const { SAMPLES } = process.env;

// A server with ready answers: what the explorer's own server would run.
function stub() {
  const seen = [];
  const name = ({ faults }) => (faults || "no faults").replaceAll("->", "-").replaceAll(" ", "_");
  const answer = (faults) => fs.readFileSync(path.join(SAMPLES, "explorer", `${name(faults)}.json`), "utf8");
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (part) => { body += part; });
    request.on("end", () => {
      const reply = (status, text, type = "application/json") => {
        response.writeHead(status, { "Content-Type": type });
        response.end(text);
      };
      const file = request.url === "/failed" ? "failed.html" : "index.html";
      if (request.method === "GET") return reply(200, fs.readFileSync(path.join(SAMPLES, "explorer", file)), "text/html");
      if (request.headers["x-ldfi-token"] !== "sesame") return reply(403, '{"error":"wrong token"}');
      if (request.url === "/api/end") return reply(200, '{"ended":true}');
      const faults = JSON.parse(body);
      seen.push([request.url, name(faults)]);
      if (request.url === "/api/adversary") {
        const move = { faults: "lose a->b@1" };
        return reply(200, JSON.stringify({ run: JSON.parse(answer(move)), message: "My move: lose a->b@1." }));
      }
      try {
        reply(200, answer(faults));
      } catch {
        reply(400, '{"error":"not that one"}');
      }
    });
  });
  return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready({ server, seen, url: `http://127.0.0.1:${server.address().port}/` })));
}

test("the explorer loses a message, undoes it, and asks the adversary", async (page) => {
  const { server, seen, url } = await stub();
  try {
    const faults = () => page.locator("#fault-set").textContent();
    const settled = (text) => page.waitForFunction((t) => document.getElementById("fault-set").textContent === t, text);
    await page.goto(url);
    assert.equal(await page.locator("#verdict").innerText(), "fault-tolerant");
    await page.locator(".arrow .hit").first().click();
    await settled("lose a->b@1");
    assert.equal(await page.locator("#verdict").innerText(), "broken");
    assert.equal(await page.locator(".arrow.lost").count(), 1);
    await page.locator(".arrow:not(.lost) .hit").first().click();
    await settled("lose a->b@1; lose a->c@1");
    await page.getByRole("button", { name: "remove lose a->c@1" }).click();
    await settled("lose a->b@1");
    await page.getByRole("button", { name: "Start over" }).click();
    await settled("no faults");
    await page.getByRole("button", { name: "Undo" }).click();
    await settled("lose a->b@1");
    await page.getByRole("button", { name: "Start over" }).click();
    await settled("no faults");
    await page.locator("[data-crash='b@2']").click();
    await page.getByText("not that one").waitFor();
    assert.equal(await faults(), "no faults", "a refused move changes nothing");
    await page.locator("[data-crash='a@1']").click();
    await settled("crash a@1");
    await page.locator("[data-crash='b@2']").click();
    await page.getByText("not that one").waitFor();
    assert.equal(await faults(), "crash a@1", "what is allowed is for the server to say");
    await page.getByRole("button", { name: "Ask the adversary" }).click();
    await settled("lose a->b@1");
    await page.getByText("My move: lose a->b@1.").waitFor();
    assert.deepEqual(seen.at(-1), ["/api/adversary", "crash_a@1"]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("the explorer opens on what failed, and its end is the end of moves, not of the page", async (page) => {
  const { server, seen, url } = await stub();
  try {
    const settled = (text) => page.waitForFunction((t) => document.getElementById("fault-set").textContent === t, text);
    await page.goto(`${url}failed`);
    await settled("lose a->b@1");
    assert.equal(await page.locator("#verdict").innerText(), "counterexample");
    assert.match(await page.locator("#because").innerText(), /LOST by lose a->b@1/);
    await page.locator(".arrow.lost .hit").first().click();
    await settled("no faults");
    assert.equal(await page.locator("#verdict").innerText(), "survives");
    await page.getByRole("button", { name: "Undo" }).click();
    await settled("lose a->b@1");
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("Ended. This page can be closed.").waitFor();
    const before = seen.length;
    await page.locator(".arrow.lost .hit").first().click();
    assert.ok(await page.getByRole("button", { name: "Ask the adversary" }).isDisabled());
    assert.equal(seen.length, before, "nothing is asked of a server that has gone");
    await settled("lose a->b@1");
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
