// The lineage graph with zoom and pan. Up walks to a cause, down to a consequence.
class GraphView {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.view = { x: 0, y: 0, scale: 1 };
    host.addEventListener("pointerdown", (event) => this.grab(event));
    host.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    host.addEventListener("keydown", (event) => this.key(event));
    byId("zoom-in").onclick = () => this.zoom(1.25);
    byId("zoom-out").onclick = () => this.zoom(0.8);
    byId("zoom-fit").onclick = () => this.fit();
    new ResizeObserver(() => this.graph && this.fit(true)).observe(host);
  }

  show(root, options) {
    this.root = root;
    if (!root) {
      this.graph = null;
      this.host.replaceChildren(make("p", { class: "empty" }, "This run has no outcome to explain. Choose any tuple below."));
      byId("more").hidden = true;
      return;
    }
    this.graph = Lineage.of(root, this.app, options);
    this.place = layout(this.graph, REPORT.nodes);
    this.causes = new Map();
    this.effects = new Map();
    for (const step of this.graph.steps) {
      for (const from of [...step.premises, ...step.against, ...step.struck]) {
        put(this.causes, step.head, from);
        put(this.effects, from, step.head);
      }
    }
    this.render();
    this.fit(true);
    const more = byId("more");
    more.hidden = this.graph.leftOut === 0;
    more.textContent = `Show more (${plural(this.graph.leftOut, "tuple")} left out)`;
  }

  // Whether the graph already shows a node.
  has(node) {
    return !!this.graph && this.graph.seen.has(nodeName(node));
  }

  render() {
    if (!this.graph) return;
    const hadFocus = this.host.contains(document.activeElement);
    const chosen = this.app.selection && this.graph.seen.get(nodeName(this.app.selection));
    this.lit = chosen === undefined || chosen === null ? null : this.reach(chosen);
    this.layer = draw("g", {}, this.backdrop(), ...this.graph.steps.flatMap((step) => this.edges(step)),
      ...this.graph.goals.map((goal, at) => this.goal(goal, at, chosen ?? 0)), this.labels());
    const title = `Lineage of ${this.graph.goals[0].label}@${this.graph.goals[0].time}`;
    const canvas = draw("svg", { role: "group", "aria-label": title, class: this.lit ? "dimmed" : "" }, this.layer);
    this.host.replaceChildren(canvas);
    this.move();
    if (hadFocus) this.host.querySelector(".goal[tabindex='0']")?.focus({ preventScroll: true });
  }

  // A goal and everything that it follows from.
  reach(goal) {
    const seen = new Set([goal]);
    for (const at of seen) for (const cause of this.causes.get(at) || []) seen.add(cause);
    return seen;
  }

  backdrop() {
    const { lanes, times, width, height } = this.place;
    const layer = draw("g");
    lanes.forEach((lane, at) => {
      if (at % 2 === 0) layer.append(draw("rect", { class: "lane", x: lane.x, y: 0, width: lane.width, height, rx: 8 }));
    });
    times.forEach(({ y }, at) => { if (at) layer.append(draw("path", { class: "grid", d: `M6 ${y}H${width - 6}` })); });
    return layer;
  }

  // Whose lane it is and what time: above everything else, and in sight wherever the graph is moved.
  labels() {
    const { lanes, times } = this.place;
    this.names = lanes.map((lane) => draw("text", { class: "lane-name", x: lane.x + lane.width / 2 }, lane.name));
    this.marks = times.map(({ time, y }) => draw("text", { class: "soft", y: y + BOX.row / 2 + 4 }, `@${time}`));
    this.edge = draw("rect", { width: 38 });
    this.top = draw("rect", { height: 24 });
    return draw("g", { class: "labels", "aria-hidden": "true" }, this.edge, ...this.marks, this.top, ...this.names);
  }

  goal(goal, at, current) {
    const { x, y, width } = this.place.places[at];
    const lit = this.lit?.has(at);
    const chosen = this.app.selection && nodeName(this.app.selection) === goal.name;
    const kind = goal.fault ? " fault" : goal.remark ? " remark" : goal.gone ? " gone" : goal.cut ? " cut" : goal.relation === "post" || goal.relation === "pre" ? ` ${goal.relation}` : "";
    const state = goal.fault ? "a fault" : goal.remark ? "why a rule does not fire" : goal.gone ? (goal.node.gone === undefined ? "never holds" : "missing in this run") : goal.cut ? "holds here, cut by a counterexample" : "holds";
    const group = draw("g", {
      class: `goal${kind}${lit ? " lit" : ""}${chosen ? " chosen" : ""}`, role: "button", "data-goal": at,
      tabindex: at === current ? 0 : -1, "aria-label": `${goal.label} at ${goal.time}, ${state}`,
      onclick: () => this.moved || (goal.node && this.app.select(goal.node)),
    },
      draw("rect", { x: x - width / 2, y: y - BOX.high / 2, width, height: BOX.high, rx: 7 }),
      draw("text", { class: "middle", x, y: y + 4 }, goal.label));
    return tip.on(group, () => [goal.node ? `${goal.label}@${goal.time}` : goal.label, state, ...this.ways(at)]);
  }

  ways(goal) {
    const steps = this.graph.steps.filter((step) => step.head === goal && step.rule !== null);
    return [...new Set(steps.map((step) => `${rulePlace(step.rule)}: ${ruleText(step.rule)}`))].slice(0, 4);
  }

  edges(step) {
    const head = this.place.places[step.head];
    const lit = this.lit?.has(step.head) ? " lit" : "";
    const dead = (at) => this.graph.goals[at].gone || this.graph.goals[at].cut;
    const kind = step.owed ? "owed" : step.hop ? "msg" : "";
    // An edge from the side lands on that side, so that heads stay apart.
    const curve = (from) => {
      const [x, y] = [from.x, from.y + BOX.high / 2];
      const lean = Math.max(-head.width / 3, Math.min(head.width / 3, (from.x - head.x) * 0.2));
      const end = [head.x + lean, head.y - BOX.high / 2];
      const bend = Math.max(14, (end[1] - y) / 2);
      return { x, y, end, d: `M${x} ${y}C${x} ${y + bend} ${end[0]} ${end[1] - bend} ${end[0]} ${end[1]}` };
    };
    const positive = step.premises.map((premise) => {
      const { end, d } = curve(this.place.places[premise]);
      const cut = step.falsified || (dead(step.head) && dead(premise));
      return draw("g", { class: `edge ${kind}${cut ? " cut" : ""}${lit}` }, draw("path", { d }),
        draw("path", { class: "end", d: headPath(end[0], end[1], Math.PI / 2, 8) }));
    });
    // What a fault stops ends in a cross, what it brings about in an arrow.
    const struck = step.struck.map((fault) => {
      const { x, y, end, d } = curve(this.place.places[fault]);
      const mark = dead(step.head) ? draw("path", { class: "cross", d: crossPath((x + end[0]) / 2, (y + end[1]) / 2, 6) })
        : draw("path", { class: "end", d: headPath(end[0], end[1], Math.PI / 2, 8) });
      return draw("g", { class: `edge lost${lit}` }, draw("path", { d }), mark);
    });
    const negative = step.against.map((from) => {
      const { end, d } = curve(this.place.places[from]);
      return draw("g", { class: `edge not${lit}` }, draw("path", { d }), draw("path", { class: "tee", d: `M${end[0] - 7} ${end[1] - 2}H${end[0] + 7}` }));
    });
    return [...positive, ...struck, ...negative];
  }

  move() {
    const { x, y, scale } = this.view;
    if (!this.layer) return;
    this.layer.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    const { clientWidth: w, clientHeight: h } = this.host;
    const [left, top] = [-x / scale, -y / scale];
    const set = (shape, values) => { for (const [key, value] of Object.entries(values)) shape.setAttribute(key, value); };
    set(this.top, { x: left, y: top, width: w / scale, visibility: top > 0 ? "visible" : "hidden" });
    set(this.edge, { x: left, y: top, height: h / scale, visibility: left > 0 ? "visible" : "hidden" });
    this.names.forEach((name, at) => set(name, { x: this.middle(this.place.lanes[at], left, left + w / scale), y: Math.max(17, top + 17) }));
    for (const mark of this.marks) mark.setAttribute("x", Math.max(10, left + 8));
  }

  // The middle of what can be seen of a lane, or of the lane if that is too little for a name.
  middle(lane, left, right) {
    const [from, to] = [Math.max(lane.x, left > 0 ? left + 38 : left), Math.min(lane.x + lane.width, right)];
    return to - from > 60 ? (from + to) / 2 : lane.x + lane.width / 2;
  }

  // The whole graph; when it opens, a large one is readable at its root rather than tiny as a whole.
  fit(opening = false) {
    if (!this.graph) return;
    const { clientWidth: w, clientHeight: h } = this.host;
    const { width, height } = this.place;
    const whole = Math.min(1.15, w / width, h / height);
    const scale = opening && whole < 0.55 ? 0.66 : whole;
    const root = this.place.places[0];
    const x = width * scale <= w ? (w - width * scale) / 2 : Math.min(0, Math.max(w - width * scale, w / 2 - root.x * scale));
    const y = height * scale <= h ? Math.min(12, (h - height * scale) / 2) : Math.min(0, Math.max(h - height * scale, h * 0.8 - root.y * scale));
    this.view = { x, y, scale };
    this.move();
  }

  zoom(factor, cx = this.host.clientWidth / 2, cy = this.host.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.04, this.view.scale * factor));
    const by = scale / this.view.scale;
    this.view = { scale, x: cx - (cx - this.view.x) * by, y: cy - (cy - this.view.y) * by };
    this.move();
  }

  // The wheel zooms with Ctrl, or once the graph has the focus; otherwise it scrolls the page.
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey && !this.host.contains(document.activeElement)) return;
    event.preventDefault();
    const box = this.host.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
  }

  grab(event) {
    if (event.button !== 0) return;
    const start = { x: event.clientX - this.view.x, y: event.clientY - this.view.y };
    const from = [event.clientX, event.clientY];
    this.moved = false;
    const drag = (e) => {
      if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > 4) this.moved = true;
      if (!this.moved) return;
      this.host.classList.add("dragging");
      tip.hide();
      this.view = { ...this.view, x: e.clientX - start.x, y: e.clientY - start.y };
      this.move();
    };
    const drop = () => {
      this.host.classList.remove("dragging");
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", drop);
    };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", drop);
  }

  key(event) {
    if (!this.graph) return;
    if (event.key === "+" || event.key === "=") return this.zoom(1.25);
    if (event.key === "-") return this.zoom(0.8);
    if (event.key === "0") return this.fit();
    const at = Number(event.target.closest?.(".goal")?.dataset.goal ?? 0);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.graph.goals[at].node && this.app.select(this.graph.goals[at].node);
    }
    const next = this.neighbour(at, event.key);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== null) {
      const { node } = this.graph.goals[next];
      if (node) this.app.select(node);
      this.host.querySelector(`[data-goal="${next}"]`)?.focus({ preventScroll: true });
      this.bring(next);
    }
  }

  neighbour(at, key) {
    // Upward, rather to what is missing, then to what has a story of its own.
    const telling = (i) => 2 * this.graph.goals[i].gone + this.causes.has(i);
    if (key === "ArrowUp") return [...(this.causes.get(at) || [])].sort((a, b) => telling(b) - telling(a))[0] ?? null;
    if (key === "ArrowDown") return this.effects.get(at)?.[0] ?? null;
    if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
    const here = this.place.places[at];
    const side = key === "ArrowLeft" ? -1 : 1;
    const beside = this.place.places.map((p, i) => ({ i, dx: (p.x - here.x) * side, dy: Math.abs(p.y - here.y) })).filter((p) => p.dx > 1);
    beside.sort((a, b) => a.dy - b.dy || a.dx - b.dx);
    return beside.length && beside[0].dy < BOX.row * 2 ? beside[0].i : null;
  }

  // Pans just enough for a goal to be seen.
  bring(at) {
    const { x, y } = this.place.places[at];
    const { clientWidth: w, clientHeight: h } = this.host;
    const [sx, sy] = [x * this.view.scale + this.view.x, y * this.view.scale + this.view.y];
    if (sx < 60 || sx > w - 60) this.view.x += w / 2 - sx;
    if (sy < 40 || sy > h - 40) this.view.y += h / 2 - sy;
    this.move();
  }
}
