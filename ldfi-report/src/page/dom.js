// Making elements. Text always goes in as text, so data can never become markup.
const byId = (id) => document.getElementById(id);

function make(tag, attrs = {}, ...children) {
  return fill(document.createElement(tag), attrs, children);
}

function draw(tag, attrs = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attrs, children);
}

function fill(element, attrs, children) {
  for (const [name, value] of Object.entries(attrs)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

// A string in quotes, a node's name and a tuple, as faults write them.
const ESCAPES = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\\": "\\\\", '"': '\\"' };
const quoted = (text) => `"${text.replace(/[\n\t\r\0\\"]/g, (c) => ESCAPES[c])}"`;
const nodeText = (name) => (/^[\p{L}\p{N}_.]+$/u.test(name) ? name : quoted(name));
const tupleText = (relation, values) => `${relation}(${values.map((v) => (typeof v === "number" ? v : quoted(v))).join(", ")})`;

// A value as people read it: without quotes, unless it would not be read back.
const bare = (value) => (typeof value === "number" || (value !== "_" && value.trim() === value && !/[,"]/.test(value)) ? String(value) : quoted(value));

// Adds to the list that a map keeps under a key.
function put(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const shorten = (text, room) => (text.length > room ? `${text.slice(0, room - 1)}…` : text);
const plural = (n, what, many = `${what}s`) => `${n.toLocaleString("en")} ${n === 1 ? what : many}`;

// The shape of an arrow's head that arrives at (x, y) with some angle.
function headPath(x, y, angle, size = 9) {
  const wing = (turn) => `${x - size * Math.cos(angle + turn)} ${y - size * Math.sin(angle + turn)}`;
  return `M${x} ${y}L${wing(0.4)}L${wing(-0.4)}Z`;
}

// Lines that rise from left to right within a stretch of a lane; those at its ends are cut at the edge.
function hatchPath(x, top, bottom, half = 6, pitch = 7) {
  let path = "";
  for (let y = top + pitch; y < bottom + 2 * half; y += pitch) {
    const [low, high] = [Math.max(0, y - bottom), Math.max(0, top - (y - 2 * half))];
    path += `M${x - half + low} ${y - low}L${x + half - high} ${y - 2 * half + high}`;
  }
  return path;
}

const diamondPath = (x, y, r) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;

const crossPath = (x, y, r) => `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`;

// One tooltip for the whole page, shown on hover and on focus.
const tip = {
  // Beside the pointer, or below what has the focus.
  show(target, lines, event) {
    const box = byId("tip");
    box.replaceChildren(...lines.map((line, at) => make(at === 0 ? "b" : "span", {}, (at ? "\n" : "") + line)));
    box.hidden = false;
    const rect = target.getBoundingClientRect();
    const own = box.getBoundingClientRect();
    const mouse = event?.type === "mouseenter";
    const [left, top, bottom] = mouse ? [event.clientX + 14, event.clientY, event.clientY + 10] : [rect.left, rect.top, rect.bottom];
    box.style.left = `${Math.min(Math.max(8, left), innerWidth - own.width - 8)}px`;
    box.style.top = `${bottom + 8 + own.height > innerHeight ? Math.max(8, top - own.height - 8) : bottom + 8}px`;
  },
  hide() {
    byId("tip").hidden = true;
  },
  on(element, lines) {
    const show = (event) => tip.show(element, lines(), event);
    for (const event of ["mouseenter", "focus"]) element.addEventListener(event, show);
    for (const event of ["mouseleave", "blur"]) element.addEventListener(event, tip.hide);
    return element;
  },
};
