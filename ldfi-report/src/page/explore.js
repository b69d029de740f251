// The game: present only when a local server set window.LDFI_EXPLORE. Lose messages, crash nodes,
// and let the server run the program again. The contract is in the crate's documentation.
class Game {
  constructor(host, app, hook) {
    this.host = host;
    this.app = app;
    this.hook = hook;
    // Faults are texts: what they mean is the server's business.
    this.faults = [];
    this.past = [];
    this.busy = false;
    this.said = "Click a message to lose it, or a dot on a line to crash that node at that time.";
    host.hidden = false;
    this.render();
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
    if (this.busy) return;
    this.busy = true;
    this.render();
    try {
      await work();
    } catch (error) {
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

  say(text) {
    this.said = text;
    this.render();
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

  undo() {
    if (this.past.length) this.play(this.past.pop(), false);
  }

  toggleLoss({ from, to, send, lost }) {
    if (!lost && send >= REPORT.fspec.eff) return this.say(`Losses end at time ${REPORT.fspec.eff}: what is sent then or later arrives.`);
    const loss = `lose ${nodeText(from)}->${nodeText(to)}@${send}`;
    this.play(lost ? this.faults.filter((text) => text !== loss) : [...this.faults, loss]);
  }

  makeCrashable(dot, name, time) {
    dot.classList.add("can");
    dot.setAttribute("data-crash", `${name}@${time}`);
    dot.addEventListener("click", () => this.crash(name, time));
    tip.on(dot, () => [`crash ${name}@${time}`, "it sends nothing from then on"]);
  }

  crash(name, time) {
    tip.hide();
    const others = this.faults.filter((text) => !text.startsWith(`crash ${nodeText(name)}@`));
    const crashes = others.filter((text) => text.startsWith("crash ")).length + 1;
    if (crashes > REPORT.fspec.crashes) return this.say(`Only ${plural(REPORT.fspec.crashes, "crash", "crashes")} allowed.`);
    this.play([...others, `crash ${nodeText(name)}@${time}`]);
  }

  without(at) {
    this.play(this.faults.filter((_, i) => i !== at));
  }

  chips() {
    const chip = (text, at) => make("span", { class: "chip" }, text,
      make("button", { type: "button", "aria-label": `remove ${text}`, onclick: () => this.without(at) }, "×"));
    return this.faults.map(chip);
  }

  // The same deed without a mouse: crash a node at the time of the slider.
  crashPicker() {
    const select = make("select", { "aria-label": "Crash a node at the current time", onchange: () => select.value && this.crash(select.value, this.app.time) },
      make("option", { value: "" }, "Crash a node now…"), REPORT.nodes.map((node) => make("option", { value: node }, node)));
    select.disabled = this.busy;
    return select;
  }

  render() {
    const button = (text, deed, off, mark = "") => make("button", { type: "button", class: mark, onclick: deed, disabled: this.busy || off ? "" : null }, text);
    const chips = this.chips();
    this.host.replaceChildren(make("strong", {}, "Your faults"),
      make("span", { id: "fault-set", class: "mono sr" }, this.faults.join("; ") || "no faults"),
      ...(chips.length ? chips : [make("span", { class: "mono" }, "none yet")]), this.crashPicker(),
      make("span", { class: "said", role: "status" }, this.busy ? "Running…" : this.said),
      button("Undo", () => this.undo(), !this.past.length),
      button("Start over", () => this.play([]), !chips.length),
      button("Ask the adversary", () => this.adversary(), false, "primary"));
  }
}
