// One state, many views: every change of run, time or selection goes through here.
const FIRST_LIMIT = 40;

class App {
  constructor() {
    this.limit = FIRST_LIMIT;
    this.selection = null;
    this.lit = null;
    this.cutTuples = new Set(REPORT.runs.flatMap((run) => run.falsified.tuples));
    this.game = window.LDFI_EXPLORE ? new Game(byId("game"), this, window.LDFI_EXPLORE) : null;
    const failing = REPORT.runs.findIndex((run) => run.status === "failure");
    this.current = Math.max(0, failing);
    this.time = 1;
    this.spacetime = new SpaceTime(byId("spacetime"), this);
    this.graph = new GraphView(byId("graph"), this);
    this.tables = new Tables(byId("tables"), this);
    this.program = new ProgramView(byId("program"), this);
    this.inspector = new Inspector(byId("inspector"), this);
    this.beside = new Beside(byId("beside-panel"), byId("beside-run"), this);
    this.find = new Find(byId("find"), byId("found"), this);
    filter.draw(byId("filters"), this);
    this.head();
    this.controls();
    this.setRun(this.current);
  }

  get run() { return REPORT.runs[this.current]; }
  get index() { return indexOf(this.run); }

  head() {
    const { program, fspec, nodes, verdict, statistics: s } = REPORT;
    byId("program-name").textContent = program.name;
    const mood = { "fault-tolerant": "good", counterexample: "bad", "incorrect-without-faults": "bad" }[verdict] || "open";
    this.badge(verdict, mood, REPORT.note || MEANING[verdict] || "");
    // Of real code more can go wrong than these bounds know.
    const real = REPORT.runs.some(({ failures }) => failures);
    const bounds = real ? [["failures before", fspec.eff]] : [["losses before", fspec.eff], ["crashes", fspec.crashes], ...moreBounds(fspec)];
    const facts = [["end of time", fspec.eot], ...bounds, ["nodes", nodes.length > 8 ? `${nodes.length}` : nodes.join(" ")]];
    byId("facts").append(...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
    // Nothing was searched where there is a game: there is no cost to tell.
    if (this.game) return;
    const amount = ([name, value]) => (name.endsWith("_ms") ? `${name.slice(0, -3)} ${value.toFixed(1)} ms` : `${value.toLocaleString("en")} ${name}`);
    const more = Object.entries(s).filter(([name]) => !["executions", "solver_calls", "elapsed_ms", "spurious"].includes(name)).map(amount);
    byId("cost").textContent = [plural(s.executions, "execution"), plural(s.solver_calls, "solver call"),
      s.elapsed_ms < 1000 ? `${s.elapsed_ms.toFixed(1)} ms` : `${(s.elapsed_ms / 1000).toFixed(1)} s`,
      REPORT.complete ? "exhaustive" : "not exhaustive", ...more].join(" · ");
  }

  badge(text, mood, meaning) {
    byId("verdict").textContent = text;
    byId("verdict").className = `verdict ${mood}`;
    byId("meaning").textContent = meaning;
  }

  controls() {
    const { eot } = REPORT.fspec;
    const slider = byId("time");
    slider.max = eot;
    slider.oninput = () => this.setTime(Number(slider.value));
    byId("earlier").onclick = () => this.setTime(this.time - 1);
    byId("later").onclick = () => this.setTime(this.time + 1);
    byId("clear").onclick = () => this.select(null);
    byId("show-all").onchange = () => this.showGraph(this.graph.root);
    byId("more").onclick = () => { this.limit *= 4; this.showGraph(this.graph.root); };
    byId("as-tree").onclick = () => this.setMode("tree");
    byId("as-graph").onclick = () => this.setMode("graph");
    byId("outcome").onchange = (event) => {
      this.mode = "graph";
      this.limit = FIRST_LIMIT;
      this.selection = null;
      this.light();
      this.showGraph(this.outcomes[Number(event.target.value)]?.node);
      this.renderAll();
    };
    addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.target.getAttribute?.("role") === "tab" && event.key.startsWith("Arrow")) return;
    if (event.key === "ArrowLeft") this.setTime(this.time - 1);
    else if (event.key === "ArrowRight") this.setTime(this.time + 1);
    else if (event.key === "Escape") this.select(null);
    else if (/^[1-9]$/.test(event.key) && REPORT.runs[event.key - 1]) this.setRun(event.key - 1);
    else return;
    event.preventDefault();
  }

  // The list of runs as tabs: one stop for Tab, arrows move within.
  tabs() {
    const list = byId("runs");
    const hadFocus = list.contains(document.activeElement);
    list.replaceChildren(...REPORT.runs.map((run, at) => make("button", {
      type: "button", role: "tab", class: run.status, "aria-selected": String(at === this.current), tabindex: at === this.current ? 0 : -1,
      title: `${run.label}: ${run.faults.text}`, onclick: () => this.setRun(at),
      onkeydown: (event) => {
        const move = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!move) return;
        event.preventDefault();
        event.stopPropagation();
        this.setRun((this.current + move + REPORT.runs.length) % REPORT.runs.length);
      },
    }, make("i"), make("span", { class: "name" }, runName(run)), make("span", { class: "sr" }, `, ${run.status}`))));
    if (hadFocus) list.querySelector("[aria-selected=true]").focus();
    const faults = briefFaults(this.run.faults);
    byId("run-faults").title = this.run.faults.text;
    byId("run-faults").replaceChildren(...(faults.length ? [make("b", {}, faults.join("; "))] : ["no faults"]));
  }

  // Keeps the chosen tuple when the other run knows it too.
  setRun(at) {
    const before = this.selection && this.selectionKey();
    this.current = Number(at);
    this.selection = before ? this.nodeOfKey(before) : null;
    this.limit = FIRST_LIMIT;
    // What is broken is told first; there may be too much of it for a picture.
    this.mode = this.run.explanation ? "tree" : "graph";
    this.claims = null;
    this.light();
    this.tabs();
    this.beside.list();
    this.listOutcomes();
    this.ticks();
    this.showGraph(this.selection || this.outcomes[0]?.node);
    this.find.render();
    this.spacetime.show();
    this.setTime(this.time);
  }

  replaceRun(run) {
    // The failure-free run stays first: it is what "why not" compares with.
    REPORT.runs = run.faults.each.length ? [REPORT.runs[0], run] : [REPORT.runs[0]];
    this.cutTuples = new Set(REPORT.runs.flatMap((r) => r.falsified.tuples));
    if (run.status === "failure") this.badge("broken", "bad", "These faults break the outcome.");
    else this.badge("survives", "good", "The outcome holds under these faults.");
    this.setRun(REPORT.runs.length - 1);
  }

  listOutcomes() {
    const { index } = this;
    const { violated, pre, post } = this.run.outcome;
    const held = (ids, word) => ids.map((id) => ({ node: { held: id }, text: `${word} ${index.text(id)}` }));
    const broken = violated.map((tuple) => ({ node: this.nodeOfMissing(tuple), text: `why not ${index.show(tuple)}@${tuple[1]}` }));
    // In the failure-free run, what a counterexample cuts is what people come to see.
    const cut = this.index === baseIndex() ? this.cutRoots() : [];
    this.outcomes = [...broken, ...held(cut, "why"), ...held(post, "why"), ...held(pre, "why")].slice(0, 300);
    byId("outcome").replaceChildren(...this.outcomes.map((outcome, at) => make("option", { value: at }, outcome.text)));
  }

  // The tuples that counterexamples cut and that nothing else which they cut is derived from.
  // Promises are outcomes anyway, and may rest on them through a negation alone.
  cutRoots() {
    const base = baseIndex();
    const promised = new Set(base.run.outcome.post);
    const cut = [...this.cutTuples].filter((id) => !promised.has(id));
    const inner = new Set(cut.flatMap((id) => base.firings(id)).flatMap((at) => base.run.firings[at].premises));
    return cut.filter((id) => !inner.has(id)).sort((a, b) => a - b);
  }

  ticks() {
    const { eot } = REPORT.fspec;
    const every = Math.ceil(eot / 24);
    const times = new Set(this.run.faults.each.map((text) => Number(/@(\d+)[^@]*$/.exec(text)?.[1])));
    const marks = [];
    for (let t = 1; t <= eot; t++) {
      if ((t - 1) % every && t !== eot && !times.has(t)) continue;
      marks.push(make("span", { class: times.has(t) ? "fault" : "", style: `left:${eot === 1 ? 0 : ((t - 1) / (eot - 1)) * 100}%` }, times.has(t) ? `${t}✕` : String(t)));
    }
    byId("ticks").replaceChildren(...marks);
  }

  setTime(time) {
    this.time = Math.min(REPORT.fspec.eot, Math.max(1, time));
    const slider = byId("time");
    slider.value = this.time;
    slider.setAttribute("aria-valuetext", `time ${this.time} of ${REPORT.fspec.eot}`);
    byId("now").textContent = `${this.time} / ${REPORT.fspec.eot}`;
    byId("earlier").disabled = this.time === 1;
    byId("later").disabled = this.time === REPORT.fspec.eot;
    this.spacetime.reveal(this.time);
    this.beside.render(this.time);
    this.tables.render();
  }

  // After a change of what is shown.
  redraw() {
    this.showGraph(this.graph.root);
    this.spacetime.show();
    if (this.beside.run) this.beside.spacetime.show();
    this.setTime(this.time);
    this.find.render();
  }

  setMode(mode) {
    this.mode = mode;
    this.showMode();
  }

  // The tree of what is broken, or the graph of one outcome.
  showMode() {
    const { explanation } = this.run;
    const tree = this.mode === "tree" && explanation;
    byId("because").hidden = !tree;
    for (const id of ["graph", "graph-legend", "graph-tools"]) byId(id).hidden = !!tree;
    byId("modes").hidden = !explanation;
    byId("as-tree").setAttribute("aria-pressed", String(!!tree));
    byId("as-graph").setAttribute("aria-pressed", String(!tree));
    if (explanation && this.told !== explanation) byId("because").replaceChildren(...new Because(explanation, this).whole());
    this.told = explanation;
    this.markClaims();
  }

  // What is chosen is seen in the tree, too.
  markClaims() {
    const chosen = this.selection && this.claimOf(this.selection);
    for (const tuple of byId("because").querySelectorAll(".tuple")) tuple.classList.toggle("chosen", Number(tuple.dataset.claim) === chosen);
  }

  showGraph(root) {
    this.graph.show(root, { limit: this.limit, everything: byId("show-all").checked });
    const at = this.outcomes.findIndex((outcome) => root && nodeName(outcome.node) === nodeName(root));
    byId("outcome").selectedIndex = at;
    this.showMode();
    this.inspector.render();
    this.program.render();
  }

  // Chooses a tuple in every view at once; the graph is redrawn only if it does not show it yet.
  select(node) {
    this.selection = node;
    this.light();
    if (node && !this.graph.has(node)) this.showGraph(node);
    if (node) this.time = this.timeOf(node);
    this.renderAll();
  }

  timeOf(node) {
    if (node.held !== undefined) return this.index.time(node.held);
    if (node.gone !== undefined) return baseIndex().time(node.gone);
    return node.claim !== undefined ? this.run.explanation.claims[node.claim].until : node.never[1];
  }

  renderAll() {
    this.graph.render();
    this.markClaims();
    this.inspector.render();
    this.program.render();
    this.setTime(this.time);
  }

  // What the selection rests on, as tuples and messages of the current run.
  light() {
    const node = this.selection;
    if (!node) this.lit = null;
    else if (node.held !== undefined) this.lit = closure(this.index, node.held);
    else this.lit = node.gone === undefined ? { tuples: new Set(), messages: new Set() } : this.lightGone(node.gone);
  }

  // For a tuple that is gone: the messages of this run on the links that once carried its support.
  lightGone(id) {
    const base = baseIndex();
    const before = closure(base, id);
    const links = new Set([...before.messages].map((at) => this.linkName(base.run.messages[at])));
    const messages = new Set();
    this.run.messages.forEach((m, at) => { if (links.has(this.linkName(m))) messages.add(at); });
    const tuples = new Set([...before.tuples].map((t) => this.index.find(base.key(base.tuples[t]))).filter((t) => t !== undefined));
    return { tuples, messages };
  }

  linkName(m) { return [m.from, m.to, m.send_time, m.rule].join("\u0001"); }

  chosenRules() {
    const node = this.selection;
    const claim = node && this.claimOf(node);
    if (claim !== undefined && claim !== null) {
      const { fired, never } = this.run.explanation.claims[claim].why;
      return new Set(fired ? [fired.rule] : (never || []).map((way) => way.rule));
    }
    if (!node || node.never) return new Set();
    const from = node.held !== undefined ? this.index : baseIndex();
    return new Set(from.firings(node.held ?? node.gone).map((at) => from.run.firings[at].rule));
  }

  selectionKey() {
    const node = this.selection;
    if (node.claim !== undefined) return null;
    if (node.held !== undefined) return this.index.key(this.index.tuples[node.held]);
    return node.gone !== undefined ? baseIndex().key(baseIndex().tuples[node.gone]) : null;
  }

  nodeOfKey(key) {
    const held = this.index.find(key);
    if (held !== undefined) return { held };
    const gone = baseIndex().find(key);
    return gone === undefined ? null : { gone };
  }

  // The claim of the run's explanation that is about a node, if there is one.
  claimOf(node) {
    if (!node || node.never) return undefined;
    if (node.claim !== undefined) return node.claim;
    const { explanation } = this.run;
    if (!explanation) return undefined;
    if (!this.claims) {
      this.claims = new Map();
      explanation.claims.forEach(({ tuple, from, until, holds }, id) => {
        for (let time = from; time <= until; time++) this.claims.set(`${holds}${claimKey(tuple, time)}`, id);
      });
    }
    const from = node.held !== undefined ? this.index : baseIndex();
    return this.claims.get(`${node.held !== undefined}${from.key(from.tuples[node.held ?? node.gone])}`);
  }

  // What a claim is about, as a node of the run.
  nodeOfClaim(id) {
    const { tuple, until } = this.run.explanation.claims[id];
    return this.nodeOfKey(claimKey(tuple, until)) || { claim: id };
  }

  // A promise that is not kept.
  nodeOfMissing(tuple) {
    const key = this.index.key(tuple);
    const asked = this.run.explanation?.asked.find(({ claim }) => {
      const { tuple: owed, until } = this.run.explanation.claims[claim];
      return claimKey(owed, until) === key;
    });
    const gone = baseIndex().find(key);
    return gone !== undefined ? { gone } : asked ? { claim: asked.claim } : { never: tuple };
  }

  nodeOfBase(id) { return this.nodeOfKey(baseIndex().key(baseIndex().tuples[id])); }
}

// A tuple's name as a run has it.
const claimKey = ({ relation, values }, time) =>
  `${relation}@${time}${values.map((value) => `\u0001${typeof value === "number" ? "#" : "$"}${value}`).join("")}`;

// The bounds beyond the three of the paper, where they were given.
const moreBounds = (fspec) => ["losses", "delay", "delays", "duplicates", "partitions", "restarts", "pauses", "gives"]
  .filter((name) => (["losses", "delays", "gives"].includes(name) ? fspec[name] != null : fspec[name]))
  .map((name) => [name, fspec[name]]).concat(fspec.per_message ? [["struck", "single messages"]] : []);

const MEANING = {
  "fault-tolerant": "No admissible combination of faults breaks the outcome.",
  counterexample: "These faults are allowed, and they break the outcome.",
  "incorrect-without-faults": "The outcome fails even when nothing goes wrong.",
  vacuous: "The precondition never holds, so nothing was tested.",
  inconclusive: "The search ended before it could tell.",
};

new App();
