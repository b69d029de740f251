// The space-time diagram: processes as vertical lines, time downward, messages as arrows.
// Only the steps in view are drawn, so a long run costs no more than a short one.
class SpaceTime {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    this.focused = 0;
    this.lanes = make("div", { class: "lanes" });
    this.canvas = draw("svg", { role: "group", "aria-label": "Messages between nodes; arrow keys move between them" });
    host.append(this.lanes, this.canvas);
    let waiting = false;
    host.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; this.render(); });
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.show()).observe(host);
  }

  x(lane) { return this.left + lane * this.gap; }
  y(time) { return 30 + (time - 1) * this.step; }

  show() {
    const { nodes, fspec: { eot } } = REPORT;
    const index = this.app.index;
    this.left = 84;
    // A short run fills the panel; a long one scrolls.
    this.step = Math.max(56, Math.min(104, (this.host.clientHeight - 34 - 60) / Math.max(1, eot - 1)));
    this.gap = Math.max(72, Math.min(230, (this.host.clientWidth - this.left - 70) / Math.max(1, nodes.length - 1)));
    this.width = Math.max(this.host.clientWidth - 2, this.x(nodes.length - 1) + 64);
    this.height = this.y(eot) + 34;
    this.canvas.setAttribute("width", this.width);
    this.canvas.setAttribute("height", this.height);
    this.lanes.style.cssText = `width:${this.width}px;height:34px`;
    this.lanes.replaceChildren(...nodes.map((name, lane) =>
      make("span", { style: `left:${this.x(lane)}px`, class: index.stretches.some((s) => s.node === name && s.standing === "dead") ? "dead-name" : "" }, name)));
    this.byTime = new Map();
    index.arrows.forEach((arrow, at) => {
      arrow.at = at;
      put(this.byTime, arrow.send, arrow);
    });
    this.most = Math.max(0, ...[...this.byTime.values()].map((list) => list.length));
    const sent = index.run.messages.filter((m) => !m.unsent && !m.copy);
    const lost = sent.filter((m) => m.lost).length;
    this.host.parentElement.querySelector(".hint").textContent = `${plural(sent.length, "message")} sent${lost ? `, ${lost} lost` : ""}`;
    this.render();
  }

  // Brings a time into view without moving the page.
  reveal(time) {
    const top = this.y(time) - this.step;
    const { scrollTop, clientHeight } = this.host;
    if (top < scrollTop || this.y(time) + this.step > scrollTop + clientHeight - 34) this.host.scrollTop = top;
    this.render();
  }

  render() {
    const { eot } = REPORT.fspec;
    const from = Math.max(1, Math.floor(this.host.scrollTop / this.step) - 1);
    const to = Math.min(eot, from + Math.ceil(this.host.clientHeight / this.step) + 3);
    const hadFocus = this.canvas.contains(document.activeElement);
    const parts = [this.rows(from, to), this.lives(from, to)];
    for (let time = from; time <= to; time++) {
      const arrows = this.byTime.get(time) || [];
      parts.push(...arrows.map((arrow) => this.arrow(arrow)), ...this.captions(time, arrows));
    }
    parts.push(this.events(from, to));
    // Where everyone talks to everyone, thin lines keep the lost and the chosen visible.
    this.canvas.classList.toggle("dense", this.most > 24);
    this.canvas.classList.toggle("dimmed", !!this.app.lit);
    this.canvas.replaceChildren(...parts);
    if (!this.canvas.querySelector(".arrow[tabindex='0']")) this.canvas.querySelector(".arrow")?.setAttribute("tabindex", "0");
    if (hadFocus) this.canvas.querySelector(".arrow[tabindex='0']")?.focus({ preventScroll: true });
  }

  rows(from, to) {
    const layer = draw("g");
    for (let time = from; time <= to; time++) {
      const y = this.y(time);
      if (time === this.app.time) layer.append(draw("rect", { class: "now-band", x: 0, y: y - 14, width: this.width, height: 28 }));
      layer.append(
        draw("path", { class: "grid", d: `M44 ${y}H${this.width}` }),
        draw("text", { class: "soft middle", x: 24, y: y + 4 }, String(time)),
        draw("rect", { class: "row-hit", x: 0, y: y - 14, width: this.width, height: 28, onclick: () => this.app.setTime(time) }),
      );
    }
    return layer;
  }

  lives(from, to) {
    const layer = draw("g");
    const { nodes, fspec: { eot } } = REPORT;
    const index = this.app.index;
    const start = from === 1 ? 0 : this.y(from) - this.step;
    const stop = to === eot ? this.y(eot) + 20 : this.y(to) + this.step;
    nodes.forEach((name, lane) => {
      const x = this.x(lane);
      const crash = index.stretches.find((s) => s.node === name && s.standing === "dead")?.from;
      const end = crash === undefined ? stop : Math.min(stop, this.y(crash));
      if (end > start) layer.append(draw("path", { class: "life", d: `M${x} ${start}V${end}` }));
      if (crash !== undefined && stop > this.y(crash)) {
        layer.append(draw("path", { class: "dead", d: `M${x} ${Math.max(start, this.y(crash))}V${stop}` }));
      }
    });
    return layer;
  }

  // Dots and crashes lie above the arrows, so that they can always be reached.
  events(from, to) {
    const layer = draw("g");
    REPORT.nodes.forEach((name, lane) => {
      const crash = this.app.index.stretches.find((s) => s.node === name && s.standing === "dead")?.from;
      const x = this.x(lane);
      for (let time = from; time <= to; time++) {
        if (crash === time) {
          layer.append(
            draw("path", { class: "cross", d: crossPath(x, this.y(time), 7) }),
            draw("text", { class: "bad-text halo", x: x + 13, y: this.y(time) + 4 }, "crash"),
          );
        } else if (crash === undefined || time < crash) layer.append(this.dot(name, time, x));
      }
    });
    return layer;
  }

  dot(name, time, x) {
    const busy = (this.byTime.get(time) || []).some((a) => a.from === name) ||
      (this.byTime.get(time - 1) || []).some((a) => a.to === name && !a.lost);
    const dot = draw("circle", { class: `dot${busy ? " busy" : ""}`, cx: x, cy: this.y(time), r: 4.2 });
    if (this.app.game) this.app.game.makeCrashable(dot, name, time);
    return dot;
  }

  // What each node sends is said once, beside its line, where nothing else is written.
  captions(time, arrows) {
    const said = new Map();
    for (const arrow of arrows) {
      const tables = said.get(arrow.from) || new Set();
      for (const m of arrow.messages) tables.add(this.app.index.run.relations[this.app.index.run.messages[m].table]);
      said.set(arrow.from, tables);
    }
    return [...said].map(([from, tables]) => {
      const text = [...tables].join(", ");
      const short = text.length > 18 ? `${text.slice(0, 17)}…` : text;
      return draw("text", { class: "soft halo", x: this.x(REPORT.nodes.indexOf(from)) + 9, y: this.y(time) - 8 }, short);
    });
  }

  arrow(arrow) {
    const { nodes } = REPORT;
    const [x1, y1] = [this.x(nodes.indexOf(arrow.from)), this.y(arrow.send)];
    const [tx, ty] = [this.x(nodes.indexOf(arrow.to)), this.y(arrow.receive)];
    const length = Math.hypot(tx - x1, ty - y1);
    const part = arrow.lost ? 0.62 : 1 - 6 / length;
    const [x2, y2] = [x1 + (tx - x1) * part, y1 + (ty - y1) * part];
    const line = `M${x1} ${y1}L${x2} ${y2}`;
    const lit = this.app.lit && arrow.messages.some((m) => this.app.lit.messages.has(m));
    const group = draw("g", {
      class: `arrow${arrow.lost ? " lost" : ""}${lit ? " lit" : ""}`, role: "button", "data-arrow": arrow.at,
      tabindex: arrow.at === this.focused ? 0 : -1, "aria-label": this.describe(arrow).join(". "),
      onclick: () => this.activate(arrow), onfocus: () => { this.focused = arrow.at; },
    }, draw("path", { class: "hit", d: line }), draw("path", { class: "shaft", d: line }));
    if (arrow.lost) group.append(draw("path", { class: "cross", d: crossPath(x2, y2, 5.5) }));
    else group.append(draw("path", { class: "tip-head", d: headPath(x2, y2, Math.atan2(ty - y1, tx - x1)) }));
    return tip.on(group, () => this.describe(arrow));
  }

  describe(arrow) {
    const index = this.app.index;
    const fate = arrow.lost ? `lost (${arrow.fault || "fault"})` : `arrives @${arrow.receive}`;
    const shown = arrow.messages.slice(0, 8).map((at) => index.run.messages[at]);
    const rules = [...new Set(shown.map((m) => m.rule))];
    const more = arrow.messages.length - shown.length;
    return [
      shown.map((m) => index.showMessage(m)).join("\n") + (more > 0 ? `\n… and ${more} more` : ""),
      `${arrow.from} → ${arrow.to}, sent @${arrow.send}, ${fate}`,
      ...rules.map((rule) => `${rulePlace(rule)}: ${ruleText(rule)}`),
      ...(this.app.game ? [arrow.lost ? "click to let it through" : arrow.send < REPORT.fspec.eff ? "click to lose it" : "too late to lose it"] : []),
    ];
  }

  activate(arrow) {
    tip.hide();
    if (this.app.game) return this.app.game.toggleLoss(arrow);
    const message = this.app.index.run.messages[arrow.messages[0]];
    if (message.tuple !== null) return this.app.select({ held: message.tuple });
    const tuple = [message.table, message.receive_time, ...(message.row || [])];
    const gone = baseIndex().find(this.app.index.key(tuple));
    this.app.select(gone === undefined ? { never: tuple } : this.app.nodeOfBase(gone));
  }

  key(event) {
    const arrows = this.app.index.arrows;
    const move = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (arrows[this.focused]) this.activate(arrows[this.focused]);
    } else if (move && arrows.length) {
      event.preventDefault();
      event.stopPropagation();
      this.focused = Math.min(arrows.length - 1, Math.max(0, this.focused + move));
      this.reveal(arrows[this.focused].send);
      this.canvas.querySelector(`[data-arrow="${this.focused}"]`)?.focus({ preventScroll: true });
    }
  }
}
