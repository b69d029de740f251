//! Figure 11 as a picture: a log-linear plot in SVG.

use std::fmt::Write as _;

/// One curve: its name, its colour, and a value for each EFF.
pub struct Curve {
    pub name: &'static str,
    pub colour: &'static str,
    pub points: Vec<(u32, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Where things go.
struct Axes {
    first: u32,
    last: u32,
    /// Powers of ten.
    top: f64,
}

impl Axes {
    fn around(curves: &[Curve]) -> Self {
        let all = || curves.iter().flat_map(|curve| &curve.points);
        let first = all().map(|(eff, _)| *eff).min().unwrap_or(0);
        let last = all().map(|(eff, _)| *eff).max().unwrap_or(1).max(first + 1);
        let most = all().map(|(_, value)| value.log10()).fold(1.0, f64::max);
        Axes { first, last, top: most.ceil() }
    }

    fn x(&self, eff: u32) -> f64 {
        LEFT + f64::from(eff - self.first) / f64::from(self.last - self.first) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, power: f64) -> f64 {
        HEIGHT - BOTTOM - power / self.top * (HEIGHT - TOP - BOTTOM)
    }
}

/// The plot, as a document.
pub fn svg(title: &str, curves: &[Curve]) -> String {
    let axes = Axes::around(curves);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\">{title}</text>\n"
    );
    grid(&mut out, &axes);
    for (row, curve) in curves.iter().enumerate() {
        draw(&mut out, &axes, curve, TOP + 16.0 + 20.0 * row as f64);
    }
    out + "</svg>\n"
}

fn grid(out: &mut String, axes: &Axes) {
    let (left, right, bottom) = (LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM);
    let mut power = 0.0;
    while power <= axes.top {
        let y = axes.y(power);
        let _ = writeln!(out, r##"<line x1="{left}" y1="{y:.1}" x2="{right}" y2="{y:.1}" stroke="#ddd"/>"##);
        let (x, below) = (left - 8.0, y + 4.0);
        let _ = writeln!(
            out,
            r#"<text x="{x}" y="{below:.1}" text-anchor="end">10<tspan dy="-5" font-size="9">{power}</tspan></text>"#
        );
        power += (axes.top / 8.0).ceil().max(1.0);
    }
    for eff in axes.first..=axes.last {
        let (x, y) = (axes.x(eff), bottom + 18.0);
        let _ = writeln!(out, r#"<text x="{x:.1}" y="{y}" text-anchor="middle">{eff}</text>"#);
    }
    let (x, y) = (f64::midpoint(left, right), bottom + 38.0);
    let _ = writeln!(out, r#"<text x="{x}" y="{y}" text-anchor="middle">EFF (EOT = EFF + 1, one crash)</text>"#);
}

fn draw(out: &mut String, axes: &Axes, curve: &Curve, key: f64) {
    let Curve { name, colour, points } = curve;
    let at = |(eff, value): &(u32, f64)| (axes.x(*eff), axes.y(value.max(1.0).log10()));
    let path: Vec<String> = points.iter().map(at).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(out, r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#, path.join(" "));
    for (x, y) in points.iter().map(at) {
        let _ = writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{colour}"/>"#);
    }
    let x = WIDTH - RIGHT + 15.0;
    let (to, text, below) = (x + 18.0, x + 24.0, key + 4.0);
    let _ = writeln!(out, r#"<line x1="{x}" y1="{key}" x2="{to}" y2="{key}" stroke="{colour}" stroke-width="2"/>"#);
    let _ = writeln!(out, r#"<text x="{text}" y="{below}">{name}</text>"#);
}
