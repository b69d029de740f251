// The report as it was written, and each run with its tables turned round for reading backward.
// A run keeps tuples as [relation, time, value, ...]; ids are positions everywhere.
class RunIndex {
  constructor(report, run) {
    this.run = run;
    this.eot = report.fspec.eot;
    this.tuples = run.tuples;
    this.byTime = Array.from({ length: this.eot + 2 }, () => []);
    this.tuples.forEach((tuple, id) => this.byTime[tuple[1]].push(id));
    this.derivedBy = this.tuples.map(() => null);
    this.usedBy = this.tuples.map(() => null);
    run.firings.forEach((firing, at) => {
      (this.derivedBy[firing.head] ||= []).push(at);
      for (const premise of firing.premises) (this.usedBy[premise] ||= []).push(at);
    });
    // What became of nodes and messages was found out where the run was made; here it is looked up.
    this.stopped = new Map((run.cuts || []).flatMap((cut) => cut.firings.map((at) => [at, cut.fault])));
    this.broughtBy = new Map((run.brought || []).map((b) => [b.tuple, b.fault]));
    this.stretches = run.stretches || [];
    this.partings = run.partings || [];
    this.tells = new Map((run.tells || []).map((t) => [t.tuple, t.fault]));
    this.gives = (run.brought || []).filter((b) => b.fault.startsWith("give "));
    this.keys = null;
  }

  relation(id) { return this.run.relations[this.tuples[id][0]]; }
  time(id) { return this.tuples[id][1]; }
  columns(row) { return row.map((v) => String(this.run.values[v])); }
  location(id) { return this.tuples[id].length > 2 ? String(this.run.values[this.tuples[id][2]]) : ""; }
  label(id) { return this.show(this.tuples[id]); }
  text(id) { return `${this.label(id)}@${this.time(id)}`; }
  show(tuple) { return `${this.run.relations[tuple[0]]}(${tuple.slice(2).map((v) => bare(this.run.values[v])).join(", ")})`; }
  showPattern(p) {
    return `${this.run.relations[p[0]]}(${p.slice(2).map((v) => (v === null ? "_" : bare(this.run.values[v]))).join(", ")})@${p[1]}`;
  }
  showMessage(m) {
    return m.tuple === null ? this.show([m.table, m.receive_time, ...(m.row || [])]) : this.label(m.tuple);
  }
  firings(id) { return this.derivedBy[id] || []; }
  uses(id) { return this.usedBy[id] || []; }

  // A name for a tuple that means the same in every run.
  key(tuple) {
    this.valueKeys ||= this.run.values.map((value) => (typeof value === "number" ? `#${value}` : `$${value}`));
    let key = `${this.run.relations[tuple[0]]}@${tuple[1]}`;
    for (let at = 2; at < tuple.length; at++) key += `\u0001${this.valueKeys[tuple[at]]}`;
    return key;
  }
  find(key) {
    if (!this.keys) this.keys = new Map(this.tuples.map((tuple, id) => [this.key(tuple), id]));
    return this.keys.get(key);
  }
  // When a node did not act as it should: dead, down or paused.
  stretch(node, time) {
    return this.stretches.find((s) => s.node === node && s.from <= time && time < s.until);
  }

  shows(m) {
    return filter.shows(this.run.relations[m.table], m.from) && !filter.nodes.has(m.to);
  }

  // Everything one node sent another at one time is one arrow.
  get arrows() {
    if (this.arrowList) return this.arrowList;
    const groups = new Map();
    this.run.messages.forEach((m, at) => {
      if (m.from === m.to || m.unsent || !this.shows(m)) return;
      const { from, to, send_time: send, fault } = m;
      // What is due after the end of time is late, not lost.
      const [receive, lost] = [m.due ?? m.receive_time, !!m.lost && m.due === undefined];
      const key = [send, from, to, receive, lost, !!m.copy, fault || ""].join("\u0001");
      if (!groups.has(key)) groups.set(key, { from, to, send, receive, lost, late: receive - send - 1, copy: !!m.copy, fault, messages: [] });
      groups.get(key).messages.push(at);
    });
    return (this.arrowList = [...groups.values()].sort((a, b) => a.send - b.send));
  }
}

const REPORT = JSON.parse(byId("ldfi-data").textContent);
// A report may have nothing to show but its verdict.
if (!REPORT.runs.length) {
  REPORT.runs.push({
    label: "no run recorded", status: "success", faults: { text: "no faults", each: [] }, relations: [], values: [], tuples: [],
    messages: [], firings: [], outcome: { pre: [], post: [], violated: [] }, falsified: { tuples: [], firings: [] },
  });
}
// Failures of real code are told as faults are.
for (const run of REPORT.runs.filter(({ failures }) => failures)) run.faults = { ...run.faults, text: run.failures.join("; "), each: run.failures };
const ruleText = (rule) => (rule === null ? "(kept without a rule)" : REPORT.program.rules[rule]?.text ?? "(unknown rule)");
const fileName = (path) => path.split(/[/\\]/).pop();
const rulePlace = (rule) => {
  if (rule === null) return "kept";
  const { place, kind } = REPORT.program.rules[rule] ?? {};
  if (kind === "code") return "code";
  if (!place) return `rule ${rule + 1}`;
  const { sources } = REPORT.program;
  return sources.length > 1 ? `${fileName(sources[place.source].name)}:${place.line}` : `line ${place.line}`;
};
// The place of a rule so that an editor finds it.
const rulePath = (rule) => {
  const place = REPORT.program.rules[rule]?.place;
  return place ? `${REPORT.program.sources[place.source].name}:${place.line}` : rulePlace(rule);
};
// Losses on one link at times in a row as one; everything else as it is written.
function briefFaults({ each }) {
  const rows = [];
  for (const text of each) {
    const [, link, time] = /^lose (.*)@(\d+)$/.exec(text) || [];
    const last = link && rows.find((row) => row.link === link && row.end + 1 === Number(time));
    if (last) last.end = Number(time);
    else rows.push(link ? { link, start: Number(time), end: Number(time) } : { text });
  }
  return rows.map(({ link, start, end, text }) => text ?? `lose ${link}@${start === end ? start : `${start}–${end}`}`);
}

// Runs are read when they are first looked at.
const indexes = new WeakMap();
function indexOf(run) {
  if (!indexes.has(run)) indexes.set(run, new RunIndex(REPORT, run));
  return indexes.get(run);
}
const baseIndex = () => indexOf(REPORT.runs[0]);

// Relations that never change in any run, such as the list of nodes: background in any picture. Each run says which of its
// relations are always what they are at the beginning of the failure-free one.
function constantRelations() {
  const names = REPORT.runs.map((run) => (run.constant || []).map((id) => run.relations[id]));
  return new Set(names[0].filter((name) => names.every((list) => list.includes(name))));
}
