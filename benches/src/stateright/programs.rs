//! The programs of the rows, compiled as their users' are.

use dedalus_runtime::Program;
use ldfi::dedalus_file;

dedalus_file!(SimpleDeliv = "../../../examples/simple_deliv.ded");
dedalus_file!(RetryDeliv = "../../../examples/retry_deliv.ded");
dedalus_file!(RedunDeliv = "../../../examples/redun_deliv.ded");
dedalus_file!(AckDeliv = "../../../examples/ack_deliv.ded");
dedalus_file!(TwoPcTermination = "two_pc_termination.ded");
dedalus_file!(TwoPcAgreement = "two_pc_agreement.ded");
dedalus_file!(TwoPcTimeoutTermination = "two_pc_timeout_termination.ded");
dedalus_file!(TwoPcTimeoutAgreement = "two_pc_timeout_agreement.ded");
dedalus_file!(TwoPcCtpTermination = "two_pc_ctp_termination.ded");
dedalus_file!(TwoPcCtpAgreement = "two_pc_ctp_agreement.ded");
dedalus_file!(TwoPcCtpMendedAgreement = "two_pc_ctp_mended_agreement.ded");
dedalus_file!(PaxosForgetful = "../../../examples/paxos_forgetful.ded");
dedalus_file!(PaxosSynod = "../../../examples/paxos_synod.ded");

/// A protocol that is asked for one promise, with the timers that it sets.
///
/// # Panics
/// If no row asks this.
pub fn program(protocol: &str, promise: &str) -> Box<dyn Program> {
    match (protocol, promise) {
        ("simple_deliv", _) => Box::new(SimpleDeliv::new()),
        ("retry_deliv", _) => Box::new(RetryDeliv::new()),
        ("redun_deliv", _) => Box::new(RedunDeliv::new()),
        ("ack_deliv", _) => Box::new(AckDeliv::new()),
        ("two_pc", "termination") => Box::new(TwoPcTermination::new()),
        ("two_pc", _) => Box::new(TwoPcAgreement::new()),
        ("two_pc_timeout", "termination") => Box::new(TwoPcTimeoutTermination::new()),
        ("two_pc_timeout", _) => Box::new(TwoPcTimeoutAgreement::new()),
        ("two_pc_ctp", "termination") => Box::new(TwoPcCtpTermination::new()),
        ("two_pc_ctp", _) => Box::new(TwoPcCtpAgreement::new()),
        ("two_pc_ctp_mended", "agreement") => Box::new(TwoPcCtpMendedAgreement::new()),
        ("paxos_forgetful", _) => Box::new(PaxosForgetful::new()),
        ("paxos_synod", _) => Box::new(PaxosSynod::new()),
        _ => panic!("{protocol} is not asked for {promise}"),
    }
}
