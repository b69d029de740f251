//! `ldfi::compare(variants)`: what each costs and what it survives, side by side.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dedalus_runtime::faults::{Faults, Time};
use dedalus_runtime::syntax::UnknownPromise;
use dedalus_runtime::{Program, Promising};
use ldfi_core::compare::{CompareError, Extent};
use ldfi_core::{Options, Search, SearchError};
use ldfi_model::{Bounds, Comparison, FailureSpec};
use ldfi_report::disk::WriteError;
use ldfi_report::text::TextOptions;

pub use ldfi_core::compare::Variant;

use crate::knobs;

/// Puts variants of a protocol side by side: messages, steps and tuples without faults and under the worst one, how far
/// each kind of fault can go, and the frontier of EFF and crashes.
///
/// ```
/// use ldfi::prelude::*;
/// dedalus! {
///     /// Says it at so many steps.
///     program Tell(times: int) {
///         said(Node, What, K + 1)@next :- said(Node, What, K), K < times;
///         heard(Other, What)@async :- said(Node, What, K), K <= times, peer(Node, Other);
///         heard(Node, What)@next :- heard(Node, What);
///         peer(Node, Other)@next :- peer(Node, Other);
///         pre(What) :- told(What);
///         post(What) :- heard("b", What);
///         told(What) :- said(_, What, _);
///         told(What)@next :- told(What);
///         said("a", "hello", 1)@1; peer("a", "b")@1; peer("b", "a")@1;
///     }
/// }
/// let tells = (1..=3).map(|times| (format!("{times} times"), Tell::new(times)));
/// let found = ldfi::compare(tells).eot(6).crashes(0).run().unwrap();
/// let sent: Vec<u64> = found.rows.iter().map(|row| row.quiet.as_ref().unwrap().sent()).collect();
/// assert_eq!(sent, [1, 2, 3]);
/// // Each time that it is said again, one more step of losses is survived.
/// let eff: Vec<_> = found.rows.iter().map(|row| row.alone[0].1.survived).collect();
/// assert_eq!(eff, [Some(1), Some(2), Some(3)]);
/// println!("{found}");
/// ```
pub fn compare<'p, V: Into<Variant<'p>>>(variants: impl IntoIterator<Item = V>) -> Compare<'p> {
    let variants = variants.into_iter().map(Into::into).collect();
    Compare { variants, promise: None, extent: Extent::default(), options: Options::default() }
}

/// A comparison under construction. Environment variables override it: see [`knobs`].
#[must_use = "a comparison does nothing until it is run: end it with `run()`"]
pub struct Compare<'p> {
    variants: Vec<Variant<'p>>,
    /// The one promise that counts, of several.
    promise: Option<String>,
    extent: Extent,
    options: Options,
}

impl<'p> Compare<'p> {
    /// One more variant, of whatever type.
    pub fn with(mut self, name: impl Into<String>, program: impl Program + Send + 'p) -> Self {
        self.variants.push(Variant::new(name, program));
        self
    }

    /// Of the promises that the programs make (`pre.name` and `post.name`), this one alone counts.
    pub fn promise(mut self, name: impl Into<String>) -> Self {
        self.promise = Some(name.into());
        self
    }

    // How far to look.

    /// The end of time.
    pub fn eot(mut self, eot: u32) -> Self {
        self.extent.eot = eot;
        self
    }

    /// EFF at most; EOT - 1 unless told otherwise.
    pub fn eff(mut self, most: u32) -> Self {
        self.extent.eff = Some(most);
        self
    }

    /// At most so many crashes; as many as there are nodes unless told otherwise.
    pub fn crashes(mut self, most: u32) -> Self {
        self.extent.crashes = Some(most);
        self
    }

    /// Every other bound: it holds in each combination of EFF and crashes.
    pub fn bounds(mut self, change: impl FnOnce(&mut Bounds)) -> Self {
        change(&mut self.extent.others);
        self
    }

    // How to look.

    /// Wall-clock time for everything together; what is not known then is said to be so.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.options.limits.time = Some(time);
        self
    }

    /// Every other setting.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    // What comes of it.

    /// Looks at each variant.
    ///
    /// # Errors
    /// If the bounds make no sense, or runs of a variant fail.
    pub fn run(&self) -> Result<Compared, CompareError> {
        let mut options = self.options.clone();
        knobs::apply(&mut options);
        let extent = self.extent();
        let found = match &self.promise {
            None => ldfi_core::compare::compare(&self.variants, &extent, &options),
            Some(promise) => ldfi_core::compare::compare(&self.promising(promise)?, &extent, &options),
        };
        found.map(Compared)
    }

    /// What there is to measure, for [`compare_group!`](crate::compare_group): of each variant the run without faults,
    /// and the check under everything that may go wrong, with one crash where none is said.
    ///
    /// # Panics
    /// If the bounds make no sense.
    pub fn benches(&self) -> Vec<Bench<'_>> {
        let Extent { eot, eff, crashes, others } = self.extent();
        let bounds = Bounds { eot, crashes: crashes.unwrap_or(1), ..others };
        let bounds = Bounds { eff: eff.unwrap_or(bounds.usual_eff()), ..bounds };
        let spec = FailureSpec::try_from(bounds).unwrap_or_else(|error| panic!("{error}"));
        let promise = self.promise.as_deref();
        let bench = |checks| self.variants.iter().map(move |variant| Bench { variant, promise, spec, checks });
        bench(false).chain(bench(true)).collect()
    }

    /// The variants, of whose promises one counts.
    fn promising(&self, promise: &str) -> Result<Vec<Variant<'_>>, CompareError> {
        let mut promising = vec![];
        for Variant { name, program } in &self.variants {
            let failed = |error: UnknownPromise| CompareError::Variant { name: name.clone(), error: error.into() };
            promising.push(Variant::new(name, Promising::new(&**program, Some(promise)).map_err(failed)?));
        }
        Ok(promising)
    }

    fn extent(&self) -> Extent {
        // What nobody says is beyond any bound that somebody may say.
        const UNSAID: u32 = u32::MAX;
        let Extent { eot, eff, crashes, others } = self.extent;
        let (eff, crashes) = (eff.unwrap_or(UNSAID), crashes.unwrap_or(UNSAID));
        let mut bounds = Bounds { eot, eff, crashes, ..others };
        knobs::bound(&mut bounds);
        let said = |bound: u32| (bound != UNSAID).then_some(bound);
        Extent { eot: bounds.eot, eff: said(bounds.eff), crashes: said(bounds.crashes), others: bounds }
    }
}

/// Variants side by side. Displays as tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared(pub Comparison);

impl Compared {
    /// One object, described by `schema/compare.schema.json`.
    pub fn json(&self) -> String {
        ldfi_report::compare::json(&self.0)
    }

    /// Writes a page with the frontier of each variant, and the JSON beside it; the path of the page.
    ///
    /// # Errors
    /// What could not be written.
    pub fn write(&self, dir: impl AsRef<Path>) -> Result<PathBuf, WriteError> {
        ldfi_report::compare::write(dir.as_ref(), &self.0)
    }
}

impl Deref for Compared {
    type Target = Comparison;

    fn deref(&self) -> &Comparison {
        &self.0
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&ldfi_report::compare::text(&self.0, &TextOptions::default()))
    }
}

/// Something to measure about one variant.
pub struct Bench<'c> {
    variant: &'c Variant<'c>,
    promise: Option<&'c str>,
    spec: FailureSpec,
    /// The check; else the run without faults.
    checks: bool,
}

impl Bench<'_> {
    /// `run/name` or `check/name`.
    pub fn name(&self) -> String {
        format!("{}/{}", if self.checks { "check" } else { "run" }, self.variant.name)
    }

    /// Does it once; how many tuples held or executions it took, so that nothing is left out as useless.
    ///
    /// # Panics
    /// If runs of the variant fail.
    pub fn run(&self) -> u64 {
        let program = &*self.variant.program;
        if self.checks {
            let options = Options { threads: 1, ..Options::default() };
            let found = match self.promise {
                None => Search::new(program, self.spec, options).run(),
                Some(_) => Promising::new(program, self.promise)
                    .map_err(SearchError::from)
                    .and_then(|program| Search::new(&program, self.spec, options).run()),
            };
            return found.unwrap_or_else(|error| panic!("{error}")).statistics.executions;
        }
        let run = program.execute(&Faults::none(), Time(self.spec.eot()));
        run.unwrap_or_else(|error| panic!("{error}")).tuple_count() as u64
    }
}

/// A group of criterion benchmarks in one line: of each variant the run without faults, and the check. The crate that
/// writes it depends on `criterion`.
///
/// ```ignore
/// ldfi::compare_group!(broadcasts, ldfi::compare([("retry", Retry::new()), ("twice", Retry::new().times(2))]).eot(8));
/// criterion::criterion_main!(broadcasts);
/// ```
#[macro_export]
macro_rules! compare_group {
    ($name:ident, $compare:expr) => {
        #[allow(missing_docs)]
        pub fn $name() {
            let mut criterion = ::criterion::Criterion::default().configure_from_args();
            let mut group = criterion.benchmark_group(::core::stringify!($name));
            let compare = $compare;
            for bench in compare.benches() {
                group.bench_function(bench.name(), |bencher| bencher.iter(|| bench.run()));
            }
            group.finish();
            criterion.final_summary();
        }
    };
}
