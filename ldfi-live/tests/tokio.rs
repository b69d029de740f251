//! Async services in virtual time: what each failure does to them, and what is refused.
#![cfg(feature = "tokio")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_live::tokio::{Host, Message, Segment, Service, Tcp, setup};
use ldfi_live::{Conclusion, Failure, LiveError, Options, Scenario, Setup, Specification, Violation};
use ldfi_model::VerdictKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout};

/// An instant of the world.
const TEN: Duration = Duration::from_millis(10);

#[derive(Clone, Debug)]
struct Ping(u32);

impl Message for Ping {}

fn rules(text: &str) -> Vec<Specification> {
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
    vec![Specification::new(program).unwrap_or_else(|error| panic!("{error}"))]
}

/// Nothing is wrong as far as these rules know.
fn anything() -> Vec<Specification> {
    rules("input never(str); err_never(N) :- never(N);")
}

/// What nodes told under these failures: when, who, what.
fn told<M: Message, R: Clone + std::fmt::Debug + Send + Sync + 'static>(
    setup: &Setup<Service<M, R>>,
    scenario: &str,
) -> Vec<String> {
    let scenario = Scenario::parse(scenario, setup.nodes()).unwrap_or_else(|error| panic!("{error}"));
    let replayed = setup.replay(&anything(), &Options::default(), &scenario).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(replayed.struck, scenario.len(), "not every failure struck");
    replayed.events.iter().map(|(time, event)| format!("@{time} {event}").replace('"', "")).collect()
}

/// The first node counts every thirty milliseconds and tells the second.
fn counting() -> Setup<Service<Ping, u32>> {
    let mut counting = setup(2, TEN, |host: Host<Ping, u32>| async move {
        if host.id() == 1 {
            for count in 1.. {
                sleep(3 * TEN).await;
                host.send(2, Ping(count));
            }
        }
        loop {
            let (from, Ping(count)) = host.recv().await;
            host.event("heard", (from, count));
        }
    });
    counting.end(14);
    counting
}

#[test]
fn time_moves_on_by_instants_and_messages_take_one() {
    assert_eq!(
        told(&counting(), "no failures"),
        ["@5 heard(n2, 1, 1)", "@8 heard(n2, 1, 2)", "@11 heard(n2, 1, 3)", "@14 heard(n2, 1, 4)"]
    );
}

#[test]
fn messages_of_services_are_struck_like_others() {
    let all = |scenario: &str| -> Vec<String> {
        let heard = told(&counting(), scenario);
        heard.iter().map(|line| line.replace(" heard(n2, 1, ", ":").replace(')', "")).collect()
    };
    assert_eq!(all("lose n1->n2@4 Ping"), ["@8:2", "@11:3", "@14:4"]);
    assert_eq!(all("delay n1->n2@4 Ping by 4"), ["@8:2", "@9:1", "@11:3", "@14:4"]);
    assert_eq!(all("duplicate n1->n2@4 Ping by 2"), ["@5:1", "@7:1", "@8:2", "@11:3", "@14:4"]);
    // A node that stands still finds its timers due when it goes on.
    assert_eq!(all("pause n1@3 until 7"), ["@8:1", "@8:2", "@11:3", "@14:4"]);
    // One that boots begins again.
    assert_eq!(all("reboot n1@5 until 6"), ["@5:1", "@10:1", "@13:2"]);
    assert_eq!(all("crash n2@9"), ["@5:1", "@8:2"]);
}

#[test]
fn clients_ask_services() {
    let mut asked = setup(1, TEN, |host: Host<Ping, u32>| async move {
        loop {
            let request = host.asked().await;
            host.event("asked", request);
        }
    });
    asked.end(5);
    asked
        .workload(|w| {
            w.at(2).ask(7);
            w.at(4).ask(8);
        })
        .expect("there is a node");
    assert_eq!(told(&asked, "no failures"), ["@2 asked(n1, 7)", "@4 asked(n1, 8)"]);
    assert_eq!(told(&asked, "pause n1@2 until 4"), ["@4 asked(n1, 7)", "@4 asked(n1, 8)"]);
}

/// Two tasks of one node, of which one writes.
fn writing() -> Setup<Service<Ping, u32>> {
    let mut writing = setup(1, TEN, |host: Host<Ping, u32>| async move {
        let other = host.clone();
        tokio::task::spawn_local(async move {
            for tick in 1u32.. {
                sleep(2 * TEN).await;
                other.event("tick", tick);
            }
        });
        let disk = host.disk();
        let there = disk.read("log").await.ok().flatten().map_or(0, |bytes| bytes.len());
        host.event("boots", there);
        let done = disk.append("log", b"x").await.and(disk.sync("log").await);
        host.event("written", u32::from(done.is_ok()));
    });
    writing.end(6);
    writing
}

#[test]
fn a_slow_disk_holds_up_who_waits_for_it_alone() {
    let ticks = ["@2 boots(n1, 0)", "@3 tick(n1, 1)", "@5 tick(n1, 2)"];
    let usual = told(&writing(), "no failures");
    assert_eq!(usual, ["@1 boots(n1, 0)", "@1 written(n1, 1)", "@3 tick(n1, 1)", "@5 tick(n1, 2)"]);
    let slow = told(&writing(), "slow n1@1 sync:log until 4");
    assert_eq!(slow, ["@1 boots(n1, 0)", "@3 tick(n1, 1)", "@4 written(n1, 1)", "@5 tick(n1, 2)"]);
    assert!(ticks[1..].iter().all(|tick| slow.contains(&(*tick).to_owned())));
}

#[test]
fn a_service_that_stops_at_its_disk_does_nothing_more() {
    assert_eq!(
        told(&writing(), "reboot n1@1 append:log until 4"),
        ["@1 boots(n1, 0)", "@4 boots(n1, 0)", "@4 written(n1, 1)", "@6 tick(n1, 1)"]
    );
    assert_eq!(
        told(&writing(), "reboot n1@1 sync:log until 4"),
        ["@1 boots(n1, 0)", "@4 boots(n1, 1)", "@4 written(n1, 1)", "@6 tick(n1, 1)"]
    );
    assert_eq!(told(&writing(), "disk-error n1@1 append:log")[1], "@1 written(n1, 0)");
}

/// The first node writes three lines to the second, which tells of them; both tell of errors.
fn talking() -> Setup<Service<Segment, u32>> {
    let mut talking = setup(2, TEN, |host: Host<Segment, u32>| async move {
        let net = Tcp::labelled(&host, |bytes| String::from_utf8_lossy(&bytes[..1]).into_owned().into());
        if host.id() == 2 {
            let mut listener = net.listen();
            while let Ok((mut stream, from)) = listener.accept().await {
                let mut bytes = [0];
                loop {
                    match stream.read(&mut bytes).await {
                        Ok(0) => break host.event("ended", from),
                        Ok(_) => host.event("read", char::from(bytes[0]).to_string()),
                        Err(error) => break host.event("broken", error.kind().to_string()),
                    }
                }
            }
        }
        sleep(TEN).await;
        let mut stream = match net.connect(2).await {
            Ok(stream) => stream,
            Err(error) => return host.event("unconnected", error.kind().to_string()),
        };
        for word in [b"a", b"b", b"c"] {
            sleep(2 * TEN).await;
            if let Err(error) = stream.write_all(word).await {
                return host.event("unwritten", error.kind().to_string());
            }
        }
    });
    talking.end(30);
    talking
}

#[test]
fn a_stream_carries_bytes_in_order() {
    assert_eq!(
        told(&talking(), "no failures"),
        ["@7 read(n2, a)", "@9 read(n2, b)", "@11 read(n2, c)", "@11 ended(n2, 1)"]
    );
}

#[test]
fn a_stream_waits_for_what_is_late_and_knows_what_is_there_twice() {
    let late = told(&talking(), "delay n1->n2@8 b by 4");
    assert_eq!(late, ["@7 read(n2, a)", "@13 read(n2, b)", "@13 read(n2, c)", "@13 ended(n2, 1)"]);
    let twice = told(&talking(), "duplicate n1->n2@6 a by 3");
    assert_eq!(twice, told(&talking(), "no failures"));
}

#[test]
fn a_stream_breaks_when_something_is_lost() {
    let lost = told(&talking(), "lose n1->n2@8 b");
    assert_eq!(lost, ["@7 read(n2, a)", "@19 broken(n2, connection reset)"]);
}

#[test]
fn who_connects_to_nobody_is_told() {
    assert_eq!(told(&talking(), "crash n2@1"), ["@10 unconnected(n1, timed out)"]);
    assert_eq!(told(&talking(), "lose n1->n2@2 open"), ["@10 unconnected(n1, timed out)"]);
    // Booted anew, it knows nothing of the stream.
    let anew = told(&talking(), "reboot n2@5 until 6");
    assert_eq!(anew, ["@10 unwritten(n1, connection reset)"]);
    let deaf = setup(2, TEN, |host: Host<Segment, u32>| async move {
        let net = Tcp::new(&host);
        if host.id() == 1
            && let Err(error) = net.connect(2).await
        {
            host.event("unconnected", error.kind().to_string());
        }
        std::future::pending().await
    });
    let mut deaf = deaf;
    deaf.end(6);
    assert_eq!(told(&deaf, "no failures"), ["@3 unconnected(n1, connection refused)"]);
}

#[test]
fn a_timeout_is_a_matter_of_virtual_time() {
    let mut patient = setup(1, TEN, |host: Host<Ping, u32>| async move {
        let began = Instant::now();
        let _ = timeout(Duration::from_secs(1), host.recv()).await;
        host.event("waited", began.elapsed().as_millis() as u64);
    });
    patient.end(120);
    assert_eq!(told(&patient, "no failures"), ["@101 waited(n1, 1000)"]);
}

#[test]
fn a_task_that_panics_is_a_finding() {
    let mut broken = setup(2, TEN, |host: Host<Ping, u32>| async move {
        if host.id() == 1 {
            tokio::spawn(async {
                sleep(4 * TEN).await;
                panic!("nobody looks at this task");
            });
        }
        for beat in 1u32.. {
            host.event("beat", beat);
            sleep(TEN).await;
        }
    });
    broken.end(8);
    let conclusion = broken.explore(&anything(), &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(conclusion.verdict, VerdictKind::IncorrectWithoutFaults);
    let Some(Violation::Panic { node, panic, .. }) = conclusion.bugs[0].violations.first() else {
        panic!("{:?}", conclusion.bugs[0].violations)
    };
    assert_eq!((node.as_str(), panic.message.as_str()), ("n1", "nobody looks at this task"));
    assert!(panic.backtrace.as_ref().is_some_and(|trace| trace.contains("tokio")));
    // The other goes on.
    let beats = told(&broken, "no failures");
    assert_eq!(beats.iter().filter(|line| line.contains("beat(n2")).count(), 8);
    assert_eq!(beats.iter().filter(|line| line.contains("beat(n1")).count(), 5);
}

#[test]
fn a_task_that_panics_after_its_node_stopped_is_no_finding() {
    let mut dead = setup(1, TEN, |host: Host<Ping, u32>| async move {
        let (held, disk) = (Arc::new(AtomicU32::new(0)), host.disk());
        let other = held.clone();
        spawn_local(async move {
            sleep(TEN + TEN / 5).await;
            other.store(1, Relaxed);
            let _ = disk.append("log", b"x").await;
            // Not slow: nobody else runs meanwhile.
            other.store(0, Relaxed);
        });
        sleep(TEN + TEN / 2).await;
        assert_eq!(held.load(Relaxed), 0, "a write that is not slow is done at once");
    });
    dead.end(5);
    let options = Options { failures: vec![Failure::Reboot(2)], ..Options::default() };
    let found = dead.explore(&anything(), &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.verdict, VerdictKind::FaultTolerant, "{:?}", found.bugs);
}

/// A service that does what it likes.
fn refused<F: Future<Output = ()> + 'static>(main: impl Fn(Host<Ping, u32>) -> F + Send + Sync + 'static) -> LiveError {
    let mut odd = setup(2, TEN, main);
    odd.end(20);
    odd.explore(&anything(), &Options::default()).expect_err("it is refused")
}

#[test]
fn what_is_not_deterministic_is_refused_with_the_first_difference() {
    let random = refused(|host: Host<Ping, u32>| async move {
        let order: std::collections::HashSet<u32> = (0..16).collect();
        for count in order {
            host.send(2, Ping(count));
            sleep(TEN).await;
        }
    });
    let LiveError::NotDeterministic { first, second } = &random else { panic!("{random}") };
    assert!(first.contains("Ping") && second.contains("Ping") && first != second, "{random}");
    let clock = refused(|host: Host<Ping, u32>| async move {
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        host.send(2, Ping(now));
    });
    assert!(matches!(clock, LiveError::NotDeterministic { .. }), "{clock}");
}

#[test]
fn threads_of_the_runtime_are_refused() {
    let quick = refused(|host: Host<Ping, u32>| async move {
        host.event("got", tokio::task::spawn_blocking(|| 7u32).await.unwrap_or(0));
    });
    assert!(quick.to_string().contains("n1 uses `spawn_blocking` at 1"), "{quick}");
    let broken = refused(|_| async {
        let _ = tokio::task::spawn_blocking(|| panic!("on another thread")).await;
    });
    assert!(broken.to_string().contains("n1 uses `spawn_blocking` at 1"), "{broken}");
    // Where it does so under some failures alone, they are named.
    let mut late = setup(1, TEN, |host: Host<Ping, u32>| async move {
        sleep(2 * TEN).await;
        if host.disk().append("log", b"x").await.is_err() {
            let _ = tokio::task::spawn_blocking(|| ()).await;
        }
    });
    late.end(5);
    let options = Options { failures: vec![Failure::DiskError], ..Options::default() };
    let late = late.explore(&anything(), &options).expect_err("it is refused").to_string();
    assert!(late.starts_with("under `disk-error n1@3 append:log`: n1 uses `spawn_blocking` at 3"), "{late}");
}

#[test]
fn a_choice_by_chance_is_refused_with_the_first_difference() {
    let chance = refused(|host: Host<Ping, u32>| async move {
        for _ in 0..40 {
            tokio::select! {
                () = async {} => host.send(2, Ping(1)),
                () = async {} => host.send(2, Ping(2)),
            }
        }
    });
    let LiveError::NotDeterministic { first, second } = &chance else { panic!("{chance}") };
    assert!(first.contains("Ping") && second.contains("Ping") && first != second, "{chance}");
}

#[test]
fn services_go_by_the_names_that_they_are_given() {
    let mut named = setup(2, TEN, |host: Host<Ping, u32>| async move { host.event("is", host.id()) });
    named.names(["a", "b"]);
    named.end(3);
    assert_eq!(told(&named, "crash b@2"), ["@1 is(a, 1)", "@1 is(b, 2)"]);
}

#[test]
fn a_runtime_within_a_runtime_is_refused() {
    let outer = tokio::runtime::Builder::new_current_thread().build().expect("it can be built");
    let error = outer.block_on(async { refused(|_| async {}) });
    assert_eq!(error, LiveError::InsideRuntime);
}

#[test]
fn nothing_but_time_depends_on_threads() {
    let failures = vec![Failure::Lose, Failure::Delay(3), Failure::Reboot(2), Failure::Cut(3)];
    let text = "input read(str, str); ever(W) :- read(_, W); ever(W)@next :- ever(W); go(1)@1; go(X)@next :- go(X);
        pre(X) :- go(X); post(X) :- go(X), ever(\"a\"), ever(\"b\"), ever(\"c\");";
    let found = [1, 3].map(|threads| {
        let options = Options { failures: failures.clone(), until: 12, at_most: 1, threads, ..Options::default() };
        let found = talking().explore(&rules(text), &options).unwrap_or_else(|error| panic!("{error}"));
        let all: Vec<String> = found.failing.iter().map(|failing| failing.scenario.show(&found.nodes)).collect();
        (all, found.statistics.levels, found.statistics.executions)
    });
    assert_eq!(found[0], found[1]);
    assert!(found[0].0.contains(&"lose n1->n2@8 b".to_owned()), "{:?}", found[0].0);
    assert!(!found[0].0.contains(&"delay n1->n2@8 b by 3".to_owned()), "{:?}", found[0].0);
}

/// The first node counts to four; the second answers two instants after it hears something, with the highest that it heard.
fn answering(memory: Option<u32>) -> Setup<Service<Ping, u32>> {
    let mut answering = setup(2, TEN, move |host: Host<Ping, u32>| async move {
        let highest = Arc::new(AtomicU32::new(0));
        if let Some(memory) = memory {
            let told = highest.clone();
            host.fingerprint(memory, move || told.load(Relaxed).into());
        }
        if host.id() == 1 {
            let host = host.clone();
            spawn_local(async move {
                for count in 1..=4 {
                    sleep(4 * TEN).await;
                    host.send(2, Ping(count));
                }
            });
        }
        loop {
            let (_, Ping(count)) = host.recv().await;
            host.event("heard", count);
            highest.fetch_max(count, Relaxed);
            if host.id() == 2 {
                let (host, highest) = (host.clone(), highest.clone());
                spawn_local(async move {
                    sleep(2 * TEN).await;
                    host.send(1, Ping(highest.load(Relaxed)));
                });
            }
        }
    });
    answering.end(26);
    answering
}

#[test]
fn a_service_that_tells_its_state_is_run_less_often_and_one_that_hides_some_is_found_out() {
    let heard = rules(
        "input heard(str, int); ever(N, V) :- heard(N, V); ever(N, V)@next :- ever(N, V);
         go(1)@1; go(X)@next :- go(X); pre(1) :- go(1); post(1) :- ever(\"n1\", 4);",
    );
    let failures = vec![Failure::Lose, Failure::Delay(1)];
    let options = Options { failures, at_most: 2, ..Options::default() };
    let explore = |memory, audits| answering(memory).explore(&heard, &Options { audits, ..options.clone() });
    let (silent, telling) = (explore(None, 0).expect("it runs"), explore(Some(3), 0).expect("it runs"));
    let (less, more) = (telling.statistics.executions, silent.statistics.executions);
    assert!(less < more, "{less} of {more}");
    assert_eq!(silent.statistics.scenarios(), telling.statistics.scenarios());
    assert!(!silent.failing.is_empty());
    let found = |conclusion: &Conclusion| {
        let mut all: Vec<Scenario> = conclusion.failing.iter().map(|failing| failing.scenario.clone()).collect();
        all.sort();
        all
    };
    assert_eq!(found(&silent), found(&telling));
    explore(Some(3), usize::MAX).expect("all that is foretold comes true");
    // Without a memory, nobody knows of the answer that is under way.
    let hidden = explore(Some(0), 0).expect_err("it is found out");
    assert!(matches!(hidden, LiveError::Fingerprint { .. }), "{hidden}");
}

#[test]
fn an_instant_is_one_that_a_clock_can_tell() {
    for (instant, fits) in [
        (Duration::ZERO, false),
        (Duration::from_micros(999), false),
        (Duration::from_millis(1), true),
        (Duration::from_hours(24), true),
        (Duration::MAX, false),
    ] {
        let mut setup = setup(1, instant, move |host: Host<Ping, ()>| async move {
            loop {
                sleep(instant).await;
                host.event("slept", 1);
            }
        });
        setup.end(5);
        let options = Options { failures: vec![Failure::Crash], ..Options::default() };
        let found = setup.explore(&anything(), &options);
        assert_eq!(found.is_ok(), fits, "{instant:?}");
        if let Err(error) = found {
            assert!(matches!(error, LiveError::NoInstant { .. }), "{error}");
        }
    }
}
