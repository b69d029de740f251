//! Calls between servers.

use ldfi_live::Id;
use ldfi_live::tokio::{Calls, Letter};
use openraft::EmptyNode;
use openraft::error::{InstallSnapshotError, RPCError, RaftError, Unreachable};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest, InstallSnapshotResponse, VoteRequest,
    VoteResponse,
};

use crate::Types;
use crate::state::Notes;

/// Whom a server can call, and what happened.
#[derive(Clone)]
pub(crate) struct Network {
    pub calls: Calls<Letter, u64>,
    pub notes: Notes,
}

/// Somebody to call.
pub(crate) struct Peer {
    id: Id,
    network: Network,
}

impl RaftNetworkFactory<Types> for Network {
    type Network = Peer;

    async fn new_client(&mut self, id: Id, _: &EmptyNode) -> Peer {
        Peer { id, network: self.clone() }
    }
}

type Called<A, E = RaftError<Id>> = Result<A, RPCError<Id, EmptyNode, E>>;

/// A call that is lost has no answer; openraft does not wait for ever.
impl RaftNetwork<Types> for Peer {
    async fn append_entries(
        &mut self,
        rpc: AppendEntriesRequest<Types>,
        _: RPCOption,
    ) -> Called<AppendEntriesResponse<Id>> {
        let label = if rpc.entries.is_empty() { "Heartbeat" } else { "Append" };
        Ok(self.network.calls.call(self.id, label, &rpc).await)
    }

    async fn vote(&mut self, rpc: VoteRequest<Id>, _: RPCOption) -> Called<VoteResponse<Id>> {
        let answer: VoteResponse<Id> = self.network.calls.call(self.id, "Vote", &rpc).await;
        self.network.notes.was_answered(self.id, answer.vote_granted);
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
