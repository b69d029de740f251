//! What a round is made of: values of strategies, drawn from its seed and made smaller where they fail.

use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Steps towards a smaller value.
const STEPS: usize = 400;

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    let mut dice = fastrand::Rng::with_seed(seed);
    bytes.iter_mut().for_each(|byte| *byte = dice.u8(..));
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// The value of a strategy that a seed leads to.
pub fn draw<S: Strategy>(seed: u64, strategy: &S) -> S::Value {
    strategy.new_tree(&mut runner(seed)).unwrap_or_else(|why| panic!("nothing to draw: {why}")).current()
}

/// Tries a check on the value that a seed leads to. If it fails, the error has the smallest value that was found to fail.
pub fn try_on<S: Strategy>(
    seed: u64,
    strategy: &S,
    mut check: impl FnMut(&S::Value) -> Result<(), String>,
) -> Result<(), String>
where
    S::Value: Debug,
{
    let mut tree = strategy.new_tree(&mut runner(seed)).unwrap_or_else(|why| panic!("nothing to draw: {why}"));
    let mut one = |value: &S::Value| {
        catch_unwind(AssertUnwindSafe(|| check(value))).unwrap_or_else(|panic| Err(panicked(&*panic)))
    };
    let Err(mut why) = one(&tree.current()) else { return Ok(()) };
    let mut smallest = tree.current();
    for _ in 0..STEPS {
        if !tree.simplify() {
            break;
        }
        loop {
            match one(&tree.current()) {
                Err(still) => {
                    (why, smallest) = (still, tree.current());
                    break;
                }
                Ok(()) if tree.complicate() => {}
                Ok(()) => break,
            }
        }
    }
    Err(format!("{why}\n{smallest:?}"))
}

/// What a panic said.
pub fn panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    format!("it panicked: {}", text.unwrap_or_default())
}
