//! The `ldfi` command with spoilt files and arguments, watched: it answers in time, and never with a panic.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::generate::{mutated, program, with_outcome};
use crate::sample;
use crate::tally::Tally;

/// Seconds that are asked for. What a command is given takes no time to speak of.
const ASKED: &str = "2";
/// Seconds of work on each core beyond which it does not keep them, whatever else the machine does.
const WORKS: f64 = 2.5;
/// It waits for something that does not come.
const HANGS: Duration = Duration::from_secs(20);

/// The command beside this program.
pub fn beside() -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name("ldfi")
}

/// What a command may end with: good, broken, refused, open, unwritten.
const STATUS: std::ops::RangeInclusive<i32> = 0..=4;

/// Some commands.
pub fn round(seed: u64, ldfi: &Path, tally: &mut Tally) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("ldfi-hard-use-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut dice = fastrand::Rng::with_seed(seed);
    let good = sample::draw(seed, &with_outcome());
    // Half of them make sense, so that more is asked than what is refused at once.
    let spoilt = dice.bool();
    let text = match spoilt && dice.bool() {
        false => good.case.text.clone(),
        true => sample::draw(seed, &mutated(good.case.text.clone())),
    };
    let file = folder.join("spoilt.ded");
    std::fs::write(&file, &text).map_err(|error| error.to_string())?;
    let faults = match spoilt {
        false => good.case.faults.to_string(),
        true => sample::draw(seed, &program().prop_map(|case| case.faults.to_string()).prop_flat_map(mutated)),
    };
    let mut args = arguments(&mut dice, &folder, &file, &faults, spoilt);
    if !spoilt && ["run", "why", "why-not", "check", "sweep"].contains(&&*args[0]) {
        args.extend(["--nodes".to_owned(), good.case.nodes.join(",")]);
    }
    let result = watch(ldfi, &folder, &args);
    let _ = std::fs::remove_dir_all(&folder);
    match result {
        Ok(status) => {
            tally.count(format!("command: {} ends with {status}", args[0]));
            Ok(())
        }
        Err(why) => Err(format!("ldfi {args:?}: {why}\n{text}")),
    }
}

/// A command line, good or not.
fn arguments(dice: &mut fastrand::Rng, folder: &Path, file: &Path, faults: &str, spoilt: bool) -> Vec<String> {
    let odd = ["0", "1", "2", "3", "4", "6", "12", "4294967295", "4294967296", "-1", "x"];
    let numbers = if spoilt { &odd[..] } else { &odd[1..6] };
    let number = |dice: &mut fastrand::Rng| numbers[dice.usize(..numbers.len())].to_owned();
    let inside = |name: &str| folder.join(name).display().to_string();
    let file = file.display().to_string();
    let mut args: Vec<String> = match dice.u8(0..10) {
        0 => vec!["run".into(), file, "--faults".into(), faults.to_owned(), "--eot".into(), number(dice)],
        1 => vec!["fmt".into(), "--check".into(), file],
        2 => vec!["plan".into(), file],
        3 => vec!["why".into(), file, "pre".into(), "--eot".into(), number(dice), "--faults".into(), faults.to_owned()],
        4 => vec!["why-not".into(), file, "--eot".into(), number(dice), "--faults".into(), faults.to_owned()],
        5 => ["compare".into(), file.clone(), file, "--timeout".into(), ASKED.into(), "--eot".into(), number(dice)]
            .into(),
        9 => ["prove".into(), file, "--timeout".into(), ASKED.into()].into(),
        6 => ["sweep".into(), file, "--timeout".into(), ASKED.into(), "--crashes".into(), number(dice)].into(),
        _ => {
            let strategies = ["exact", "lineage", "lineage-ignore", "random", "exhaustive", "none"];
            let strategy = strategies[dice.usize(..strategies.len())].to_owned();
            ["check".into(), file, "--timeout".into(), ASKED.into(), "--strategy".into(), strategy].into()
        }
    };
    if args[0] == "check" {
        let bounds = ["eot", "eff", "crashes", "losses", "delay", "delays", "duplicates", "partitions", "restarts"];
        for bound in bounds.into_iter().chain(["pauses", "gives"]) {
            if bound == "eot" || dice.u8(0..if spoilt { 3 } else { 6 }) == 0 {
                args.extend([format!("--{bound}"), number(dice)]);
            }
        }
        for (option, value) in [
            ("--format", ["json", "junit", "text"][dice.usize(..3)].to_owned()),
            ("--report", inside("report")),
            ("--proof", inside("proof")),
            ("--memory", if spoilt { number(dice) } else { "20000".to_owned() }),
            ("--threads", number(dice)),
        ] {
            if dice.u8(0..4) == 0 {
                args.extend([option.to_owned(), value]);
            }
        }
        if dice.u8(0..4) == 0 {
            let kind = ["dot", "svg", "mermaid", "molly"][dice.usize(..4)];
            args.extend(["--export".to_owned(), kind.to_owned(), inside(kind)]);
        }
        for flag in ["--all", "--challenge", "--per-message"] {
            if dice.u8(0..4) == 0 {
                args.push(flag.to_owned());
            }
        }
    }
    // Now and then one that nobody means.
    if spoilt && dice.u8(0..4) == 0 {
        let at = dice.usize(..args.len());
        args[at] = ["", "--", "\u{1b}[31m", "/dev/null", "--eot", "."][dice.usize(..6)].to_owned();
    }
    args
}

/// Seconds of work that a process has done so far, on all its threads; nothing where nobody tells.
fn work_of(id: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the process, in parentheses, may contain anything. Hundredths, whatever the kernel counts in.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok().map(f64::from);
    Some((ticks()? + ticks()?) / 100.0)
}

/// The exit status, or what must not be.
fn watch(ldfi: &Path, folder: &Path, args: &[String]) -> Result<i32, String> {
    let mut child = Command::new(ldfi)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let drain = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = vec![];
            let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            bytes
        })
    };
    let out = drain(out.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let err = drain(err.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let most = WORKS * std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
    let began = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if began.elapsed() > HANGS => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it still runs after {HANGS:?}"));
            }
            None if work_of(child.id()).is_some_and(|work| work > most) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it still runs after {most} s of work"));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
    let said = String::from_utf8_lossy(&err);
    if said.contains("panicked") || said.contains("please report this") || said.contains("overflowed its stack") {
        return Err(said.into_owned());
    }
    if out.contains(&0x1b) || err.contains(&0x1b) {
        return Err("it writes escape bytes where there is no terminal".into());
    }
    match status.code().filter(|code| STATUS.contains(code)) {
        Some(code) => Ok(code),
        None => Err(format!("{status}: {said}")),
    }
}
