// The tables of every node at one time, with what appeared and what went since the step before.
const ROWS_SHOWN = 30;

class Tables {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.open = new Set();
  }

  render() {
    const { index, time } = this.app;
    const now = index.byTime[time] || [];
    const before = index.byTime[time - 1] || [];
    const name = (id) => index.label(id);
    const was = new Set(before.map(name));
    const is = new Set(now.map(name));
    const rows = [
      ...now.map((id) => ({ id, change: time > 1 && !was.has(name(id)) ? "new" : "" })),
      ...before.filter((id) => !is.has(name(id))).map((id) => ({ id, change: "old" })),
    ];
    const count = (change) => rows.filter((row) => row.change === change).length;
    byId("changes").textContent = time === 1 ? plural(now.length, "tuple") : `${now.length - count("new")} kept, ${count("new")} new, ${count("old")} gone`;
    rows.push(...this.gone(time));
    this.constant = constantRelations();
    const turns = this.turns(rows);
    const homes = this.byHome(rows.filter((row) => this.isShown(row)));
    this.host.replaceChildren(...turns, ...[...homes].map(([home, list]) => this.card(home, list)));
    if (!homes.size) this.host.append(make("p", { class: "none" }, "Nothing holds at this time."));
  }

  // What holds at this time without the faults, or in the run beside, and does not here.
  gone(time) {
    const { index, beside: { index: other } } = this.app;
    if (other === index) return [];
    const missing = (other.byTime[time] || []).filter((id) => index.find(other.key(other.tuples[id])) === undefined);
    return missing.map((id) => ({ id, change: "gone" }));
  }

  // Where a row is written down: the other run for what is gone.
  book(row) {
    return row.change === "gone" ? this.app.beside.index : this.app.index;
  }

  isShown(row) {
    const book = this.book(row);
    return !book.tells.has(row.id) && filter.shows(book.relation(row.id), book.location(row.id));
  }

  // Crashes and restarts, which everybody may ask about at any time, are told once.
  turns(rows) {
    const all = new Set(rows.filter((row) => row.change !== "gone").map((row) => this.app.index.tells.get(row.id)).filter(Boolean));
    if (!all.size) return [];
    return [make("section", { class: "card turns", "aria-label": "faults" }, make("h3", {}, "faults"),
      make("div", { class: "rel" }, [...all].sort().map((text) => make("div", { class: "row fault" }, text))))];
  }

  byHome(rows) {
    const { nodes } = REPORT;
    const homes = new Map(nodes.map((node) => [node, []]));
    for (const row of rows) {
      const home = this.book(row).location(row.id);
      const place = homes.has(home) && nodes.includes(home) ? home : "";
      if (!homes.has(place)) homes.set(place, []);
      homes.get(place).push(row);
    }
    for (const [home, list] of homes) if (!list.length) homes.delete(home);
    return homes;
  }

  card(home, rows) {
    const stretch = this.app.index.stretch(home, this.app.time);
    const state = stretch && (stretch.standing === "paused" ? `paused until ${stretch.until}`
      : stretch.standing === "down" ? `down until ${stretch.until}` : `crashed @${stretch.from}`);
    const relations = new Map();
    for (const row of rows) {
      put(relations, this.book(row).relation(row.id), row);
    }
    const quiet = (relation) => this.constant.has(relation);
    const names = [...relations.keys()].sort((a, b) => quiet(a) - quiet(b) || a.localeCompare(b));
    return make("section", { class: "card", "aria-label": home || "specification" },
      make("h3", {}, home || "specification", state ? make("em", {}, state) : null),
      names.map((relation) => this.relation(home, relation, relations.get(relation), quiet(relation))));
  }

  relation(home, name, rows, quiet) {
    const key = `${home}\u0001${name}`;
    const order = { gone: 0, new: 1, old: 2, "": 3 };
    const sorted = [...rows].sort((a, b) => order[a.change] - order[b.change]);
    const shown = this.open.has(key) ? sorted : sorted.slice(0, ROWS_SHOWN);
    const list = shown.map((row) => this.row(row));
    if (shown.length < rows.length) {
      list.push(make("button", { type: "button", onclick: () => { this.open.add(key); this.render(); } },
        `Show ${plural(rows.length - shown.length, "more row")}`));
    }
    if (quiet) return make("details", { class: "rel" }, make("summary", {}, `${name} · ${rows.length}, never changes`), list);
    return make("div", { class: "rel" }, make("h4", {}, name), list);
  }

  row({ id, change }) {
    const { index, lit, selection } = this.app;
    const book = this.book({ change });
    const [home, ...rest] = book.columns(book.tuples[id].slice(2));
    const text = home === undefined ? ["()"] : [make("i", {}, rest.length ? `${home},` : home), rest.join(", ")];
    if (change === "gone") {
      const node = this.app.nodeOfKey(book.key(book.tuples[id]));
      const chosen = node && selection && nodeName(selection) === nodeName(node);
      const where = this.app.beside.run ? `in ${runName(this.app.beside.run)}` : "without the faults";
      return make("button", {
        type: "button", class: `row gone${chosen ? " chosen" : ""}`, "data-gone": id, "aria-pressed": String(!!chosen),
        title: `missing: holds here ${where}`, disabled: node ? null : "", onclick: () => this.app.select(node),
      }, ...text);
    }
    if (change === "old") return make("div", { class: "row old", title: "held one step before" }, ...text);
    const chosen = selection?.held === id;
    const cut = index === baseIndex() && this.app.cutTuples.has(id);
    const mark = `${change}${lit?.tuples.has(id) ? " lit" : ""}${chosen ? " chosen" : ""}${cut ? " cut" : ""}`;
    return make("button", {
      type: "button", class: `row ${mark}`, "data-tuple": id, "aria-pressed": String(chosen),
      title: change === "new" ? "new at this step" : null, onclick: () => this.app.select({ held: id }),
    }, ...text);
  }
}
