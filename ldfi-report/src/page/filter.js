// Which relations and nodes are shown, for readers who know what they look for.
class Filter {
  constructor() {
    this.relations = new Set();
    this.nodes = new Set();
  }

  // Whether a tuple of a relation at a place is shown.
  shows(relation, location) {
    return !this.relations.has(relation) && !this.nodes.has(location);
  }

  get isOn() { return this.relations.size + this.nodes.size > 0; }

  // The choices, as boxes to tick.
  draw(host, app) {
    const box = (name, hidden) => make("label", {}, make("input", {
      type: "checkbox", checked: hidden.has(name) ? null : "", "data-filter": name,
      onchange: ({ target }) => { hidden[target.checked ? "delete" : "add"](name); this.changed(app); },
    }), name);
    const all = make("button", { type: "button", onclick: () => { this.relations.clear(); this.nodes.clear(); this.draw(host, app); this.changed(app); } }, "Show all");
    const names = [...new Set(REPORT.runs.flatMap((run) => run.relations))].sort((a, b) => a.localeCompare(b));
    host.replaceChildren(make("div", { class: "group" }, make("b", {}, "nodes"), REPORT.nodes.map((node) => box(node, this.nodes))),
      make("div", { class: "group" }, make("b", {}, "relations"), names.map((name) => box(name, this.relations))), all);
  }

  changed(app) {
    byId("filter").classList.toggle("on", this.isOn);
    for (const run of REPORT.runs) indexOf(run).arrowList = null;
    app.redraw();
  }
}

const filter = new Filter();
