//! Variants side by side: tables for terminals, JSON, and a page with the frontier of each.

mod json;
mod page;
mod text;

use std::path::{Path, PathBuf};

use ldfi_model::{Comparison, Finding, Holds, Kind, Reach};

use crate::disk::{self, WriteError};

pub use json::json;
pub use page::page;
pub use text::text;

/// Writes `index.html` and `comparison.json` into a folder, which is made if need be, and returns the path of the page.
///
/// # Errors
/// What could not be written, and what the system says.
pub fn write(dir: &Path, comparison: &Comparison) -> Result<PathBuf, WriteError> {
    disk::write_into(dir, "comparison.json", json(comparison))?;
    disk::write_into(dir, "index.html", page(comparison))
}

/// A reach in a few characters: `3`, `≥3` if nothing that was asked about breaks it, `3?` if the next one is not
/// known, `no` if it holds not even without, `-` if there was nothing to ask about.
fn in_short(kind: Kind, reach: &Reach) -> String {
    match (reach.survived, &reach.next) {
        (Some(_), None) if reach.most <= kind.least() => "-".into(),
        (Some(survived), None) => format!("≥{survived}"),
        (Some(survived), Some(Finding::Unknown(_))) => format!("{survived}?"),
        (Some(survived), Some(_)) => survived.to_string(),
        (None, Some(Finding::Unknown(_))) => "?".into(),
        (None, _) => "no".into(),
    }
}

/// From when on promises are kept.
fn since(holds: Holds) -> String {
    match holds {
        Holds::From(time) => time.to_string(),
        Holds::Never => "never".into(),
        Holds::Silent => "silent".into(),
    }
}

/// What breaks it, or that nothing does.
fn in_words(finding: &Finding) -> String {
    match finding {
        Finding::Survives => "nothing".into(),
        Finding::Broken(faults) if faults.is_empty() => "wrong without faults".into(),
        Finding::Broken(faults) => faults.to_string(),
        Finding::Vacuous => "nothing is promised".into(),
        Finding::Unknown(why) => format!("not known: {why}"),
    }
}

/// `1 crash`, `2 crashes`.
fn crashes(count: usize) -> String {
    format!("{count} {}", if count == 1 { "crash" } else { "crashes" })
}

/// `log 12, ack 4`: the messages by their kind.
fn by_kind(cost: &ldfi_model::RunCost) -> String {
    let mut kinds: Vec<(&String, &u64)> = cost.messages.iter().collect();
    kinds.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    kinds.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ldfi_model::{FailureSpec, Faults, Frontier, Row, RunCost, Time, Worst};

    use super::*;
    use crate::text::TextOptions;

    fn row(name: &str, survived: u32, next: Option<Finding>) -> Row {
        let cost = RunCost { messages: BTreeMap::from([("log".into(), 4)]), holds: Holds::From(Time(2)), stored: 9 };
        let reach = Reach { survived: Some(survived), most: 3, next };
        Row {
            name: name.into(),
            quiet: Ok(cost.clone()),
            whole: Finding::Broken(Faults::none().lose("a", "b", 1)),
            alone: Kind::ALL.map(|kind| (kind, reach.clone())).to_vec(),
            frontier: Frontier { by_crashes: vec![reach] },
            worst: Ok(Some(Worst {
                faults: Faults::none().crash("<b>", 2),
                cost: RunCost { holds: Holds::Never, ..cost },
            })),
        }
    }

    fn comparison(rows: Vec<Row>) -> Comparison {
        Comparison { spec: FailureSpec::new(4, 3, 0).expect("EFF is before EOT"), rows }
    }

    #[test]
    fn tables_and_maps_say_what_is_survived_what_is_not_and_what_is_not_known() {
        let broken = Some(Finding::Broken(Faults::none().lose("a", "b", 1)));
        let unknown = Some(Finding::Unknown("the time ran out".into()));
        let all = comparison(vec![row("one", 3, None), row("two", 1, broken), row("three", 2, unknown)]);
        let shown = text(&all, &TextOptions { unicode: false, ..TextOptions::default() });
        let expected = "\
3 variants  <EOT 4, EFF 3, crashes 0>

without faults  messages  kept from  stored  by kind
one                    4          2       9  log 4
two                    4          2       9  log 4
three                  4          2       9  log 4

survives alone  eff  crashes  delay  partitions  broken by
one             >=3      >=3    >=3         >=3  lose a->b@1
two               1        1      1           1  lose a->b@1
three            2?       2?     2?          2?  lose a->b@1

worst one fault  messages  kept from  stored  fault
one                     4      never       9  crash \"<b>\"@2
two                     4      never       9  crash \"<b>\"@2
three                   4      never       9  crash \"<b>\"@2

frontier of eff and crashes: + survived  x broken  o nothing promised  ? not known

one               two               three
      eff 1 2 3         eff 1 2 3         eff 1 2 3
0 crashes + + +   0 crashes + x x   0 crashes + + ?

not found out:
  three: eff alone from 3 on: the time ran out
  three: crashes alone from 3 on: the time ran out
  three: delay alone from 3 on: the time ran out
  three: partitions alone from 3 on: the time ran out
  three: eff with crashes 0 from 3 on: the time ran out
";
        assert_eq!(shown, expected, "{shown}");
    }

    #[test]
    fn a_page_needs_nothing_else_and_names_are_harmless_in_it() {
        let page = page(&comparison(vec![row("<script>x</script>", 1, None)]));
        assert!(page.contains("&lt;script&gt;x") && !page.contains("<script"), "{page}");
        assert!(!page.contains("http"), "{page}");
        assert_eq!(page.matches("<rect class=\"survives\"").count(), 1);
    }
}
