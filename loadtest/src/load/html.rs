//! A report as one page that needs nothing else: tables and drawn curves.

use plotters::prelude::*;

use super::plan::Kind;
use super::report::LoadReport;
use super::table;

const SIZE_PIXELS: (u32, u32) = (900, 320);

/// Colours that people with any colour vision tell apart (Okabe and Ito).
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// One curve: its name and its points.
type Curve = (String, Vec<(f64, f64)>);

/// Why a page cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw `{title}`: {reason}")]
pub struct DrawError {
    title: &'static str,
    reason: String,
}

/// The page.
///
/// # Errors
/// When a curve cannot be drawn.
pub fn page(report: &LoadReport) -> Result<String, DrawError> {
    let mut body = String::new();
    for chart in charts(report) {
        if chart.curves.iter().any(|(_, points)| points.len() > 1) {
            body.push_str(&format!("<figure>{}</figure>\n", chart.draw()?));
        }
    }
    let mut text = String::new();
    table::write(&mut text, report)
        .map_err(|error| DrawError { title: "table", reason: error.to_string() })?;
    let machine = &report.header.machine;
    let mut what: String = report
        .header
        .what
        .iter()
        .map(|(name, value)| format!("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value)))
        .collect();
    let here = format!("{} cores, {}, Linux {}", machine.cores, machine.processor, machine.kernel);
    what.push_str(&format!("<tr><th>machine</th><td>{}</td></tr>\n", escaped(&here)));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Circinus under load</title>\n\
         <style>body{{font:15px/1.5 sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#222}}\
         th{{text-align:left;padding-right:1.5em;font-weight:600}}pre{{overflow-x:auto;font-size:13px}}\
         figure{{margin:1.5em 0}}svg{{max-width:100%;height:auto}}</style></head>\n<body><h1>Circinus under load</h1>\n\
         <p>Latencies count from the moment at which a request was to begin, so that a stall shows in every request \
         that had to wait for it. Only ratios within one report travel to other machines.</p>\n\
         <table>{what}</table>\n<pre>{}</pre>\n{body}</body></html>\n",
        escaped(&text)
    ))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

struct Chart {
    title: &'static str,
    across: &'static str,
    upward: &'static str,
    logarithmic: bool,
    curves: Vec<Curve>,
    /// How a place across is written.
    label: fn(f64) -> String,
}

fn charts(report: &LoadReport) -> Vec<Chart> {
    let seconds = |of: fn(&super::record::Second) -> u64, scale: f64| -> Vec<(f64, f64)> {
        report.seconds.iter().map(|it| (it.second as f64, of(it) as f64 / scale)).collect()
    };
    let latency = vec![
        ("p50".to_owned(), seconds(|it| it.p50_us, 1e3)),
        ("p95".to_owned(), seconds(|it| it.p95_us, 1e3)),
        ("p99".to_owned(), seconds(|it| it.p99_us, 1e3)),
    ];
    let by_kind = |(kind, figures): (&Kind, &super::record::Figures)| -> Curve {
        let nines = |percentile: f64| -(1.0 - percentile / 100.0).log10();
        let points = figures.curve.iter().map(|(at, us)| (nines(*at), *us as f64 / 1e3));
        (kind.word().to_owned(), points.collect())
    };
    let looks = |of: fn(&super::watch::Look) -> Option<f64>| -> Vec<(f64, f64)> {
        report.looks.iter().filter_map(|look| Some((look.at_s, of(look)?))).collect()
    };
    let plain = |at: f64| format!("{at:.0}");
    let one = |name: &str, points| vec![(name.to_owned(), points)];
    let chart = |title, across, upward, logarithmic, curves, label| Chart {
        title,
        across,
        upward,
        logarithmic,
        curves,
        label,
    };
    vec![
        chart("Latency over time", "time (s)", "latency (ms)", true, latency, plain),
        chart(
            "Latency by percentile",
            "percentile (%)",
            "latency (ms)",
            true,
            report.kinds.iter().map(by_kind).collect(),
            percentile,
        ),
        chart(
            "Throughput",
            "time (s)",
            "requests per second",
            false,
            one("requests", seconds(|it| it.count, 1.0)),
            plain,
        ),
        chart(
            "Evidence ready at the decision",
            "time (s)",
            "share (%)",
            false,
            one("ready", looks(super::watch::Look::readiness)),
            plain,
        ),
        chart(
            "Resident memory of the daemon",
            "time (s)",
            "memory (MB)",
            false,
            one("resident", looks(|look| look.resident_mb)),
            plain,
        ),
    ]
}

/// A number of nines as the percentile that it is.
fn percentile(nines: f64) -> String {
    let percent = 100.0 * (1.0 - 10.0_f64.powf(-nines));
    let digits = if nines < 1.5 { 0 } else { (nines - 1.0).ceil() as usize };
    format!("{percent:.digits$}")
}

impl Chart {
    fn draw(&self) -> Result<String, DrawError> {
        let failed = |reason: String| DrawError { title: self.title, reason };
        let mut svg = String::new();
        self.draw_into(&mut svg).map_err(failed)?;
        Ok(svg)
    }

    fn draw_into(&self, svg: &mut String) -> Result<(), String> {
        let curves: Vec<Curve> = self.curves.iter().map(|curve| self.scaled(curve)).collect();
        let points = || curves.iter().flat_map(|(_, points)| points.iter().copied());
        let right = points().map(|(x, _)| x).fold(f64::MIN_POSITIVE, f64::max);
        let (least, most) = points().fold((f64::MAX, f64::MIN), |(l, m), (_, y)| (l.min(y), m.max(y)));
        let (bottom, top) = if self.logarithmic { (least.floor(), most.ceil()) } else { (0.0, most * 1.1) };
        let label = |up: &f64| up_label(if self.logarithmic { 10.0_f64.powf(*up) } else { *up });
        let across = |at: &f64| (self.label)(*at);
        let failed = |error: DrawingAreaErrorKind<_>| error.to_string();

        let root = SVGBackend::with_string(svg, SIZE_PIXELS).into_drawing_area();
        let mut builder = ChartBuilder::on(&root);
        builder.caption(self.title, ("sans-serif", 18)).margin(12);
        builder.x_label_area_size(42).y_label_area_size(72);
        let mut area =
            builder.build_cartesian_2d(0.0..right, bottom..top.max(bottom + 1e-9)).map_err(failed)?;
        let mut mesh = area.configure_mesh();
        mesh.x_desc(self.across).y_desc(self.upward).light_line_style(TRANSPARENT);
        mesh.x_label_formatter(&across).y_label_formatter(&label).draw().map_err(failed)?;
        for ((name, points), colour) in curves.into_iter().zip(COLOURS.iter().cycle()) {
            let drawn = area.draw_series(LineSeries::new(points, colour.stroke_width(2))).map_err(failed)?;
            drawn
                .label(name)
                .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        }
        let mut labels = area.configure_series_labels();
        labels.background_style(WHITE.mix(0.8)).border_style(RGBColor(200, 200, 200));
        labels.position(SeriesLabelPosition::UpperLeft).draw().map_err(failed)?;
        root.present().map_err(failed)
    }

    /// A curve as it is drawn: by its decimal logarithm where the axis is one.
    fn scaled(&self, (name, points): &Curve) -> Curve {
        let points = points.iter().copied();
        let scaled = points.filter(|(_, y)| !self.logarithmic || *y > 0.0);
        let scaled = scaled.map(|(x, y)| (x, if self.logarithmic { y.log10() } else { y }));
        (name.clone(), scaled.collect())
    }
}

fn up_label(at: f64) -> String {
    if at >= 10.0 {
        return format!("{at:.0}");
    }
    format!("{at:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_run_cannot_become_markup() {
        assert_eq!(escaped("<a \"b\"&c>"), "&lt;a &quot;b&quot;&amp;c&gt;");
    }

    #[test]
    fn nines_are_written_as_percentiles() {
        assert_eq!([0.0, 1.0, 2.0, 3.0].map(percentile), ["0", "90", "99.0", "99.90"]);
        assert_eq!([0.0, 0.316, 5.0, 31.6].map(up_label), ["0", "0.32", "5", "32"]);
    }
}
