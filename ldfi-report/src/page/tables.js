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
    const homes = this.byHome(rows);
    this.host.replaceChildren(...[...homes].map(([home, list]) => this.card(home, list)));
    if (!homes.size) this.host.append(make("p", { class: "none" }, "Nothing holds at this time."));
  }

  // What would hold at this time without the faults, and does not.
  gone(time) {
    const base = baseIndex();
    const { index } = this.app;
    if (base === index) return [];
    const missing = (base.byTime[time] || []).filter((id) => index.find(base.key(base.tuples[id])) === undefined);
    return missing.map((id) => ({ id, change: "gone" }));
  }

  // Where a row is written down: the failure-free run for what is gone.
  book(row) {
    return row.change === "gone" ? baseIndex() : this.app.index;
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
    // Crashes are known from the beginning to the end, to those who ask.
    const quiet = (relation) => relation === "crash" || baseIndex().constant.has(relation);
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
      const chosen = selection?.gone === id;
      return make("button", {
        type: "button", class: `row gone${chosen ? " chosen" : ""}`, "data-gone": id, "aria-pressed": String(chosen),
        title: "missing: holds here without the faults", onclick: () => this.app.select({ gone: id }),
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
