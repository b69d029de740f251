// The program text with the rules that fired in the current run.
class ProgramView {
  constructor(host, app) {
    this.host = host;
    this.app = app;
    const { text, rules } = REPORT.program;
    this.lines = (text || rules.map((rule) => rule.text).join("\n")).replace(/\n$/, "").split("\n");
    this.ruleAt = new Map();
    rules.forEach((rule, at) => {
      const first = text ? rule.line : at + 1;
      if (!first) return;
      // A rule ends at the line with its semicolon.
      let last = first;
      while (text && last < this.lines.length && !this.lines[last - 1].includes(";")) last++;
      for (let line = first; line <= last; line++) if (!this.ruleAt.has(line)) this.ruleAt.set(line, rule.id);
    });
  }

  render() {
    const fired = new Map();
    for (const firing of this.app.index.run.firings) fired.set(firing.rule, (fired.get(firing.rule) || 0) + 1);
    const chosen = this.app.chosenRules();
    let told = null;
    this.host.replaceChildren(...this.lines.map((line, at) => {
      const rule = this.ruleAt.get(at + 1);
      const times = fired.get(rule) || 0;
      const mark = rule === undefined || !times ? "" : chosen.has(rule) ? " chosen" : " fired";
      const first = mark && told !== rule;
      if (mark) told = rule;
      return make("div", { class: `line${mark}` }, make("span", { class: "no" }, String(at + 1)),
        make("span", { class: "src" }, ...this.tokens(line)), first ? make("span", { class: "times" }, `×${times.toLocaleString("en")}`) : null);
    }));
    if (chosen.size) this.bring();
  }

  tokens(line) {
    const parts = line.split(/(\/\/.*$|"(?:[^"\\]|\\.)*"|@next\b|@async\b|\bnotin\b|\binclude\b)/);
    return parts.map((part) => {
      const kind = part.startsWith("//") ? "c" : part.startsWith('"') ? "s" : /^(@next|@async|notin|include)$/.test(part) ? "k" : "";
      return kind ? make("span", { class: `tok-${kind}` }, part) : part;
    });
  }

  bring() {
    const line = this.host.querySelector(".chosen");
    if (!line) return;
    const top = line.offsetTop - this.host.offsetTop;
    if (top < this.host.scrollTop || top > this.host.scrollTop + this.host.clientHeight - 30) this.host.scrollTop = top - 60;
  }
}
