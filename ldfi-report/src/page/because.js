// Why promises were broken, as a tree that can be folded: the run's explanation, in the words of the command line.
class Because {
  // Trees of more lines open only as far as their faults.
  static LONG = 60;

  constructor(explanation, app) {
    this.explanation = explanation;
    this.app = app;
    // Claims that are told, and whether from their first step to their last.
    this.told = new Map();
    this.named = new Set();
    this.folds = [];
    this.lines = 0;
  }

  // Every broken promise, and whether they are only kept too late.
  whole() {
    const { asked, later } = this.explanation;
    const roots = asked.map((one, at) => (one.like === undefined ? this.root(one, at) : null)).filter(Boolean);
    this.fold();
    return [...roots, later ? make("p", { class: "later" }, laterText(later)) : null].filter(Boolean);
  }

  // One claim with what it rests on.
  only(id) {
    const tree = this.branch(0, { claim: id, lead: "" }, this.claim(id).until);
    this.fold();
    return tree.element;
  }

  root({ given, claim }, at) {
    const because = given !== null && this.isTelling(given) && !this.told.has(given) ? [{ claim: given, lead: "promised because of " }] : [];
    const known = this.told.has(claim);
    if (known && !because.length) return null;
    if (!known) this.told.set(claim, false);
    const alike = this.explanation.asked.filter((other) => other.like === at).map((other) => this.shown(other.claim));
    const same = alike.length ? [{ text: `the same for ${alike.join(", ")}`, kind: "faint" }] : [];
    const below = [...because, ...(known ? [] : this.below(claim)), ...same];
    const { until } = this.claim(claim);
    return this.node(0, this.telling(claim, "", known), below, known ? [] : this.inlineFaults(claim), until).element;
  }

  claim(id) { return this.explanation.claims[id]; }
  shown(id, read) { return claimText(this.claim(id), read); }
  isTelling(id) { return !["fact", "anyway"].includes(this.claim(id).why); }

  // `by` is when what this is a reason for is told of: nothing later can be one.
  branch(depth, one, by) {
    if (one.way) {
      return this.node(depth, this.way(one.way, one.lead), this.obstacles(one.way), this.inline(one.way)?.faults, by);
    }
    if (one.text !== undefined) return this.node(depth, [make("span", { class: one.kind }, one.text)], [], one.faults, by);
    const known = this.told.has(one.claim);
    const { from, until } = this.claim(one.claim);
    if (!known) this.told.set(one.claim, until > by && from < until);
    const below = Math.min(until, by);
    return this.node(depth, this.telling(one.claim, one.lead, known), known ? [] : this.below(one.claim), known ? [] : this.inlineFaults(one.claim), below);
  }

  // A line with what stands below it; `telling` if a fault is named there for the first time.
  node(depth, line, below, faults, by) {
    this.lines++;
    const fresh = (faults || []).filter((fault) => !this.named.has(fault));
    for (const fault of fresh) this.named.add(fault);
    const children = below.map((one) => this.branch(depth + 1, one, by));
    const said = make("span", { class: "said" }, ...line);
    const telling = fresh.length > 0 || children.some((child) => child.telling);
    if (!children.length) return { element: make("div", { class: "leaf" }, said), telling };
    const element = make("details", { open: "" }, make("summary", {}, said), make("div", { class: "below" }, ...children.map((child) => child.element)));
    this.folds.push({ element, depth, telling });
    return { element, telling };
  }

  fold() {
    if (this.lines <= Because.LONG) return;
    for (const { element, depth, telling } of this.folds) element.open = telling || depth < 2;
  }

  telling(id, lead, known) {
    const end = known && this.isTelling(id) ? [make("span", { class: "faint" }, ", see above")] : this.by(id);
    return [lead, ...this.describe(id, lead), ...end];
  }

  // The tuple, and since when; or from when to when, where it goes on beyond what it is a reason for.
  describe(id, lead) {
    const { from, until, holds, why } = this.claim(id);
    const goesOn = this.told.get(id);
    const since = from < until && !goesOn ? ` since @${from}` : "";
    const missing = () => {
      if (lead === "without " && !since) return "";
      if (why === "anyway") return `  missing${since}, whatever the faults`;
      return why.never?.length === 0 ? `  missing${since}: no rule can make it` : `  missing${since}`;
    };
    const note = !holds ? missing() : why === "fact" ? `  fact${since}` : why.faults ? `  by ${why.faults.join("; ")}${since}` : since && `  held${since}`;
    return [this.link(id, goesOn), make("span", { class: why.faults ? "bad" : "faint" }, note)];
  }

  link(id, whole) {
    const node = this.app.nodeOfClaim(id);
    const { tuple, from, until, holds } = this.claim(id);
    const text = whole ? `${claimName({ tuple })}@${from}-${until}` : this.shown(id);
    return make("button", { type: "button", class: `tuple${holds ? "" : " gone"}`, "data-claim": id, onclick: (event) => { event.preventDefault(); this.app.select(node); } }, text);
  }

  // The rule by which it came about, or the only one by which it could have.
  by(id) {
    const { fired, never } = this.claim(id).why;
    if (never?.length === 1) return ["  ", ...this.way(never[0], "")];
    if (!fired) return [];
    if (fired.rule === null) return [make("span", { class: "faint" }, "  kept without a rule")];
    const hop = fired.parts.find((part) => part.message)?.message;
    const way = hop ? `${hop.from}→${hop.to} ${stepsText(hop.sent)}, ` : "";
    return [make("span", { class: "faint" }, `  ${way}`, placeLink(this.app, fired.rule), `: ${ruleText(fired.rule)}`)];
  }

  below(id) {
    const { why, holds } = this.claim(id);
    if (why === "untold") return [{ text: `there is more to tell than is told here: ask ${holds ? "why" : "why-not"} about ${this.shown(id)}`, kind: "faint" }];
    // What is expected comes first.
    const expected = why.never?.some((way) => way.usual);
    if (why.never) return why.never.length === 1 ? this.obstacles(why.never[0]) : why.never.map((way) => ({ way, lead: expected && !way.usual ? "nor by " : "" }));
    if (!why.fired) return [];
    const branches = [];
    const anyway = [];
    for (const part of why.fired.parts) {
      // Of a stretch, the step at which it was read.
      if (part.claim !== undefined && !this.isTelling(part.claim)) anyway.push(`${this.claim(part.claim).holds ? "" : "without "}${this.shown(part.claim, why.fired.time)}`);
      else if (part.claim !== undefined) branches.push({ claim: part.claim, lead: this.claim(part.claim).holds ? "" : "without " });
      else if (!part.message || part.message.faults.length) branches.push(this.part(part));
    }
    if (anyway.length) branches.push({ text: `and ${anyway.join(", ")}`, kind: "faint" });
    return branches;
  }

  // A rule that did not fire, with what was in the way if that is said in a few words.
  way(way, lead) {
    const inline = this.inline(way);
    const place = way.rule === null ? rulePlace(null) : placeLink(this.app, way.rule);
    if (inline) return [make("span", { class: "faint" }, lead, place, ": "), make("span", { class: "bad" }, inline.text)];
    const times = way.times.length > 1 ? ` ${stepsText(way.times)}` : "";
    return [make("span", { class: "faint" }, lead, place, times, way.rule === null ? "" : `: ${ruleText(way.rule)}`)];
  }

  // What is said on the rule's own line; what came nearest stands below it.
  inline({ obstacles: [first, ...others] }) {
    return first && partClaim(first) === undefined && others.every((part) => part.nearest !== undefined) ? this.said(first) : null;
  }

  inlineFaults(id) {
    const { why } = this.claim(id);
    return why.faults || (why.never?.length === 1 && this.inline(why.never[0])?.faults) || [];
  }

  obstacles(way) {
    return way.obstacles.slice(this.inline(way) ? 1 : 0).map((part) => (part.claim !== undefined ? { claim: part.claim, lead: this.claim(part.claim).holds ? "blocked by " : "" } : this.part(part)));
  }

  part(part) {
    if (part.instead !== undefined) return { claim: part.instead, lead: "instead " };
    if (part["only-derived"] !== undefined) return { claim: part["only-derived"], lead: "only derived: " };
    if (part.nearest !== undefined) return { claim: part.nearest, lead: "nearest: " };
    return { ...this.said(part), kind: "bad" };
  }

  // What is said in a few words, and the faults that it names.
  said({ message, node, "no-match": pattern, untrue, struck, discounted, failure }) {
    const by = (faults, word) => (faults.length ? `  ${word} ${faults.join("; ")}` : "");
    if (message) {
      return { text: passageText(message, by), faults: message.faults };
    }
    if (node) {
      const did = { step: "takes its step AT", "stand-still": "stands still AT", keep: "stands still AT and keeps it", "not-keep": "does not keep it AT" }[node.did];
      return { text: `${node.node} ${did.replace("AT", stepsText(node.times))}${by(node.faults, "by")}`, faults: node.faults };
    }
    if (failure !== undefined) return { text: `because of ${failure}`, faults: [failure] };
    if (discounted) {
      const { tuple, times, faults } = discounted;
      return { text: `${tuple.relation}(${tuple.values.join(", ")})${stepsText(times)} does not count: ${faults.join("; ")}`, faults };
    }
    if (struck) return { text: `because of ${struck.join("; ")}`, faults: struck };
    return { text: pattern !== undefined ? `no ${pattern}` : `${untrue} does not hold`, faults: [] };
  }
}

// What became of a message.
function passageText({ from, to, sent, fate, arrives, faults }, by) {
  const many = sent.length > 1;
  const [what, at] = [`message${many ? "s" : ""} ${from}→${to}`, stepsText(sent)];
  return {
    arrived: () => `${what} sent ${at} arrives @${arrives}${by(faults, "by")}`,
    late: () => `${what} sent ${at}${by(faults, "LATE by")}, ${many ? "the last " : ""}arrives @${arrives}`,
    lost: () => `${what} sent ${at}${by(faults, "LOST by")}`,
    paused: () => `${what} ${at}${by(faults, `not sent: ${from} stands still by`)}`,
    down: () => `${what} ${at}${by(faults, `not sent: ${from} is down by`)}`,
  }[fate]();
}

const partClaim = (part) => part.claim ?? part.instead ?? part["only-derived"] ?? part.nearest;
const claimName = ({ tuple }) => `${tuple.relation}(${tuple.values.map(bare).join(", ")})`;
const claimText = ({ tuple, from, until }, read = until) => `${claimName({ tuple })}@${from <= read ? Math.min(until, read) : until}`;

// Steps as readers write them: @1-3, 5.
function stepsText(times) {
  const rows = [];
  for (const time of times) {
    if (rows.at(-1)?.[1] === time - 1) rows.at(-1)[1] = time;
    else rows.push([time, time]);
  }
  return `@${rows.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(", ")}`;
}

function laterText({ late, wavering, never }) {
  if (late) return `too late: with these faults the promises hold from ${late.from} on (looked up to ${late.looked})`;
  if (wavering) {
    const { first, last, broken, looked } = wavering;
    return `on and off: kept at ${first} ${first === last ? "alone" : `and last at ${last}`}, broken still at ${broken} (looked up to ${looked})`;
  }
  return `for good, as far as can be seen: broken still at ${never.looked}`;
}

// Where a rule stands; a click goes there.
function placeLink(app, rule) {
  const go = (event) => { event.preventDefault(); event.stopPropagation(); app.program.goTo(rule); };
  return make("button", { type: "button", class: "place", title: `${rulePath(rule)}\n${ruleText(rule)}`, onclick: go }, rulePlace(rule));
}
