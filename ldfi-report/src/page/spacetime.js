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
  // Where words beside a lane stand: to the right of it, but on the last lane there is room to the left.
  side(lane, right, left = right) {
    const last = lane > 0 && lane === REPORT.nodes.length - 1;
    return last ? { "text-anchor": "end", x: this.x(lane) - left } : { x: (lane < 0 ? 62 : this.x(lane)) + right };
  }

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
    this.busy = new Set();
    index.arrows.forEach((arrow, at) => {
      arrow.at = at;
      put(this.byTime, arrow.send, arrow);
      this.busy.add(`${arrow.send} ${arrow.from}`);
      if (!arrow.lost) this.busy.add(`${arrow.receive} ${arrow.to}`);
    });
    this.long = index.arrows.filter((arrow) => arrow.late > 0);
    this.most = Math.max(0, ...[...this.byTime.values()].map((list) => list.length));
    const sent = index.run.messages.filter((m) => !m.unsent && !m.copy);
    const count = (keep) => index.arrows.filter(keep).reduce((sum, arrow) => sum + arrow.messages.length, 0);
    const [lost, late, copies] = [count((a) => a.lost), count((a) => a.late && !a.copy), count((a) => a.copy)];
    this.host.parentElement.querySelector(".hint").textContent = [`${plural(sent.length, "message")} sent`, lost && `${lost} lost`, late && `${late} late`,
      copies && plural(copies, "copy", "copies")].filter(Boolean).join(", ");
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
    const parts = [this.rows(from, to), this.walls(from, to), this.lives(from, to)];
    for (let time = from; time <= to; time++) {
      const arrows = this.byTime.get(time) || [];
      parts.push(...arrows.filter((arrow) => !arrow.late).map((arrow) => this.arrow(arrow)), ...this.captions(time, arrows));
    }
    // What lands late crosses the others, and the view though it may have been sent above it.
    parts.push(...this.long.filter((arrow) => arrow.send <= to && arrow.receive >= from).map((arrow) => this.arrow(arrow)));
    parts.push(this.events(from, to), this.inputs(from, to));
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
      this.app.game?.partHandle(layer, 42, y, time);
    }
    return layer;
  }

  // A partition is a band between neighbours that are on different sides.
  walls(from, to) {
    const layer = draw("g");
    const { fspec: { eot } } = REPORT;
    for (const { fault, from: begin, until, walls } of this.app.index.partings) {
      if (until <= from || begin > to) continue;
      const [top, bottom] = [this.y(begin), this.y(Math.min(until, eot))];
      for (const lane of walls) {
        const x = (this.x(lane) + this.x(lane + 1)) / 2;
        const band = draw("g", {}, draw("rect", { class: "wall", x: x - 10, y: top, width: 20, height: bottom - top }),
          draw("path", { class: "wall-edge", d: `M${x - 10} ${top}V${bottom}M${x + 10} ${top}V${bottom}` }));
        layer.append(tip.on(band, () => [fault, "what either side sends the other is lost"]),
          draw("text", { class: "bad-text middle halo", x, y: bottom + 13 }, "partition"));
      }
    }
    return layer;
  }

  lives(from, to) {
    const layer = draw("g");
    const { nodes, fspec: { eot } } = REPORT;
    const start = from === 1 ? 0 : this.y(from) - this.step;
    const stop = to === eot ? this.y(eot) + 20 : this.y(to) + this.step;
    const line = (name, x, top, bottom) => {
      const [first, last] = [Math.max(start, top), Math.min(stop, bottom)];
      if (last > first) layer.append(draw("path", { class: name, d: `M${x} ${first}V${last}` }));
    };
    nodes.forEach((name, lane) => {
      const x = this.x(lane);
      let up = 0;
      for (const { standing, from: begin, until } of this.app.index.stretches.filter((s) => s.node === name)) {
        const end = until > eot ? this.height : this.y(until);
        if (standing === "paused") continue;
        line("life", x, up, this.y(begin));
        line("dead", x, this.y(begin), end);
        up = end;
      }
      line("life", x, up, this.height);
    });
    layer.append(...this.pauses(start, stop));
    return layer;
  }

  // A pause is a hatched stretch of its node's line.
  pauses(start, stop) {
    const { nodes, fspec: { eot } } = REPORT;
    return this.app.index.stretches.filter((s) => s.standing === "paused").flatMap(({ node, from, until, fault }) => {
      const x = this.x(nodes.indexOf(node));
      const top = Math.max(start, this.y(from) - 10);
      const bottom = Math.min(stop, until > eot ? this.y(eot) + 20 : this.y(until) - 10);
      if (bottom <= top) return [];
      const stretch = draw("g", {}, draw("rect", { class: "paused", x: x - 6, y: top, width: 12, height: bottom - top, rx: 2 }),
        draw("path", { class: "hatch", d: hatchPath(x, top, bottom) }));
      return [tip.on(stretch, () => [fault || "pause", "it takes no step, and keeps everything"])];
    });
  }

  // Dots and what happens to nodes lie above the arrows, so that they can always be reached.
  events(from, to) {
    const layer = draw("g");
    const { index, game } = this.app;
    REPORT.nodes.forEach((name, lane) => {
      const x = this.x(lane);
      const say = (time, mood, text) => layer.append(draw("text", { class: `${mood} halo`, x: x + 13, y: this.y(time) + 4 }, text));
      for (let time = from; time <= to; time++) {
        const stretch = index.stretch(name, time);
        const began = stretch?.from === time;
        if (began && stretch.standing !== "paused") {
          const cross = draw("path", { class: "cross", d: crossPath(x, this.y(time), 7) });
          layer.append(game ? game.onNode(cross, name, time) : cross);
          say(time, "bad-text", "crash");
          continue;
        }
        if (!stretch || game?.reaches(stretch)) layer.append(this.dot(name, time, x, stretch));
        if (began) say(time, "warn-text", "pause");
        if (index.stretches.some((s) => s.node === name && s.standing === "down" && s.until === time)) say(time, "good-text", "restart");
      }
    });
    return layer;
  }

  dot(name, time, x, stretch) {
    const back = this.app.index.stretches.some((s) => s.node === name && s.standing === "down" && s.until === time);
    const look = stretch ? " ghost" : back ? " back" : this.busy.has(`${time} ${name}`) ? " busy" : "";
    const dot = draw("circle", { class: `dot${look}`, cx: x, cy: this.y(time), r: back ? 6 : 4.2 });
    return this.app.game ? this.app.game.onNode(dot, name, time) : dot;
  }

  // Inputs that were given, and in a game those that may be.
  inputs(from, to) {
    const layer = draw("g");
    const { index, game } = this.app;
    const places = new Map();
    const add = (node, time, input) => {
      if (time >= from && time <= to) put(places, `${REPORT.nodes.indexOf(node)} ${time}`, input);
    };
    index.gives.forEach(({ tuple, fault }) => add(index.location(tuple), index.time(tuple), { text: index.label(tuple), fault, given: true }));
    const given = new Set(index.gives.map(({ fault }) => fault));
    game?.inputs.filter(({ fault }) => !given.has(fault)).forEach(({ node, time, fault }) => add(node, time, { text: fault, fault }));
    for (const [place, inputs] of places) {
      const [lane, time] = place.split(" ").map(Number);
      // What is at no node stands in the margin.
      const x = lane < 0 ? 62 : this.x(lane);
      const came = inputs.filter((input) => input.given);
      // In a game the dot beside it must be reached.
      const mark = draw("path", { class: `input${came.length ? " given" : ""}`, d: diamondPath(game ? x - 13 : x, this.y(time), came.length ? 7 : 5) });
      const side = this.side(lane, 13, game ? 22 : 11);
      if (came.length) layer.append(draw("text", { class: "warn-text halo", y: this.y(time) + 17, ...side }, shorten(came.map((input) => input.text).join(", "), 26)));
      layer.append(game ? game.onInputs(mark, inputs) : tip.on(mark, () => came.map((input) => `given: ${input.text}`)));
    }
    return layer;
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
      return draw("text", { class: "soft halo", y: this.y(time) - 8, ...this.side(REPORT.nodes.indexOf(from), 9) }, shorten([...tables].join(", "), 18));
    });
  }

  arrow(arrow) {
    const { nodes } = REPORT;
    const [x1, y1] = [this.x(nodes.indexOf(arrow.from)), this.y(arrow.send)];
    const [tx, ty] = [this.x(nodes.indexOf(arrow.to)), this.y(arrow.receive)];
    const length = Math.hypot(tx - x1, ty - y1);
    // What is still on its way at the end leaves the picture.
    const leaves = arrow.receive > REPORT.fspec.eot;
    const part = arrow.lost ? this.stop(arrow) : leaves ? (this.height - 10 - y1) / (ty - y1) : 1 - 6 / length;
    // What lands late is bent: straight, it could lie on what lands on time at a nearer lane.
    const bend = arrow.late && !leaves ? [(x1 + tx) / 2, (y1 + ty) / 2 + 0.4 * this.step] : null;
    const angle = bend ? Math.atan2(ty - bend[1], tx - bend[0]) : Math.atan2(ty - y1, tx - x1);
    const [x2, y2] = bend ? [tx - 6 * Math.cos(angle), ty - 6 * Math.sin(angle)] : [x1 + (tx - x1) * part, y1 + (ty - y1) * part];
    const line = `M${x1} ${y1}${bend ? `Q${bend.join(" ")} ` : "L"}${x2} ${y2}`;
    const lit = this.app.lit && arrow.messages.some((m) => this.app.lit.messages.has(m));
    const group = draw("g", {
      class: `arrow${arrow.lost ? " lost" : arrow.late ? " late" : ""}${arrow.copy ? " copy" : ""}${lit ? " lit" : ""}`, role: "button", "data-arrow": arrow.at,
      tabindex: arrow.at === this.focused ? 0 : -1, "aria-label": this.describe(arrow).join(". "),
      onclick: (event) => this.activate(arrow, event), onfocus: () => { this.focused = arrow.at; },
    }, draw("path", { class: "hit", d: line }), draw("path", { class: "shaft", d: line }));
    if (arrow.lost) group.append(draw("path", { class: "cross", d: crossPath(x2, y2, 5.5) }));
    else if (!leaves) group.append(draw("path", { class: "tip-head", d: headPath(x2, y2, angle) }));
    if (arrow.late) {
      const [anchor, x] = tx > x1 ? ["end", x2 - 12] : ["start", x2 + 12];
      group.append(draw("text", { class: "warn-text halo", "text-anchor": anchor, x, y: leaves ? y2 : y2 + 12 }, `${arrow.copy ? "copy, " : ""}${arrow.late} late`));
    }
    return tip.on(group, () => this.describe(arrow));
  }

  // How far a lost message comes: to the first partition on its way, if there is one.
  stop({ from, to, send }) {
    const { nodes } = REPORT;
    const [start, end] = [nodes.indexOf(from), nodes.indexOf(to)];
    const step = Math.sign(end - start);
    const standing = this.app.index.partings.filter((parting) => parting.from <= send && send < parting.until);
    for (let lane = start; lane !== end; lane += step) {
      if (standing.some(({ walls }) => walls.includes(Math.min(lane, lane + step)))) return (Math.abs(lane - start) + 0.5) / Math.abs(end - start);
    }
    return 0.62;
  }

  describe(arrow) {
    const index = this.app.index;
    const because = arrow.fault ? ` (${arrow.fault})` : "";
    const fate = arrow.lost ? `lost${because || " (fault)"}` : `${arrow.copy ? "a copy " : ""}arrives ${arrow.receive > REPORT.fspec.eot ? "after the end" : `@${arrow.receive}`}${because}`;
    const shown = arrow.messages.slice(0, 8).map((at) => index.run.messages[at]);
    const rules = [...new Set(shown.map((m) => m.rule))];
    const more = arrow.messages.length - shown.length;
    return [
      shown.map((m) => index.showMessage(m)).join("\n") + (more > 0 ? `\n… and ${more} more` : ""),
      `${arrow.from} → ${arrow.to}, sent @${arrow.send}, ${fate}`,
      ...rules.map((rule) => `${rulePlace(rule)}: ${ruleText(rule)}`),
      ...(this.app.game ? [this.app.game.arrowHint(arrow)] : []),
    ];
  }

  activate(arrow, event) {
    tip.hide();
    if (this.app.game) return this.app.game.onArrow(arrow, event);
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
