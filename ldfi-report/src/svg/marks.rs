//! The marks that faults leave in a space-time diagram: a hatched stretch, a ring, a diamond, a band.

use crate::xml::escape;
use std::fmt::Write as _;

/// Half the width of a hatched stretch.
const HALF: f64 = 6.0;
/// From one line of a hatching to the next.
const PITCH: f64 = 7.0;

/// A stretch of a lane to hatch.
pub(super) struct Hatch {
    pub(super) x: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A hatched stretch. Its lines are drawn one by one: a pattern would need a name, and names clash between pictures.
pub(super) fn hatch(Hatch { x, top, bottom }: Hatch, title: &str) -> String {
    let (left, width, height) = (x - HALF, 2.0 * HALF, bottom - top);
    let mut lines = String::new();
    let mut at = top + PITCH;
    // Each line rises from left to right; those at the ends are cut at the edge.
    while at < bottom + width {
        let (mut x1, mut y1, mut x2, mut y2) = (left, at, left + width, at - width);
        if y1 > bottom {
            (x1, y1) = (x1 + (y1 - bottom), bottom);
        }
        if y2 < top {
            (x2, y2) = (x2 - (top - y2), top);
        }
        let _ = write!(lines, "M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}");
        at += PITCH;
    }
    format!(
        "<g><title>{}</title><rect class=\"paused\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
         height=\"{height:.1}\" rx=\"2\"/>\n<path class=\"hatch\" d=\"{lines}\"/></g>\n",
        escape(title)
    )
}

/// A node that comes back.
pub(super) fn ring(x: f64, y: f64) -> String {
    format!("<circle class=\"back\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\"/>\n")
}

/// An input that was given.
pub(super) fn diamond(x: f64, y: f64, title: &str) -> String {
    let (left, right, top, bottom) = (x - 7.0, x + 7.0, y - 7.0, y + 7.0);
    format!(
        "<g><title>{}</title><path class=\"given\" d=\"M{x:.1} {top:.1}L{right:.1} {y:.1}L{x:.1} {bottom:.1}\
         L{left:.1} {y:.1}Z\"/></g>\n",
        escape(title)
    )
}

/// A partition between two lanes: a band from its first step to the first after it.
pub(super) fn wall(x: f64, (top, bottom): (f64, f64), title: &str) -> String {
    let (left, right, width, height) = (x - 10.0, x + 10.0, 20.0, bottom - top);
    format!(
        "<g><title>{}</title><rect class=\"wall\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
         height=\"{height:.1}\"/>\n\
         <path class=\"wall-edge\" d=\"M{left:.1} {top:.1}V{bottom:.1}M{right:.1} {top:.1}V{bottom:.1}\"/></g>\n\
         <text class=\"bad-text middle halo\" x=\"{x:.1}\" y=\"{:.1}\">partition</text>\n",
        escape(title),
        bottom + 13.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hatching_stays_within_its_stretch() {
        for bottom in [12.0, 30.0, 64.5] {
            let drawn = hatch(Hatch { x: 50.0, top: 10.0, bottom }, "");
            let lines = drawn.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
            let points: Vec<(f64, f64)> = lines
                .split(['M', 'L'])
                .filter(|point| !point.is_empty())
                .map(|point| point.split_once(' ').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect();
            assert!(!points.is_empty());
            for (x, y) in points {
                assert!((44.0..=56.0).contains(&x) && (10.0..=bottom).contains(&y), "{x} {y} within 10 to {bottom}");
            }
        }
    }
}
