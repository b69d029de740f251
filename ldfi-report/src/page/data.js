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
    this.crash = new Map(run.faults.crashes);
    this.lost = new Set(run.faults.omissions.map((o) => o.join("\u0001")));
    this.keys = null;
  }

  relation(id) { return this.run.relations[this.tuples[id][0]]; }
  time(id) { return this.tuples[id][1]; }
  columns(row) { return row.map((v) => String(this.run.values[v])); }
  location(id) { return this.tuples[id].length > 2 ? String(this.run.values[this.tuples[id][2]]) : ""; }
  label(id) { return this.show(this.tuples[id]); }
  text(id) { return `${this.label(id)}@${this.time(id)}`; }
  show(tuple) { return `${this.run.relations[tuple[0]]}(${this.columns(tuple.slice(2)).join(", ")})`; }
  showPattern(p) {
    return `${this.run.relations[p[0]]}(${p.slice(2).map((v) => (v === null ? "_" : this.run.values[v])).join(", ")})@${p[1]}`;
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
  // Tuples of this run that match a negated premise of another.
  matches(other, pattern) {
    const name = other.run.relations[pattern[0]];
    const wanted = pattern.slice(2).map((v) => (v === null ? null : other.run.values[v]));
    return (this.byTime[pattern[1]] || []).filter((id) => {
      const tuple = this.tuples[id];
      return this.relation(id) === name && tuple.length === wanted.length + 2 &&
        wanted.every((value, at) => value === null || value === this.run.values[tuple[at + 2]]);
    });
  }
  // The fault that stops what one node sends another at a time.
  cutting(from, to, time) {
    if (this.lost.has([from, to, time].join("\u0001"))) return `lose ${from}->${to}@${time}`;
    const crash = this.crash.get(from);
    return crash !== undefined && crash <= time ? `crash ${from}@${crash}` : null;
  }
  neverSent(m) {
    const crash = this.crash.get(m.from);
    return crash !== undefined && crash <= m.send_time;
  }

  // Relations that never change, such as the list of nodes: background in any picture.
  get constant() {
    if (this.constantNames) return this.constantNames;
    const content = Array.from({ length: this.eot + 1 }, () => new Map());
    for (const tuple of this.tuples) {
      put(content[tuple[1]], tuple[0], tuple.slice(2).join(" "));
    }
    const same = (relation) => {
      const sorted = (time) => (content[time].get(relation) || []).sort().join("|");
      const first = sorted(1);
      for (let time = 2; time <= this.eot; time++) if (sorted(time) !== first) return false;
      return first !== "";
    };
    return (this.constantNames = new Set(this.run.relations.filter((_, at) => same(at))));
  }

  // Everything one node sent another at one time is one arrow.
  get arrows() {
    if (this.arrowList) return this.arrowList;
    const groups = new Map();
    this.run.messages.forEach((m, at) => {
      if (m.from === m.to || this.neverSent(m)) return;
      const key = [m.send_time, m.from, m.to, m.receive_time, !!m.lost].join("\u0001");
      if (!groups.has(key)) {
        groups.set(key, { from: m.from, to: m.to, send: m.send_time, receive: m.receive_time, lost: !!m.lost, messages: [] });
      }
      groups.get(key).messages.push(at);
    });
    return (this.arrowList = [...groups.values()].sort((a, b) => a.send - b.send));
  }
}

const REPORT = JSON.parse(byId("ldfi-data").textContent);
// A report may have nothing to show but its verdict.
if (!REPORT.runs.length) {
  REPORT.runs.push({
    label: "no run recorded", status: "success", faults: { omissions: [], crashes: [] }, relations: [], values: [], tuples: [],
    messages: [], firings: [], outcome: { pre: [], post: [], violated: [] }, falsified: { tuples: [], firings: [] },
  });
}
const ruleText = (rule) => REPORT.program.rules[rule]?.text ?? "(unknown rule)";
const fileName = (path) => path.split(/[/\\]/).pop();
const rulePlace = (rule) => {
  const place = REPORT.program.rules[rule]?.place;
  if (!place) return `rule ${rule + 1}`;
  const { sources } = REPORT.program;
  return sources.length > 1 ? `${fileName(sources[place.source].name)}:${place.line}` : `line ${place.line}`;
};
// In the order in which they strike.
const showFaults = (faults) => {
  const losses = faults.omissions.map(([a, b, t]) => [t, `lose ${a}->${b}@${t}`]);
  const all = [...losses, ...faults.crashes.map(([n, t]) => [t, `crash ${n}@${t}`])];
  return all.sort((a, b) => a[0] - b[0]).map(([, text]) => text);
};

// Losses on one link at times in a row as one.
function briefFaults({ omissions, crashes }) {
  const rows = [];
  for (const [from, to, time] of [...omissions].sort((a, b) => a[0].localeCompare(b[0]) || a[1].localeCompare(b[1]) || a[2] - b[2])) {
    const last = rows.at(-1);
    if (last && last.from === from && last.to === to && last.end + 1 === time) last.end = time;
    else rows.push({ from, to, start: time, end: time });
  }
  const when = ({ start, end }) => (start === end ? start : `${start}–${end}`);
  const losses = rows.map((row) => [row.start, `lose ${row.from}->${row.to}@${when(row)}`]);
  const all = [...losses, ...crashes.map(([n, t]) => [t, `crash ${n}@${t}`])];
  return all.sort((a, b) => a[0] - b[0]).map(([, text]) => text);
}

// Runs are read when they are first looked at.
const indexes = new WeakMap();
function indexOf(run) {
  if (!indexes.has(run)) indexes.set(run, new RunIndex(REPORT, run));
  return indexes.get(run);
}
const baseIndex = () => indexOf(REPORT.runs[0]);
