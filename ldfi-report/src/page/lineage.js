// Why a tuple holds (follow firings backward), and why one does not (compare with the failure-free
// run and alternate between what is gone and what now holds). A node is {held: id} in the current
// run, {gone: id} in the failure-free run, or {never: tuple}.
const nodeName = (node) =>
  node.held !== undefined ? `h${node.held}` : node.gone !== undefined ? `g${node.gone}` : `n${JSON.stringify(node.never)}`;

class Lineage {
  constructor(index, base, options) {
    this.index = index;
    this.base = base;
    this.options = options;
    this.cut = new Set(index === base ? REPORT.runs.flatMap((run) => run.falsified.tuples) : []);
    this.cutFirings = new Set(index === base ? REPORT.runs.flatMap((run) => run.falsified.firings) : []);
    this.goals = [];
    this.steps = [];
    this.seen = new Map();
    this.leftOut = 0;
  }

  static of(root, index, base, options) {
    const graph = new Lineage(index, base, options);
    graph.goal(root);
    const whole = root.held !== undefined;
    const end = () => (options.shallow ? 1 : graph.goals.length);
    for (let at = 0; at < end(); at++) graph.expand(at, whole);
    return graph;
  }

  goal(node) {
    const name = nodeName(node);
    if (this.seen.has(name)) return this.seen.get(name);
    if (this.goals.length >= this.options.limit) {
      this.leftOut++;
      return null;
    }
    const from = node.gone !== undefined ? this.base : this.index;
    const tuple = node.never || from.tuples[node.held ?? node.gone];
    const relation = from.run.relations[tuple[0]];
    this.seen.set(name, this.goals.length);
    this.goals.push({
      node, name, relation, label: from.show(tuple), time: tuple[1],
      location: tuple.length > 2 ? String(from.run.values[tuple[2]]) : "",
      gone: node.held === undefined,
      cut: node.held !== undefined && this.cut.has(node.held),
    });
    return this.goals.length - 1;
  }

  // Premises that never change tell nothing, unless there is nothing else.
  telling(premises, from) {
    if (this.options.everything) return premises;
    const moving = premises.filter((id) => !baseIndex().constant.has(from.relation(id)));
    return moving.length ? moving : premises.slice(0, 1);
  }

  expand(head, whole) {
    const { node } = this.goals[head];
    if (node.held !== undefined) {
      const fresh = this.base.find(this.index.key(this.index.tuples[node.held])) === undefined;
      if (whole) this.expandHeld(head, node.held, false);
      else if (fresh) this.expandHeld(head, node.held, true);
    } else if (node.gone !== undefined) this.expandGone(head, node.gone);
  }

  // With `absences`, also what let the tuple through: tuples of the failure-free run that are gone.
  expandHeld(head, id, absences) {
    for (const at of this.index.firings(id)) {
      const firing = this.index.run.firings[at];
      const premises = this.telling(firing.premises, this.index).map((held) => ({ held }));
      const against = absences
        ? (firing.negated || []).flatMap((p) => this.base.matches(this.index, p)).map((gone) => ({ gone }))
        : [];
      this.step(this.index, firing, head, premises, against, null);
      this.steps.at(-1).falsified = this.cutFirings.has(at);
    }
  }

  expandGone(head, id) {
    for (const at of this.base.firings(id)) {
      const firing = this.base.run.firings[at];
      const cut = this.index.stopped.get(at) ?? null;
      const premises = this.telling(firing.premises, this.base).map((p) => this.now(p));
      const against = (firing.negated || []).flatMap((p) => this.index.matches(this.base, p)).map((held) => ({ held }));
      this.step(this.base, firing, head, premises, against, cut);
    }
  }

  // What became of a tuple of the failure-free run.
  now(id) {
    const held = this.index.find(this.base.key(this.base.tuples[id]));
    return held === undefined ? { gone: id } : { held };
  }

  step(from, firing, head, premises, against, cut) {
    const place = (nodes) => nodes.map((node) => this.goal(node)).filter((at) => at !== null);
    const hop = firing.message === undefined ? null : from.run.messages[firing.message];
    this.steps.push({
      head, rule: firing.rule, premises: place(premises), against: place(against), cut, hop,
      fault: firing.fault ?? hop?.fault ?? null,
      negated: against.length ? [] : (firing.negated || []).map((p) => from.showPattern(p)),
    });
  }
}

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
