//! Both diagrams as standalone SVG, readable on light and on dark ground.

mod lineage;
mod marks;
mod spacetime;

pub use lineage::lineage;
pub use spacetime::spacetime;

/// Colours as variables, so that one file serves both grounds.
const STYLE: &str = include_str!("svg/style.css");

/// Opens a picture of some size with a title for readers that cannot see it.
fn open(width: f64, height: f64, title: &str) -> String {
    let title = crate::xml::escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" class=\"ldfi\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n"
    )
}

/// A small cross centred on a point.
fn cross(x: f64, y: f64, size: f64, class: &str) -> String {
    let (l, r, t, b) = (x - size, x + size, y - size, y + size);
    format!("<path class=\"{class}\" d=\"M{l:.1} {t:.1}L{r:.1} {b:.1}M{l:.1} {b:.1}L{r:.1} {t:.1}\"/>\n")
}

/// The head of an arrow that arrives at a point from another.
fn arrow_head(from: (f64, f64), to: (f64, f64), class: &str) -> String {
    let angle = (to.1 - from.1).atan2(to.0 - from.0);
    let wing = |turn: f64| (to.0 - 9.0 * (angle + turn).cos(), to.1 - 9.0 * (angle + turn).sin());
    let ((ax, ay), (bx, by)) = (wing(0.4), wing(-0.4));
    let (x, y) = to;
    format!("<path class=\"{class}\" d=\"M{x:.1} {y:.1}L{ax:.1} {ay:.1}L{bx:.1} {by:.1}Z\"/>\n")
}
