//! Calls between servers: a call is a message there and a message back.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ldfi_live::tokio::{self as live, Host};
use ldfi_live::{Id, Label, digest_of};
use openraft::EmptyNode;
use openraft::error::{InstallSnapshotError, RPCError, RaftError, Unreachable};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest, InstallSnapshotResponse, VoteRequest,
    VoteResponse,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use crate::Types;
use crate::state::Notes;

/// A call, or its answer.
#[derive(Clone, Debug)]
pub struct Letter {
    pub(crate) call: u64,
    pub(crate) what: What,
    pub(crate) body: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Vote,
    Append,
    Heartbeat,
    Answer,
}

impl live::Message for Letter {
    fn label(&self) -> Label {
        format!("{:?}", self.what).into()
    }
}

/// Whom was called, the number of the call, and its content.
type Call = (Id, u64, u64);

/// By whom was called and the number of the call: its content, and who waits for its answer.
type Waiting = BTreeMap<(Id, u64), (u64, oneshot::Sender<String>)>;

/// The world, and calls that wait for their answers.
#[derive(Clone)]
pub(crate) struct Network {
    pub host: Host<Letter, u64>,
    pub notes: Notes,
    waiting: Arc<Mutex<Waiting>>,
}

/// Somebody to call.
pub(crate) struct Peer {
    id: Id,
    network: Network,
}

impl Network {
    pub fn new(host: &Host<Letter, u64>) -> Self {
        Network { host: host.clone(), notes: Notes::new(), waiting: Arc::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calls that somebody still waits for.
    pub fn calls(&self) -> Vec<Call> {
        let waiting = self.waiting();
        let open = waiting.iter().filter(|(_, (_, answer))| !answer.is_closed());
        open.map(|((id, call), (content, _))| (*id, *call, *content)).collect()
    }

    /// An answer came in. Nobody waits any more for one that is late.
    pub fn answered(&self, from: Id, call: u64, body: String) {
        let waiting = self.waiting().remove(&(from, call));
        let _ = waiting.map(|(_, waiting)| waiting.send(body));
    }

    /// Answers a call once it is done.
    pub fn answer<R, A>(&self, to: Id, call: u64, body: &str, done: impl FnOnce(R) -> A + Send + 'static)
    where
        R: DeserializeOwned + Send + 'static,
        A: Future<Output = Option<String>> + Send + 'static,
    {
        let (host, body) = (self.host.clone(), serde_json::from_str(body));
        tokio::spawn(async move {
            let Ok(body) = body else { return };
            if let Some(body) = done(body).await {
                host.send(to, Letter { call, what: What::Answer, body });
            }
        });
    }
}

impl RaftNetworkFactory<Types> for Network {
    type Network = Peer;

    async fn new_client(&mut self, id: Id, _: &EmptyNode) -> Peer {
        Peer { id, network: self.clone() }
    }
}

type Called<A, E = RaftError<Id>> = Result<A, RPCError<Id, EmptyNode, E>>;

impl Peer {
    /// Calls somebody. A call that is lost has no answer; openraft does not wait for ever.
    async fn call<A: DeserializeOwned>(&self, what: What, body: impl Serialize) -> Called<A> {
        let unreachable = |error: &dyn std::error::Error| {
            RPCError::Unreachable(Unreachable::new(&std::io::Error::other(error.to_string())))
        };
        let body = serde_json::to_string(&body).map_err(|error| unreachable(&error))?;
        let (tell, answer) = oneshot::channel();
        let call = {
            let mut waiting = self.network.waiting();
            // A number that calls to others, and calls that failed before, do not change.
            let mut call = self.network.notes.now() * 100;
            while waiting.contains_key(&(self.id, call)) {
                call += 1;
            }
            waiting.insert((self.id, call), (digest_of(&body), tell));
            call
        };
        self.network.host.send(self.id, Letter { call, what, body });
        let answer = answer.await.map_err(|error| unreachable(&error))?;
        serde_json::from_str(&answer).map_err(|error| unreachable(&error))
    }
}

impl RaftNetwork<Types> for Peer {
    async fn append_entries(
        &mut self,
        rpc: AppendEntriesRequest<Types>,
        _: RPCOption,
    ) -> Called<AppendEntriesResponse<Id>> {
        self.call(if rpc.entries.is_empty() { What::Heartbeat } else { What::Append }, rpc).await
    }

    async fn vote(&mut self, rpc: VoteRequest<Id>, _: RPCOption) -> Called<VoteResponse<Id>> {
        let answer: VoteResponse<Id> = self.call(What::Vote, rpc).await?;
        if !answer.vote_granted {
            self.network.notes.was_refused(self.id);
        }
        Ok(answer)
    }

    async fn install_snapshot(
        &mut self,
        _: InstallSnapshotRequest<Types>,
        _: RPCOption,
    ) -> Called<InstallSnapshotResponse<Id>, RaftError<Id, InstallSnapshotError>> {
        // There are no snapshots here.
        Err(RPCError::Unreachable(Unreachable::new(&std::io::Error::other("no snapshots"))))
    }
}
