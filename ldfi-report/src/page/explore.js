// The game: present only when a local server set window.LDFI_EXPLORE. Strike messages, nodes and steps,
// and let the server run the program again. What may be played it decides: a move that cannot be is refused with the
// reason, which is shown. The contract is in the crate's documentation.
class Game {
  constructor(host, app, hook) {
    this.host = host;
    this.app = app;
    this.hook = hook;
    // Faults are texts: what they mean is the server's business.
    this.faults = REPORT.runs[1]?.faults.each ?? [];
    this.past = [];
    this.ended = false;
    this.busy = false;
    this.refused = false;
    this.inputs = hook.inputs || [];
    this.moves = new Moves((faults) => this.play(faults));
    this.said = this.faults.length ? "This breaks it: take something back, or strike elsewhere." : this.invitation();
    host.hidden = false;
    this.render();
  }

  // What can be clicked, as far as the bounds have anything for it.
  invitation() {
    const { delay, pauses, restarts, partitions } = REPORT.fspec;
    const lines = [`Click a message to ${delay ? "lose or delay" : "lose"} it, or a dot on a line to ${pauses || restarts ? "strike" : "crash"} that node at that time.`];
    if (partitions) lines.push("The bars at a step part the nodes.");
    if (this.inputs.length) lines.push("A diamond is an input that may come.");
    return lines.join(" ");
  }

  async ask(path, body) {
    const answer = await fetch(`${this.hook.base || ""}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Ldfi-Token": this.hook.token || "" },
      body: JSON.stringify(body),
    });
    const reply = await answer.json().catch(() => ({ error: `the server said ${answer.status}` }));
    if (!answer.ok) throw new Error(reply.error || `the server said ${answer.status}`);
    return reply;
  }

  // Runs one request at a time; whatever goes wrong is said, and the picture stays.
  async during(work) {
    if (this.busy || this.ended) return;
    this.busy = true;
    this.refused = false;
    this.render();
    try {
      await work();
    } catch (error) {
      this.refused = true;
      this.said = error instanceof TypeError ? "The server does not answer." : error.message;
    }
    this.busy = false;
    this.render();
  }

  play(faults, remember = true) {
    return this.during(async () => {
      const run = await this.ask("api/run", { faults: faults.join("; ") });
      if (remember) this.past.push(this.faults);
      this.accept(run);
    });
  }

  accept(run) {
    this.faults = run.faults.each;
    const broken = run.outcome.violated.length;
    this.said = run.status === "failure" ? `You broke it: ${plural(broken, "promise")} not kept.` : "The outcome still holds.";
    run.label = this.faults.length ? "your run" : "failure-free";
    this.app.replaceRun(run);
  }

  adversary() {
    return this.during(async () => {
      const reply = await this.ask("api/adversary", { faults: this.faults.join("; ") });
      if (reply.run) {
        this.past.push(this.faults);
        this.accept(reply.run);
      }
      if (reply.message) this.said = reply.message;
    });
  }

  // Whoever waits for the game goes on; the picture stays.
  end() {
    return this.during(async () => {
      await this.ask("api/end", {});
      this.ended = true;
      this.said = "Ended. This page can be closed.";
    });
  }

  undo() {
    if (this.past.length) this.play(this.past.pop(), false);
  }

  // A move: the faults as they are, and one more.
  more(label, fault, said) {
    return { label, said, faults: [...this.faults, fault] };
  }

  // Takes back what is behind something: one fault, or several that did it together.
  back(fault) {
    const gone = new Set();
    let rest = fault;
    for (const text of this.faults) {
      if (rest !== text && !rest.startsWith(`${text}; `)) continue;
      gone.add(text);
      rest = rest.slice(text.length + 2);
    }
    return { deeds: [{ label: `Take back ${fault}`, faults: this.faults.filter((text) => !gone.has(text)) }] };
  }

  onArrow(arrow, event) {
    this.moves.offer(`${arrow.from} → ${arrow.to}, sent @${arrow.send}`, this.arrowRows(arrow), event);
  }

  arrowHint(arrow) {
    if (arrow.lost) return "click to let it through";
    const deeds = this.arrowRows(arrow).flatMap((row) => row.deeds);
    if (deeds.length > 1) return "click to choose what becomes of it";
    return arrow.fault ? "click to take it back" : "click to lose it";
  }

  arrowRows(arrow) {
    if (arrow.lost) return [this.back(arrow.fault || "")];
    const rows = arrow.fault ? [this.back(arrow.fault)] : [];
    if (arrow.copy) return rows;
    const link = `${nodeText(arrow.from)}->${nodeText(arrow.to)}@${arrow.send}`;
    if (!REPORT.fspec.per_message) return rows.concat(this.strikes(link, arrow));
    // Where single messages are struck, each has its own moves.
    const { run, tuples } = this.app.index;
    for (const at of arrow.messages) {
      const { table, tuple, row } = run.messages[at];
      const values = (tuple === null ? row || [] : tuples[tuple].slice(2)).map((v) => run.values[v]);
      const message = tupleText(run.relations[table], values);
      rows.push(...this.strikes(`${link} ${message}`, arrow, arrow.messages.length > 1 ? message : ""));
    }
    return rows;
  }

  // What may become of something sent, as far as the bounds have such faults.
  strikes(sent, arrow, name = "") {
    const { losses, delay, delays, duplicates } = REPORT.fspec;
    const by = Array.from({ length: delay }, (_, at) => at + 1);
    const rows = [];
    const called = name ? `${name}: ` : "";
    if (duplicates) rows.push({ text: `${called}copy it, late by`, deeds: by.map((d) => this.more(d, `duplicate ${sent} by ${d}`)) });
    if (arrow.fault) return rows;
    if (delay && delays !== 0) rows.unshift({ text: `${called}delay it by`, deeds: by.map((d) => this.more(d, `delay ${sent} by ${d}`)) });
    if (losses !== 0 || !rows.length) rows.unshift({ text: called, deeds: [this.more("lose it", `lose ${sent}`)] });
    return rows;
  }

  // Whether there is anything to click on a node that stands still or has crashed.
  reaches(stretch) {
    return stretch.standing === "paused" || !!REPORT.fspec.restarts;
  }

  onNode(mark, name, time) {
    mark.classList.add("can");
    mark.setAttribute("data-crash", `${name}@${time}`);
    mark.addEventListener("click", (event) => this.strike(name, time, event));
    const hint = () => {
      const rows = this.nodeRows(name, time);
      return rows.length > 1 ? [`${name} at ${time}`, "click to choose what becomes of it"] : [rows[0].deeds[0].said || rows[0].deeds[0].label];
    };
    return tip.on(mark, hint);
  }

  strike(name, time, event) {
    this.moves.offer(`${name} at ${time}`, this.nodeRows(name, time), event);
  }

  nodeRows(name, time) {
    const { pauses, restarts } = REPORT.fspec;
    const stretch = this.app.index.stretch(name, time);
    const node = nodeText(name);
    const rows = stretch?.fault ? [this.back(stretch.fault)] : [];
    if (stretch && stretch.standing !== "paused") {
      const dead = stretch.standing === "dead" && restarts;
      return dead ? [{ deeds: [this.more("restart it here", `restart ${node}@${time}`)] }, ...rows] : rows;
    }
    // Where nobody comes back a node crashes once, and another click moves the crash.
    const others = restarts ? this.faults : this.faults.filter((text) => !text.startsWith(`crash ${node}@`));
    rows.unshift({ deeds: [{ label: "crash it here", said: `crash ${node}@${time}`, faults: [...others, `crash ${node}@${time}`] }] });
    if (pauses && !stretch) rows.push({ text: "pause it until", deeds: this.ends(time).map((end) => this.more(end, `pause ${node}@${time} until ${end}`)) });
    return rows;
  }

  // The ends to choose from for what begins at a time.
  ends(time) {
    const last = Math.max(time + 1, REPORT.fspec.eff);
    return Array.from({ length: last - time }, (_, at) => time + 1 + at);
  }

  // Two bars beside a step's number, to part the nodes there.
  partHandle(layer, x, y, time) {
    if (!REPORT.fspec.partitions) return;
    const handle = draw("g", { class: "handle", "data-part": time, onclick: (event) => this.part(time, event) },
      draw("rect", { class: "hit", x: x - 8, y: y - 10, width: 16, height: 20 }), draw("path", { d: `M${x - 3} ${y - 7}V${y + 7}M${x + 3} ${y - 7}V${y + 7}` }));
    layer.append(tip.on(handle, () => [`part the nodes at ${time}`]));
  }

  part(time, event) {
    const standing = this.app.index.partings.filter(({ from, until }) => from <= time && time < until);
    const names = (side) => [...side].map(nodeText).join(",");
    const rows = standing.map(({ fault }) => this.back(fault));
    const { nodes } = REPORT;
    const away = new Set(nodes.slice(-1));
    const toggles = nodes.map((node) => {
      const toggle = make("button", { type: "button", class: "side", "data-side": node, onclick: () => turn() }, node);
      const turn = () => { away[away.has(node) ? "delete" : "add"](node); show(); };
      const show = () => { toggle.setAttribute("aria-pressed", String(away.has(node))); };
      show();
      return toggle;
    });
    // The sides are read when the end is chosen.
    const fault = (end) => `partition ${names(nodes.filter((node) => !away.has(node)))}|${names(nodes.filter((node) => away.has(node)))}@${time} until ${end}`;
    const until = this.ends(time).map((end) => {
      const move = this.more(end);
      return { label: end, get faults() { return [...move.faults.slice(0, -1), fault(end)]; } };
    });
    rows.push({ text: "cut off", part: make("span", { class: "sides" }, toggles) }, { text: "from the others, until", deeds: until });
    this.moves.offer(`Part the nodes at ${time}`, rows, event);
  }

  onInputs(mark, inputs) {
    mark.classList.add("can");
    mark.setAttribute("data-give", inputs.map(({ fault }) => fault).join("; "));
    mark.addEventListener("click", (event) => this.give(inputs, event));
    return tip.on(mark, () => [...inputs.map(({ fault, given }) => (given ? `given: ${fault}` : fault)), "click to change it"]);
  }

  give(inputs, event) {
    const rows = inputs.map(({ fault, given }) => (given ? this.back(fault) : { deeds: [this.more(fault, fault)] }));
    this.moves.offer("Inputs that may come", rows, event);
  }

  // A crash takes its restart along.
  without(at) {
    const text = this.faults[at];
    const whole = this.app.index.stretches.find(({ fault }) => fault?.startsWith(`${text}; `));
    this.play(this.back(whole?.fault ?? text).deeds[0].faults);
  }

  chips() {
    const chip = (text, at) => make("span", { class: "chip" }, text,
      make("button", { type: "button", "aria-label": `remove ${text}`, onclick: () => this.without(at) }, "×"));
    return this.faults.map(chip);
  }

  // The same deeds without a mouse: whatever can be struck at the time of the slider.
  picker() {
    const { pauses, restarts, partitions } = REPORT.fspec;
    const plain = !(pauses || restarts || partitions || this.inputs.length);
    const word = plain ? "Crash a node" : "Strike";
    const options = REPORT.nodes.map((node) => [node, (event) => this.strike(node, this.app.time, event)]);
    if (partitions) options.push(["part the nodes…", (event) => this.part(this.app.time, event)]);
    if (this.inputs.length) options.push(["give an input…", (event) => this.give(this.inputsNow(), event)]);
    const select = make("select", { "aria-label": `${word} at the current time`, onchange: (event) => { options[select.value]?.[1](event); select.value = ""; } },
      make("option", { value: "" }, `${word} now…`), options.map(([text], at) => make("option", { value: at }, text)));
    select.disabled = this.busy || this.ended;
    return select;
  }

  inputsNow() {
    return this.inputs.filter(({ time }) => time === this.app.time).map(({ fault }) => ({ fault, given: this.faults.includes(fault) }));
  }

  render() {
    const button = (text, deed, off, mark = "") => make("button", { type: "button", class: mark, onclick: deed, disabled: this.busy || this.ended || off ? "" : null }, text);
    const chips = this.chips();
    this.host.replaceChildren(make("strong", {}, "Your faults"),
      make("span", { id: "fault-set", class: "mono sr" }, this.faults.join("; ") || "no faults"),
      ...(chips.length ? chips : [make("span", { class: "mono" }, "none yet")]), this.picker(),
      make("span", { class: `said${this.refused ? " refused" : ""}`, role: "status" }, this.busy ? "Running…" : this.said),
      button("Undo", () => this.undo(), !this.past.length),
      button("Start over", () => this.play([]), !chips.length),
      button("Ask the adversary", () => this.adversary(), false, "primary"),
      button("End", () => this.end(), false));
  }
}
