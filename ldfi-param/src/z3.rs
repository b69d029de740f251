//! Z3, where it is installed: a program that is found at run time and asked in SMT-LIB over a pipe.
//!
//! Nothing here needs it. With the feature `z3` it can look for invariants of the engine of counts
//! ([`Engine::Z3`](crate::Engine::Z3)), and confirm certificates of both engines ([`crate::confirm`]).

use std::fmt;
use std::path::PathBuf;

use ldfi_model::{Budget, Spent};

/// The variable that says where Z3 is; on the search path, unless it is set.
pub const KNOB: &str = "LDFI_Z3";

/// A Z3 that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Z3 {
    program: PathBuf,
}

/// Why Z3 has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Z3Error {
    /// This program was built without the feature.
    NotBuilt,
    /// There is none.
    Missing {
        /// Where [`KNOB`] says that it is; the search path if it is not set.
        knob: Option<PathBuf>,
    },
    /// It cannot be run.
    Failed {
        /// The program.
        program: PathBuf,
        /// Why.
        why: String,
    },
    /// It was stopped.
    Spent(Spent),
}

impl fmt::Display for Z3Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Z3Error::NotBuilt => f.write_str("this is built without Z3: build it with `--features z3`"),
            Z3Error::Missing { knob: None } => {
                write!(f, "no `z3` is on the search path: install it, or say where it is with {KNOB}")
            }
            Z3Error::Missing { knob: Some(path) } => {
                write!(f, "{KNOB} says that Z3 is `{}`, and there is no such file", path.display())
            }
            Z3Error::Failed { program, why } => write!(f, "`{}` does not answer: {why}", program.display()),
            Z3Error::Spent(spent) => spent.fmt(f),
        }
    }
}

impl std::error::Error for Z3Error {}

impl From<Spent> for Z3Error {
    fn from(spent: Spent) -> Self {
        Z3Error::Spent(spent)
    }
}

impl Z3 {
    /// That it does not answer as it should.
    pub(crate) fn failed(&self, why: &dyn fmt::Display) -> Z3Error {
        Z3Error::Failed { program: self.program.clone(), why: why.to_string() }
    }
}

#[cfg(not(feature = "z3"))]
impl Z3 {
    /// Looks for it.
    ///
    /// # Errors
    /// Always: this is built without it.
    pub fn find() -> Result<Self, Z3Error> {
        Err(Z3Error::NotBuilt)
    }

    /// What it answers to a script.
    ///
    /// # Errors
    /// Always: this is built without it.
    pub fn ask(&self, _script: &str, _budget: &Budget) -> Result<String, Z3Error> {
        Err(Z3Error::NotBuilt)
    }
}

#[cfg(feature = "z3")]
impl Z3 {
    /// Looks for it: where [`KNOB`] says, or on the search path.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Self, Z3Error> {
        let knob = std::env::var_os(KNOB).filter(|path| !path.is_empty()).map(PathBuf::from);
        let on_path = || {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let name = format!("z3{}", std::env::consts::EXE_SUFFIX);
            std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file())
        };
        let found = knob.clone().filter(|path| path.is_file()).or_else(|| knob.is_none().then(on_path).flatten());
        found.map(|program| Z3 { program }).ok_or(Z3Error::Missing { knob })
    }

    /// What it answers to a script.
    ///
    /// # Errors
    /// If it cannot be run, or the time is up.
    pub fn ask(&self, script: &str, budget: &Budget) -> Result<String, Z3Error> {
        use std::io::{Read, Write};
        use std::process::{Command, Stdio};
        use std::time::{Duration, Instant};

        budget.check()?;
        let failed = |why: &dyn fmt::Display| self.failed(why);
        let mut command = Command::new(&self.program);
        command.args(["-smt2", "-in"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // If this program is killed, it does not go on for ever.
        if let Some(end) = budget.deadline() {
            command.arg(format!("-T:{}", end.saturating_duration_since(Instant::now()).as_secs() + 2));
        }
        let mut child = command.spawn().map_err(|why| failed(&why))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let script = script.to_owned();
        // A full pipe on either side must not stop the other.
        let writer = std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(script.as_bytes())));
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.map(|mut pipe| pipe.read_to_string(&mut text)).transpose().map(|_| text)
        });
        let ended = loop {
            match child.try_wait() {
                Ok(Some(_)) => break Ok(()),
                Ok(None) => {}
                Err(why) => break Err(failed(&why)),
            }
            if let Err(spent) = budget.check() {
                break Err(spent.into());
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        if ended.is_err() {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = writer.join();
        let text = reader.join().map_err(|_| failed(&"its answer cannot be read"))?.map_err(|why| failed(&why))?;
        ended.map(|()| text)
    }
}
