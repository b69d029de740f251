// The program as its author wrote it, file by file, with the rules that fired in the current run.
class ProgramView {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    const { sources, rules } = REPORT.program;
    // Where no text is known the rules themselves are the text.
    this.sources = sources.length ? sources : [{ name: "", first: 1, text: rules.map((rule) => rule.text).join("\n") }];
    this.rulesAt = this.sources.map(() => new Map());
    rules.forEach((rule, at) => {
      const { source, line, last } = (sources.length ? rule.place : { source: 0, line: at + 1, last: at + 1 }) || {};
      for (let no = line; no <= last; no++) put(this.rulesAt[source], no, rule.id);
    });
  }

  render() {
    const fired = new Map();
    for (const firing of this.app.index.run.firings) fired.set(firing.rule, (fired.get(firing.rule) || 0) + 1);
    const chosen = this.app.chosenRules();
    const first = !this.host.firstChild;
    this.told = new Set();
    this.host.replaceChildren(...this.sources.flatMap(({ name, first: begin, text }, source) => [
      name ? make("div", { class: "file", title: name }, name) : null,
      ...text.replace(/\n$/, "").split("\n").map((line, at) => this.line(line, `${name}:${begin + at}`, begin + at, this.rulesAt[source].get(begin + at) || [], fired, chosen)),
    ]).filter(Boolean));
    // A file may begin with a page of comments: the rules come first.
    if (chosen.size) this.bring(".chosen");
    else if (first) this.bring(".fired");
  }

  line(text, path, no, rules, fired, chosen) {
    const live = rules.filter((rule) => fired.has(rule));
    const mark = !live.length ? "" : live.some((rule) => chosen.has(rule)) ? " chosen" : " fired";
    const counts = live.filter((rule) => !this.told.has(rule)).map((rule) => `×${fired.get(rule).toLocaleString("en")}`);
    for (const rule of live) this.told.add(rule);
    return make("div", { class: `line${mark}`, title: path, "data-rules": rules.join(" ") }, make("span", { class: "no" }, String(no)),
      make("span", { class: "src" }, ...this.tokens(text)), counts.length ? make("span", { class: "times" }, counts.join(" ")) : null);
  }

  tokens(line) {
    const parts = line.split(/(\/\/.*$|"(?:[^"\\]|\\.)*"|@next\b|@async\b|\bnotin\b|\binclude\b)/);
    return parts.map((part) => {
      const kind = part.startsWith("//") ? "c" : part.startsWith('"') ? "s" : /^(@next|@async|notin|include)$/.test(part) ? "k" : "";
      return kind ? make("span", { class: `tok-${kind}` }, part) : part;
    });
  }

  // Shows a rule where it stands.
  goTo(rule) {
    const lines = [...this.host.querySelectorAll(".line")].filter((line) => line.dataset.rules.split(" ").includes(String(rule)));
    if (!lines.length) return;
    for (const line of this.host.querySelectorAll(".line.here")) line.classList.remove("here");
    for (const line of lines) line.classList.add("here");
    this.bring(".here");
    byId("program-panel").scrollIntoView({ block: "nearest" });
    byId("source-place").textContent = rulePath(rule);
  }

  bring(mark) {
    const line = this.host.querySelector(mark);
    if (!line) return;
    const top = line.offsetTop - this.host.offsetTop;
    if (top < this.host.scrollTop || top > this.host.scrollTop + this.host.clientHeight - 30) this.host.scrollTop = top - 60;
  }
}
