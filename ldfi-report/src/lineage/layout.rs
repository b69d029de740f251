//! Where the goals of a lineage go: time runs downward, each node has its own lane.
//!
//! The picture then reads like the space-time diagram beside it, and needs no general
//! graph drawing: a row is a time and a depth within that time, a column is a lane.

use super::Lineage;
use std::collections::BTreeMap;

/// Width of one character of a label.
const CHAR: f64 = 7.3;
const PAD: f64 = 14.0;
const GAP: f64 = 16.0;
pub(crate) const BOX: f64 = 26.0;
const ROW: f64 = 58.0;
const TOP: f64 = 52.0;
const LEFT: f64 = 40.0;

/// A drawing of a lineage, in pixels.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub width: f64,
    pub height: f64,
    /// Centre and width of each goal's box.
    pub boxes: Vec<Place>,
    /// Name, left edge and width of each lane.
    pub lanes: Vec<Lane>,
    /// Each time step with the top of its first row.
    pub times: Vec<(u32, f64)>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub x: f64,
    pub y: f64,
    pub width: f64,
}

#[derive(Debug)]
pub(crate) struct Lane {
    pub name: String,
    pub x: f64,
    pub width: f64,
}

pub(crate) fn layout(lineage: &Lineage, nodes: &[String]) -> Layout {
    let depths = depths(lineage);
    let lane_of = |at: usize| {
        let home = lineage.goals[at].location.as_deref();
        nodes.iter().position(|n| Some(n.as_str()) == home).unwrap_or(nodes.len())
    };
    let mut rows: BTreeMap<(u32, usize), BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (at, goal) in lineage.goals.iter().enumerate() {
        let row = rows.entry((goal.time, depths[at])).or_default();
        row.entry(lane_of(at)).or_default().push(at);
    }
    let width = |at: usize| lineage.goals[at].label().chars().count() as f64 * CHAR + 2.0 * PAD;
    let lanes = lanes(&rows, nodes, width);
    place(lineage, &rows, lanes, width)
}

type Rows = BTreeMap<(u32, usize), BTreeMap<usize, Vec<usize>>>;

/// How far below the start of its time step a goal stands: below everything it follows from.
fn depths(lineage: &Lineage) -> Vec<usize> {
    let mut depth = vec![0; lineage.goals.len()];
    // Recursion within a step can make a cycle: stop after as many rounds as there are goals.
    for _ in 0..lineage.goals.len().min(64) {
        let mut changed = false;
        for step in &lineage.steps {
            for from in step.causes() {
                let same = lineage.goals[*from].time == lineage.goals[step.head].time;
                if same && depth[step.head] <= depth[*from] && depth[*from] < 24 {
                    depth[step.head] = depth[*from] + 1;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    depth
}

fn lanes(rows: &Rows, nodes: &[String], width: impl Fn(usize) -> f64) -> BTreeMap<usize, Lane> {
    let mut widths: BTreeMap<usize, f64> = BTreeMap::new();
    for (lane, goals) in rows.values().flatten() {
        let needed: f64 = goals.iter().map(|g| width(*g) + GAP).sum();
        let known = widths.entry(*lane).or_insert(90.0);
        *known = known.max(needed + GAP);
    }
    let mut x = LEFT;
    let mut lanes = BTreeMap::new();
    for (lane, width) in widths {
        let name = nodes.get(lane).cloned().unwrap_or_else(|| "specification".to_owned());
        lanes.insert(lane, Lane { name, x, width });
        x += width;
    }
    lanes
}

fn place(lineage: &Lineage, rows: &Rows, lanes: BTreeMap<usize, Lane>, width: impl Fn(usize) -> f64) -> Layout {
    let mut out = Layout { boxes: vec![Place::default(); lineage.goals.len()], ..Layout::default() };
    let mut y = TOP;
    for ((time, _), row) in rows {
        if out.times.last().is_none_or(|(last, _)| last != time) {
            out.times.push((*time, y - ROW / 2.0));
        }
        for (lane, goals) in row {
            let total: f64 = goals.iter().map(|g| width(*g) + GAP).sum::<f64>() - GAP;
            let mut x = lanes[lane].x + (lanes[lane].width - total) / 2.0;
            for goal in goals {
                let w = width(*goal);
                out.boxes[*goal] = Place { x: x + w / 2.0, y, width: w };
                x += w + GAP;
            }
        }
        y += ROW;
    }
    out.height = y - ROW / 2.0 + 8.0;
    out.width = lanes.values().map(|l| l.x + l.width).fold(120.0, f64::max) + 12.0;
    out.lanes = lanes.into_values().collect();
    out
}
