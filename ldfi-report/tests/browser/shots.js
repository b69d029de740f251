// Pictures for people to look at, light and dark: LDFI_BROWSER_SHOTS names the folder.
const fs = require("node:fs");
const path = require("node:path");
const { VIEWPORT } = require("./harness.js");
const { sample, real, kafka, comparison } = require("./report.js");
const { serve } = require("./explorer.js");
const { live } = require("./live.js");

async function shoot(browser, folder) {
  fs.mkdirSync(folder, { recursive: true });
  const { url, stop } = await serve("retry_deliv", "--eot", "4", "--eff", "2", "--crashes", "1");
  const reports = ["simple-deliv", "retry-deliv", "redun-deliv", "stormy", "big"].map((name) => [name, sample(name)]);
  reports.push(["compare", comparison()], ["kafka", kafka()], ["live", live], ["raft_log", real("raft_log", "--eot", "14", "--eff", "12")],
    ["paxos_forgetful", real("paxos_forgetful", "--eot", "7", "--eff", "6", "--crashes", "1")]);
  for (const colorScheme of ["light", "dark"]) {
    for (const [name, address] of [...reports, ["explorer", url]]) {
      const page = await browser.newPage({ viewport: VIEWPORT, colorScheme });
      await page.goto(address);
      if (address === url) {
        await page.getByRole("button", { name: "Ask the adversary" }).click();
        await page.locator(".arrow.lost").waitFor();
      }
      await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`), fullPage: true });
      await page.close();
    }
  }
  await stop();
}

module.exports = { shoot };
