//! What the service promises.

use ldfi::prelude::*;

dedalus! {
    /// Who asks is served what was promised.
    pub program KvSpec {
        input acked(str, int, int); input got(str, int, int);
        promised(K, V) :- acked(_, K, V);   promised(K, V)@next :- promised(K, V);
        served(K) :- got(_, K, _);          served(K)@next :- served(K);

        // What clients put grows: who gets less than was promised gets something old.
        err_old(K, V, W) :- got(_, K, V), promised(K, W), V < W;
        pre(K) :- promised(K, _);
        post(K) :- served(K);
    }
}
