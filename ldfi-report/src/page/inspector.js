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
    const promises = violated.slice(0, 12).map((tuple) => this.link(this.app.nodeOfMissing(tuple), `${index.show(tuple)}@${tuple[1]}`, true));
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
    const claim = this.app.claimOf(node);
    if (claim !== undefined) return this.claim(claim, node);
    const graph = Lineage.of(node, this.app, { limit: 2000, everything: true, shallow: true });
    const goal = graph.goals[0];
    const ways = graph.steps.filter((step) => step.head === 0 && (step.premises.length || step.rule !== null));
    const state = node.held !== undefined ? "holds in this run" : node.gone !== undefined ? "does not hold in this run, but does without faults" : "never holds, with faults or without";
    const out = [make("div", { class: "title" }, `${goal.label}@${goal.time}`), make("p", { class: "state" }, state)];
    if (ways.length) {
      out.push(make("h3", {}, goal.gone ? "Without the faults it follows from" : ways.length > 1 ? `It follows in ${ways.length} ways` : "It follows from"));
      out.push(...ways.slice(0, 12).map((step) => this.way(graph, step)));
      if (ways.length > 12) out.push(make("p", { class: "state" }, `… and ${ways.length - 12} more ways`));
    } else if (this.app.index.broughtBy.has(node.held)) out.push(make("p", { class: "state" }, `It is there because of ${this.app.index.broughtBy.get(node.held)}.`));
    else if (node.held !== undefined) out.push(make("p", { class: "state" }, "It is a fact of the program: nothing derives it."));
    return out.concat(this.uses(node));
  }

  // What the explanation of this run says of a tuple.
  claim(id, node) {
    const { explanation } = this.app.run;
    const { holds, usual } = explanation.claims[id];
    const state = holds ? "holds in this run" : usual ? "never holds, with faults or without" : "does not hold in this run, but does without faults";
    return [make("div", { class: "title" }, claimText(explanation.claims[id])), make("p", { class: "state" }, state),
      make("div", { class: "because" }, new Because(explanation, this.app).only(id)), ...this.uses(node)];
  }

  way(graph, step) {
    const goals = (list) => list.map((at) => this.link(graph.goals[at].node, `${graph.goals[at].label}@${graph.goals[at].time}`, graph.goals[at].gone));
    const hop = step.hop ? `message ${step.hop.from} → ${step.hop.to} sent @${step.hop.send_time} · ` : "";
    const faults = step.struck.map((at) => graph.goals[at].label).join("; ");
    return make("div", { class: `way${step.hop ? " msg" : ""}${step.cut ? " cut" : ""}` },
      make("p", {}, hop, step.rule === null ? rulePlace(null) : placeLink(this.app, step.rule), " ",
        faults ? make("b", {}, `${step.cut ? "cut by" : "because of"} ${faults}`) : null),
      make("code", {}, ruleText(step.rule)), step.rule === null ? null : make("p", { class: "path" }, rulePath(step.rule)), make("div", {}, goals(step.premises)),
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
