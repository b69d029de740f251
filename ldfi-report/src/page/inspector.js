// One tuple: how it came about, or why it did not, and what follows from it. Every name is a link.
class Inspector {
  constructor(host, app) {
    this.host = host;
    this.app = app;
  }

  render() {
    const { selection } = this.app;
    byId("clear").hidden = !selection;
    this.host.replaceChildren(...(selection ? this.tuple(selection) : this.outcome()));
  }

  outcome() {
    const { index } = this.app;
    const { violated, pre, post } = index.run.outcome;
    const promises = violated.slice(0, 12).map((tuple) => {
      const base = baseIndex().find(index.key(tuple));
      const node = base === undefined ? { never: tuple } : { gone: base };
      return this.link(node, `${index.show(tuple)}@${tuple[1]}`, true);
    });
    const kept = post.slice(0, 12).map((id) => this.link({ held: id }, index.text(id)));
    const say = violated.length
      ? [make("p", { class: "state" }, `${plural(violated.length, "promise")} broken. Choose one to see what the faults cut.`), ...promises, this.more(violated.length - 12)]
      : [make("p", { class: "state" }, pre.length ? "Every promise is kept." : "Nothing was promised."), ...kept, this.more(post.length - 12)];
    return [...say, make("p", { class: "state" }, "Click any tuple or message to walk its lineage in all views at once.")];
  }

  more(count) {
    return count > 0 ? make("span", { class: "hint" }, `and ${count} more`) : "";
  }

  tuple(node) {
    const { index } = this.app;
    const graph = Lineage.of(node, index, baseIndex(), { limit: 2000, everything: true, shallow: true });
    const goal = graph.goals[0];
    const ways = graph.steps.filter((step) => step.head === 0);
    const state = node.held !== undefined ? "holds in this run" : node.gone !== undefined ? "does not hold in this run, but does without faults" : "never holds, with faults or without";
    const out = [make("div", { class: "title" }, `${goal.label}@${goal.time}`), make("p", { class: "state" }, state)];
    if (ways.length) {
      out.push(make("h3", {}, goal.gone ? "It would follow from" : ways.length > 1 ? `It follows in ${ways.length} ways` : "It follows from"));
      out.push(...ways.slice(0, 12).map((step) => this.way(graph, step)));
      if (ways.length > 12) out.push(make("p", { class: "state" }, `… and ${ways.length - 12} more ways`));
    } else if (node.held !== undefined) out.push(make("p", { class: "state" }, "It is a fact of the program: nothing derives it."));
    return out.concat(this.uses(node));
  }

  way(graph, step) {
    const goals = (list) => list.map((at) => this.link(graph.goals[at].node, `${graph.goals[at].label}@${graph.goals[at].time}`, graph.goals[at].gone));
    const hop = step.hop ? `message ${step.hop.from} → ${step.hop.to} sent @${step.hop.send_time} · ` : "";
    return make("div", { class: `way${step.hop ? " msg" : ""}${step.cut ? " cut" : ""}` },
      make("p", {}, `${hop}${rulePlace(step.rule)} `, step.cut ? make("b", {}, `cut by ${step.cut}`) : null),
      make("code", {}, ruleText(step.rule)), make("div", {}, goals(step.premises)),
      step.against.length ? make("p", {}, graph.goals[0].gone ? "blocked, because this holds: " : "possible, because this is missing: ", goals(step.against)) : null,
      step.negated.length ? make("p", {}, `nothing matches ${step.negated.join(", ")}`) : null);
  }

  uses(node) {
    if (node.held === undefined) return [];
    const { index } = this.app;
    const heads = [...new Set(index.uses(node.held).map((at) => index.run.firings[at].head))];
    if (!heads.length) return [];
    return [make("h3", {}, "What follows from it"), make("div", {}, heads.slice(0, 16).map((id) => this.link({ held: id }, index.text(id))), this.more(heads.length - 16))];
  }

  link(node, text, gone = false) {
    return make("button", { type: "button", class: `link${gone ? " gone" : ""}`, onclick: () => this.app.select(node) }, text);
  }
}
