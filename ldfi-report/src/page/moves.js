// A small menu of deeds beside what was clicked. A row is a text and its deeds: {text, deeds: [{label, faults}]}, or {text, part}
// with an element of its own. Where there is one deed only, it is done at once.
class Moves {
  constructor(play) {
    this.play = play;
    this.box = make("div", { id: "moves", class: "moves", role: "dialog", "aria-label": "Moves" });
    this.box.hidden = true;
    document.body.append(this.box);
    this.box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.close();
    });
    addEventListener("pointerdown", (event) => { if (!this.box.contains(event.target)) this.close(); });
  }

  offer(title, rows, event) {
    tip.hide();
    const deeds = rows.flatMap((row) => row.deeds || []);
    if (deeds.length === 1 && rows.length === 1) return this.choose(deeds[0]);
    this.before = document.activeElement;
    this.box.replaceChildren(make("b", {}, title), ...rows.map((row) => this.row(row)));
    this.box.hidden = false;
    this.place(event);
    this.box.querySelector("button")?.focus({ preventScroll: true });
  }

  row({ text, deeds, part }) {
    const buttons = (deeds || []).map((deed) => make("button", {
      type: "button", "aria-label": deed.said || [text, deed.label].filter(Boolean).join(" "), onclick: () => this.choose(deed),
    }, deed.label));
    return make("div", { class: "deeds" }, text ? make("span", {}, text) : null, part || null, ...buttons);
  }

  // Beside the pointer; below the picture's head where there was none.
  place(event) {
    const own = this.box.getBoundingClientRect();
    const rect = event?.target?.getBoundingClientRect?.() || byId("game").getBoundingClientRect();
    const [left, top] = event?.clientX ? [event.clientX + 12, event.clientY + 8] : [rect.left, rect.bottom + 6];
    this.box.style.left = `${Math.min(Math.max(8, left), Math.max(8, innerWidth - own.width - 8))}px`;
    this.box.style.top = `${Math.min(Math.max(8, top), Math.max(8, innerHeight - own.height - 8))}px`;
  }

  choose({ faults }) {
    this.close();
    this.play(faults);
  }

  close() {
    if (this.box.hidden) return;
    this.box.hidden = true;
    this.before?.focus?.({ preventScroll: true });
  }
}
