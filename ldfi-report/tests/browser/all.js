// Every browser test; the environment (see run.sh) says where everything is.
const { run } = require("./harness.js");
require("./report.js");
require("./stub.js");
require("./explorer.js");
require("./faults.js");
require("./live.js");
const { shoot } = require("./shots.js");

const { SHOTS } = process.env;
run(async (browser) => { if (SHOTS) await shoot(browser, SHOTS); }).then((failed) => process.exit(failed ? 1 : 0));
