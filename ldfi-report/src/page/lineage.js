// Lineage graphs: why a tuple holds (its firings, backward), why a promise was broken (the run's explanation), and what
// held up a tuple that is gone (its firings without the faults, with what is left of them). A node is {held: id} in the
// current run, {gone: id} in the failure-free run, {claim: id} of the explanation, or {never: tuple}.
const nodeName = (node) =>
  node.held !== undefined ? `h${node.held}` : node.gone !== undefined ? `g${node.gone}`
    : node.claim !== undefined ? `c${node.claim}` : `n${JSON.stringify(node.never)}`;

class Lineage {
  constructor(app, options) {
    this.app = app;
    this.index = app.index;
    this.base = baseIndex();
    this.options = options;
    const own = this.index === this.base;
    this.cut = new Set(own ? REPORT.runs.flatMap((run) => run.falsified.tuples) : []);
    this.cutFirings = new Set(own ? REPORT.runs.flatMap((run) => run.falsified.firings) : []);
    this.goals = [];
    this.steps = [];
    this.seen = new Map();
    this.leftOut = 0;
  }

  // Of what the run's explanation tells, that; of everything else its firings.
  static of(root, app, options) {
    const graph = new Lineage(app, options);
    const claim = app.claimOf(root);
    if (claim !== undefined && !options.shallow) graph.because(claim);
    else {
      graph.goal(root);
      const end = () => (options.shallow ? 1 : graph.goals.length);
      for (let at = 0; at < end(); at++) graph.expand(at);
    }
    return graph;
  }

  // Adds a goal that is new, or finds it; null when there is no room for more.
  add(name, goal) {
    if (this.seen.has(name)) return this.seen.get(name);
    if (this.goals.length >= this.options.limit && !goal.fault) {
      this.leftOut++;
      return null;
    }
    this.seen.set(name, this.goals.length);
    this.goals.push({ name, gone: false, cut: false, ...goal });
    return this.goals.length - 1;
  }

  goal(node) {
    const from = node.gone !== undefined ? this.base : this.index;
    const tuple = node.never || from.tuples[node.held ?? node.gone];
    const relation = from.run.relations[tuple[0]];
    const told = from.tells.get(node.held ?? node.gone);
    if (told) return this.fault(told);
    const location = tuple.length > 2 ? String(from.run.values[tuple[2]]) : "";
    if (this.goals.length && !filter.shows(relation, location)) return null;
    return this.add(nodeName(node), {
      node, relation, label: from.show(tuple), time: tuple[1], location,
      gone: node.held === undefined,
      cut: node.held !== undefined && this.cut.has(node.held),
    });
  }

  // A fault is one goal, however many see it.
  fault(text) {
    const [, place, time] = /^\w+ (.*?)@(\d+)/.exec(text) || [];
    const location = place?.split("->")[0] ?? "";
    return this.add(`f${text}`, { fault: true, relation: "", label: text, time: Number(time) || 1, location });
  }

  faults(text) {
    return text ? text.split("; ").map((one) => this.fault(one)) : [];
  }

  // Premises that never change tell nothing, unless there is nothing else.
  telling(premises, from) {
    if (this.options.everything) return premises;
    const moving = premises.filter((id) => !constantRelations().has(from.relation(id)));
    return moving.length ? moving : premises.slice(0, 1);
  }

  expand(head) {
    const { node } = this.goals[head];
    if (node?.held !== undefined) this.expandHeld(head, node.held);
    else if (node?.gone !== undefined) this.expandGone(head, node.gone);
  }

  expandHeld(head, id) {
    const all = this.index.firings(id);
    const earlier = this.options.everything ? undefined : this.earlier(id);
    for (const at of earlier === undefined ? all : all.filter((firing) => this.index.run.firings[firing].premises.includes(earlier))) {
      const firing = this.index.run.firings[at];
      this.step(this.index, firing, head, this.telling(firing.premises, this.index).map((held) => ({ held: this.origin(held) })));
      this.steps.at(-1).falsified = this.cutFirings.has(at);
    }
    const brought = this.index.broughtBy.get(id);
    if (brought) this.steps.push({ ...NO_STEP, head, struck: this.faults(brought) });
  }

  // The same tuple one step before, if it holds because it held then.
  earlier(id) {
    const [relation, time, ...row] = this.index.tuples[id];
    const earlier = this.index.find(this.index.key([relation, time - 1, ...row]));
    const goesOn = (firing) => this.index.run.firings[firing].premises.includes(earlier);
    return earlier !== undefined && this.index.firings(id).some(goesOn) ? earlier : undefined;
  }

  // What only goes on from step to step is drawn where it came about, unless everything is asked for.
  origin(id) {
    if (this.options.everything) return id;
    for (let earlier = this.earlier(id); earlier !== undefined; earlier = this.earlier(id)) id = earlier;
    return id;
  }

  expandGone(head, id) {
    for (const at of this.base.firings(id)) {
      const firing = this.base.run.firings[at];
      this.step(this.base, firing, head, this.telling(firing.premises, this.base).map((p) => this.now(p)), this.index.stopped.get(at));
    }
  }

  // What became of a tuple of the failure-free run.
  now(id) {
    const held = this.index.find(this.base.key(this.base.tuples[id]));
    return held === undefined ? { gone: id } : { held };
  }

  step(from, firing, head, premises, cut = null) {
    const hop = firing.message === undefined ? null : from.run.messages[firing.message];
    const places = premises.map((node) => this.goal(node)).filter((at) => at !== null);
    const struck = [...places.filter((at) => this.goals[at].fault), ...this.faults(cut ?? firing.fault ?? hop?.fault)];
    this.steps.push({
      ...NO_STEP, head, rule: firing.rule, hop, cut, struck: [...new Set(struck)],
      premises: places.filter((at) => !this.goals[at].fault),
      negated: (firing.negated || []).map((p) => from.showPattern(p)),
    });
  }

  // Why a claim of the run's explanation is so.
  because(root) {
    const { claims, asked } = this.index.run.explanation;
    const queue = [];
    const place = (id) => {
      const { tuple, from, until, holds } = claims[id];
      const node = this.app.nodeOfClaim(id);
      const before = this.goals.length;
      const at = this.add(nodeName(node), {
        node, relation: tuple.relation, label: `${claimName({ tuple })}${from < until ? ` since @${from}` : ""}`,
        time: until, location: String(tuple.values[0] ?? ""), gone: !holds,
      });
      if (at === before) queue.push([id, at]);
      return at;
    };
    place(root);
    const given = asked.find((one) => one.claim === root)?.given;
    if (given != null) this.steps.push({ ...NO_STEP, head: 0, premises: [place(given)].filter((at) => at !== null), owed: true });
    const shown = (id) => this.options.everything || !["fact", "anyway"].includes(claims[id].why);
    for (const [id, head] of queue) {
      const { why, holds, until } = claims[id];
      if (why.faults) this.steps.push({ ...NO_STEP, head, struck: why.faults.map((fault) => this.fault(fault)) });
      const ways = why.never || (why.fired ? [{ rule: why.fired.rule, obstacles: why.fired.parts }] : []);
      for (const { rule, obstacles } of ways) {
        const step = { ...NO_STEP, head, rule, premises: [], against: [], struck: [] };
        for (const part of obstacles) this.obstacle(step, part, { holds, time: until }, place, shown);
        step.struck = [...new Set(step.struck)];
        this.steps.push(step);
      }
    }
  }

  // What a rule rests on, or what was in its way: what is of the head's own kind leads to it, the rest is against it.
  obstacle(step, part, { holds, time }, place, shown) {
    const id = partClaim(part);
    if (id !== undefined) {
      if (!shown(id)) return;
      const { tuple, holds: same } = this.index.run.explanation.claims[id];
      if (!filter.shows(tuple.relation, String(tuple.values[0] ?? ""))) return;
      const at = place(id);
      if (at !== null) (same === holds ? step.premises : step.against).push(at);
      return;
    }
    const { text, faults } = new Because(this.index.run.explanation, this.app).said(part);
    if (part.message) step.hop = part.message;
    if (faults.length) step.struck.push(...faults.map((fault) => this.fault(fault)));
    else if (!part.message) {
      const { location } = this.goals[step.head];
      const at = this.add(`r${text}@${time}`, { remark: true, relation: "", label: text, time, location });
      if (at !== null) step.premises.push(at);
    }
  }
}

const NO_STEP = { rule: null, premises: [], against: [], struck: [], hop: null, cut: null, negated: [], owed: false, falsified: false };

// Everything a tuple rests on: tuples and messages of the run, whatever the drawing leaves out.
function closure(index, id) {
  const tuples = new Set([id]);
  const messages = new Set();
  const todo = [id];
  while (todo.length) {
    for (const at of index.firings(todo.pop())) {
      const firing = index.run.firings[at];
      if (firing.message !== undefined) messages.add(firing.message);
      for (const premise of firing.premises) {
        if (!tuples.has(premise)) {
          tuples.add(premise);
          todo.push(premise);
        }
      }
    }
  }
  return { tuples, messages };
}
