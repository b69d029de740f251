// Finding tuples by any part of their text, at whatever time they hold.
class Find {
  static MOST = 40;

  constructor(box, host, app) {
    this.box = box;
    this.host = host;
    this.app = app;
    box.oninput = () => this.render();
    box.onkeydown = (event) => {
      if (event.key === "Escape") this.close();
      if (event.key === "Enter" || event.key === "ArrowDown") {
        event.preventDefault();
        this.host.querySelector("button")?.focus();
      }
    };
  }

  close() {
    this.box.value = "";
    this.render();
  }

  // Tuples whose text has every word, each with the steps at which it holds.
  matches(words) {
    const { index } = this.app;
    const found = new Map();
    index.tuples.forEach((tuple, id) => {
      if (!filter.shows(index.relation(id), index.location(id))) return;
      const label = index.label(id);
      const text = label.toLowerCase();
      if (words.every((word) => text.includes(word))) put(found, label, id);
    });
    const begins = ([label]) => label.toLowerCase().startsWith(words[0]);
    return [...found].sort((a, b) => begins(b) - begins(a) || a[0].localeCompare(b[0]));
  }

  render() {
    const words = this.box.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.host.hidden = !words.length;
    if (!words.length) return;
    const found = this.matches(words);
    const { index } = this.app;
    const list = found.slice(0, Find.MOST).map(([label, ids]) => {
      const times = [...new Set(ids.map((id) => index.time(id)))].sort((a, b) => a - b);
      const choose = () => this.app.select({ held: ids.reduce((a, b) => (index.time(a) <= index.time(b) ? a : b)) });
      return make("button", { type: "button", class: "found", onclick: choose }, label, make("span", {}, stepsText(times)));
    });
    if (found.length > Find.MOST) list.push(make("p", { class: "hint" }, `and ${found.length - Find.MOST} more: write more of it`));
    this.host.replaceChildren(...(list.length ? list : [make("p", { class: "hint" }, "No tuple of this run has that in it.")]));
  }
}
