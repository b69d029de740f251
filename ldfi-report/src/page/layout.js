// Where the goals of a lineage go: time runs downward, each node has its own lane, so that the
// graph reads like the space-time diagram beside it.
const BOX = { char: 7.25, pad: 12, gap: 14, high: 26, row: 58, top: 54, left: 38 };

function layout(graph, nodes) {
  const depth = depths(graph);
  const laneOf = (goal) => {
    const at = nodes.indexOf(goal.location);
    return at < 0 ? nodes.length : at;
  };
  const rows = new Map();
  graph.goals.forEach((goal, at) => {
    const key = goal.time * 1000 + depth[at];
    if (!rows.has(key)) rows.set(key, new Map());
    put(rows.get(key), laneOf(goal), at);
  });
  const width = (at) => graph.goals[at].label.length * BOX.char + 2 * BOX.pad;
  const span = (goals) => goals.reduce((sum, at) => sum + width(at) + BOX.gap, -BOX.gap);
  const lanes = laneWidths(rows, span, nodes);
  const places = new Array(graph.goals.length);
  const times = [];
  let y = BOX.top;
  for (const key of [...rows.keys()].sort((a, b) => a - b)) {
    const time = Math.floor(key / 1000);
    if (times.at(-1)?.time !== time) times.push({ time, y: y - BOX.row / 2 });
    for (const [lane, goals] of rows.get(key)) {
      const { x, width: room } = lanes.get(lane);
      let left = x + (room - span(goals)) / 2;
      for (const at of goals) {
        places[at] = { x: left + width(at) / 2, y, width: width(at) };
        left += width(at) + BOX.gap;
      }
    }
    y += BOX.row;
  }
  const list = [...lanes.values()];
  const right = list.reduce((most, lane) => Math.max(most, lane.x + lane.width), 160);
  return { places, lanes: list, times, width: right + 12, height: y - BOX.row / 2 + 6 };
}

function laneWidths(rows, span, nodes) {
  const widths = new Map();
  for (const lanes of rows.values()) {
    for (const [lane, goals] of lanes) {
      widths.set(lane, Math.max(widths.get(lane) || 90, span(goals) + 2 * BOX.gap));
    }
  }
  let x = BOX.left;
  const out = new Map();
  for (const lane of [...widths.keys()].sort((a, b) => a - b)) {
    out.set(lane, { name: nodes[lane] ?? "specification", x, width: widths.get(lane) });
    x += widths.get(lane);
  }
  return out;
}

// Within a time step a goal stands below everything it follows from; cycles stop at a bound.
function depths(graph) {
  const depth = graph.goals.map(() => 0);
  for (let round = 0, changed = true; changed && round < 24; round++) {
    changed = false;
    for (const step of graph.steps) {
      for (const from of [...step.premises, ...step.against, ...step.struck]) {
        const same = graph.goals[from].time === graph.goals[step.head].time;
        if (same && depth[step.head] <= depth[from] && depth[from] < 24) {
          depth[step.head] = depth[from] + 1;
          changed = true;
        }
      }
    }
  }
  return depth;
}
