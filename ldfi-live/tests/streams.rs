//! A stream that was opened again is like the one before: what is foretold of services on streams comes true, and pruning finds what brute force finds.
#![cfg(feature = "tokio")]

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use dedalus_runtime::Interpreted;
use ldfi_live::tokio::{Host, Segment, Service, Stream, Tcp, setup};
use ldfi_live::{Conclusion, Failure, Options, Setup, Specification, Strategy, digest_of};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep, timeout};

const TEN: Duration = Duration::from_millis(10);

/// How two nodes talk.
#[derive(Clone, Copy, Debug, Default)]
struct Manners {
    /// Whoever accepts a stream speaks first.
    greets: bool,
    /// Whoever opened it says that it has no more to say, and listens on.
    half_closes: bool,
    /// Two streams at a time, one of them a little later.
    twice: bool,
    /// A stream is used again and again.
    stays: bool,
}

/// What a caller does, and since when, with which stream.
type Phase = Rc<Cell<(&'static str, u8, Option<(Instant, u32)>)>>;

async fn answer(mut stream: Stream, greets: bool) -> io::Result<()> {
    if greets {
        stream.write_u8(b'!').await?;
    }
    loop {
        let word = stream.read_u8().await?;
        stream.write_u8(word + 100).await?;
    }
}

/// What waits at the same time waits for another time, so that it is no matter of chance who is first.
async fn talk(host: &Host<Segment, u32>, net: &Tcp, phase: &Phase, manners: Manners, more: Duration) -> io::Result<()> {
    phase.set(("connects", 0, Some((Instant::now(), 0))));
    let mut stream = net.connect(2).await?;
    let port = stream.port();
    let now = |what, word| phase.set((what, word, Some((Instant::now(), port))));
    now("is greeted", 0);
    if manners.greets {
        timeout(4 * TEN + more, stream.read_u8()).await??;
    }
    for word in 1..=2 {
        now("asks", word);
        stream.write_u8(word).await?;
        let heard = timeout(4 * TEN + more, stream.read_u8()).await??;
        host.event("heard", u32::from(heard));
        now("rests", word);
        sleep(more + if manners.stays { 3 * TEN } else { TEN }).await;
    }
    if manners.half_closes {
        now("ends", 0);
        stream.shutdown().await?;
        // Whoever answers reads to the end, and leaves.
        timeout(4 * TEN + more, stream.read_u8()).await?.map(drop)?;
    }
    Ok(())
}

async fn call(host: Host<Segment, u32>, net: Tcp, phase: Phase, manners: Manners, more: Duration) {
    loop {
        if let Err(error) = talk(&host, &net, &phase, manners, more).await {
            host.event("failed", error.kind().to_string());
        }
        phase.set(("waits", 0, Some((Instant::now(), 0))));
        sleep(2 * TEN + more).await;
    }
}

async fn node(host: Host<Segment, u32>, manners: Manners) {
    let net = Tcp::labelled(&host, |bytes| if bytes[0] < 100 { "word".into() } else { "answer".into() });
    let phases: Vec<Phase> = (0..1 + u8::from(manners.twice)).map(|_| Rc::new(Cell::new(("", 0, None)))).collect();
    let (told, streams) = (phases.clone(), net.clone());
    host.fingerprint(0, move || {
        let phase = |phase: &Phase| {
            let (what, word, since) = phase.get();
            (what, word, since.map(|(since, port)| (since.elapsed(), port)))
        };
        digest_of(&(told.iter().map(phase).collect::<Vec<_>>(), streams.state()))
    });
    if host.id() == 1 {
        for (more, phase) in (0..).zip(phases) {
            let more = Duration::from_millis(3 * more);
            spawn_local(call(host.clone(), net.clone(), phase, manners, more));
        }
        return;
    }
    let mut listener = net.listen();
    while let Ok((stream, _)) = listener.accept().await {
        spawn_local(answer(stream, manners.greets));
    }
}

fn talking(manners: Manners) -> Setup<Service<Segment, u32>> {
    let mut talking = setup(2, TEN, move |host| node(host, manners));
    talking.end(34);
    talking
}

fn found(conclusion: &Conclusion) -> Vec<String> {
    let failing = conclusion.failing.iter();
    let mut all: Vec<String> = failing
        .map(|failing| format!("{} {:?}", failing.scenario.show(&conclusion.nodes), failing.violations))
        .collect();
    all.sort();
    all
}

/// Explores it in both ways, running all that is foretold.
fn compare(manners: Manners, failures: &[Failure], until: u32) {
    // Something that most failures do not break, and some do.
    let text = "input heard(str, int); input failed(str, str);
        err_refused(N) :- failed(N, \"connection reset\");
        ever(V) :- heard(_, V); ever(V)@next :- ever(V);
        pre(1) :- ever(_); post(1) :- ever(102);";
    let program = Interpreted::from_text("spec.ded", text).unwrap_or_else(|error| panic!("{error}"));
    let specification = [Specification::new(program).expect("it says something")];
    let (failures_of, audits) = (failures.to_vec(), usize::MAX);
    let options =
        Options { failures: failures_of, between_messages: true, at_most: 2, until, audits, ..Options::default() };
    let explore = |strategy| {
        let options = Options { strategy, ..options.clone() };
        let explored = talking(manners).explore(&specification, &options);
        explored.unwrap_or_else(|error| panic!("{manners:?}, {failures:?}: {error}"))
    };
    let (pruned, brute) = (explore(Strategy::Pruned), explore(Strategy::BruteForce));
    let pairs = &pruned.statistics.levels[1];
    println!("{manners:?} {failures:?}\n{}", pruned.statistics);
    assert!(pairs.spliced > 0 && pairs.audited == pairs.spliced, "{}", pruned.statistics);
    assert_eq!(found(&pruned), found(&brute), "{manners:?}");
    assert!(!brute.failing.is_empty(), "{manners:?}");
}

const PLAIN: Manners = Manners { greets: false, half_closes: false, twice: false, stays: false };

#[test]
fn streams_that_are_opened_again_are_like_those_before() {
    compare(PLAIN, &[Failure::Lose, Failure::Reboot(3)], 9);
    compare(Manners { greets: true, half_closes: true, ..PLAIN }, &[Failure::Lose, Failure::Kill(2)], 9);
}

#[test]
fn streams_beside_each_other_are_told_apart() {
    compare(Manners { twice: true, stays: true, ..PLAIN }, &[Failure::Lose, Failure::Kill(1)], 7);
}

#[test]
fn where_messages_are_late_every_stream_is_another() {
    compare(Manners { greets: true, ..PLAIN }, &[Failure::Delay(2), Failure::Duplicate(3), Failure::Kill(2)], 6);
}

#[test]
#[ignore = "minutes: cargo test -p ldfi-live --features tokio --test streams -- --ignored"]
fn streams_of_all_manners() {
    for number in 0..16u8 {
        let is = |bit: u8| number & (1 << bit) != 0;
        let manners = Manners { greets: is(0), half_closes: is(1), twice: is(2), stays: is(3) };
        compare(manners, &[Failure::Lose, Failure::Reboot(3)], 14);
        compare(manners, &[Failure::Lose, Failure::Kill(1), Failure::Cut(3), Failure::Crash], 9);
        compare(manners, &[Failure::Delay(3), Failure::Duplicate(2), Failure::Pause(2), Failure::Reboot(2)], 7);
    }
}
