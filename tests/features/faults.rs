//! Every kind of fault beyond losses and crashes for good.

feature! {
    a_delayed_message_arrives_later, eot 5,
    { got(Y, V)@async :- say(X, Y, V); say("a", "b", 1)@1; say("a", "b", 2)@2; here("b")@1; }
    ["delay a->b@1 by 1"] "got@2" => "", "got@3" => "b 1, b 2";
    ["delay a->b@1 by 2"] "got@3" => "b 2", "got@4" => "b 1";
    ["delay a->b@1 by 9"] "got@2" => "", "got@5" => "";
}

feature! {
    a_copy_arrives_as_well, eot 5,
    { got(Y, V)@async :- say(X, Y, V); say("a", "b", 1)@1; here("b")@1; }
    ["duplicate a->b@1 by 2"] "got@2" => "b 1", "got@3" => "", "got@4" => "b 1";
    ["delay a->b@1 by 1; duplicate a->b@1 by 2; duplicate a->b@1 by 3"] "got@2" => "", "got@3" => "b 1", "got@4" => "b 1",
        "got@5" => "b 1";
}

feature! {
    a_partition_cuts_both_ways_for_a_while, eot 4,
    { got(Y, X)@async :- link(X, Y); link(X, Y)@next :- link(X, Y); link("a", "b")@1; link("b", "a")@1; link("a", "c")@1;
      here("c")@1; }
    ["partition a|b,c@1 until 3"] "got@2" => "", "got@3" => "", "got@4" => "a b, b a, c a";
    ["partition a,c|b@1 until 2"] "got@2" => "c a", "got@3" => "a b, b a, c a";
}

feature! {
    what_is_stable_comes_back, eot 5,
    { stable kept;
      kept(X, V)@next :- kept(X, V); loose(X, V)@next :- loose(X, V); seen(X, V) :- kept(X, V); seen(X, V) :- loose(X, V);
      kept(X, V)@async :- ping(Y, X, V); up(X)@next :- boot(X); was(N, T) :- here(N), restart(N, "a", T);
      gone(N, T) :- here(N), crash(N, "a", T); here(N)@next :- here(N);
      kept("a", 1)@1; loose("a", 2)@1; ping("b", "a", 3)@2; ping("b", "a", 4)@3; here("b")@1; }
    ["crash a@2; restart a@4"] "seen@2" => "a 1, a 2", "seen@3" => "a 1", "seen@4" => "a 1, a 4", "boot@4" => "a",
        "up@5" => "a", "was@1" => "b 4", "gone@5" => "b 2";
    ["crash a@2; restart a@3; crash a@4"] "seen@3" => "a 1, a 3", "seen@5" => "a 1, a 3, a 4", "gone@1" => "b 2, b 4";
    ["crash a@2"] "seen@5" => "a 1, a 2, a 3, a 4", "boot@4" => "";
}

feature! {
    a_node_that_is_down_neither_steps_nor_sends, eot 4,
    { tick(X, T + 1)@next :- tick(X, T); told(Y, T)@async :- tick(X, T), link(X, Y); link(X, Y)@next :- link(X, Y);
      self(X, T)@async :- tick(X, T);
      stable tick, link; tick("a", 0)@1; link("a", "b")@1; here("b")@1; }
    ["crash a@2; restart a@3"] "tick@3" => "a 1", "tick@4" => "a 2", "told@2" => "b 0", "told@3" => "", "told@4" => "b 1",
        "self@3" => "";
    ["crash a@2"] "tick@4" => "a 3", "told@3" => "", "self@3" => "a 1";
}

feature! {
    a_paused_node_goes_on_with_nothing_lost, eot 5,
    { tick(X, T + 1)@next :- tick(X, T); got(Y, V)@async :- say(X, Y, V); kept(X, V)@next :- got(X, V);
      tick("a", 0)@1; say("b", "a", 7)@1; }
    ["pause a@2 until 4"] "tick@2" => "a 1", "tick@4" => "a 1", "tick@5" => "a 2", "got@4" => "a 7", "kept@5" => "a 7";
}

feature! {
    what_a_view_shows_is_not_kept, eot 4,
    { q(X)@next :- p(X); r(X) :- q(X), notin p(X); p("a")@1; p("a")@3; }
    ["pause a@2 until 4"] "q@4" => "a", "r@2" => "a", "r@3" => "", "r@4" => "";
}

feature! {
    inputs_come_if_they_are_given, eot 4,
    { maybe timeout("a")@1..3; maybe ask("b", 2)@2; late(X)@next :- timeout(X); late(X)@next :- late(X);
      got(Y, V)@async :- ask(X, V), here(Y); here("a")@2; }
    [""] "late@4" => "", "got@3" => "";
    ["give timeout(\"a\")@2"] "late@2" => "", "late@3" => "a", "late@4" => "a";
    ["give ask(\"b\", 2)@2"] "got@3" => "a 2";
    ["give ask(\"b\", 2)@2; lose b->a@2; give timeout(\"a\")@3"] "got@3" => "", "late@4" => "a";
}

feature! {
    single_messages_are_struck, eot 4,
    { vote(Y, X, V)@async :- say(X, Y, V); say("a", "b", 1)@1; say("a", "b", 2)@1; here("b")@1; }
    ["lose a->b@1 vote(\"b\", \"a\", 1)"] "vote@2" => "b a 2";
    ["delay a->b@1 vote(\"b\", \"a\", 1) by 1"] "vote@2" => "b a 2", "vote@3" => "b a 1";
    ["duplicate a->b@1 vote(\"b\", \"a\", 2) by 2"] "vote@2" => "b a 1, b a 2", "vote@4" => "b a 2";
    ["lose a->b@1 vote(\"b\", \"a\", 3)"] "vote@2" => "b a 1, b a 2";
}

feature! {
    a_group_is_what_arrives_together, eot 4,
    { n("c", count<X>)@async :- p(X); p("a")@1; p("b")@1; p("c")@1; }
    ["delay b->c@1 by 1"] "n@2" => "c 2", "n@3" => "c 1";
    ["duplicate a->c@1 by 2; duplicate b->c@1 by 2"] "n@2" => "c 3", "n@4" => "c 2";
    ["crash c@2; restart c@3"] "n@2" => "c 1";
}

feature! {
    a_group_is_struck_as_one_message, eot 4,
    { n(Y, X, sum<V>)@async :- p(X, Y, V); p("a", "b", 1)@1; p("a", "b", 2)@1; p("c", "b", 4)@1; p("b", "b", 8)@1; }
    ["delay a->b@1 n(\"b\", \"a\", 3) by 1"] "n@2" => "b b 8, b c 4", "n@3" => "b a 3";
    ["lose c->b@1 n(\"b\", \"c\", 4)"] "n@2" => "b a 3, b b 8";
}

feature! {
    what_is_sent_is_computed_though_it_never_arrives, eot 3,
    { got(Y, 6 / V)@async :- say(X, Y, V); say("a", "b", 0)@1; here("b")@1; }
    ["delay a->b@1 by 9"] "got@3" => "fails";
    ["crash b@1; restart b@3"] "got@3" => "fails";
    ["lose a->b@1 got(\"b\", 1)"] "got@3" => "fails";
    ["partition a|b@1 until 2"] "got@2" => "";
    ["pause a@1 until 3"] "got@3" => "";
}

feature! {
    what_stands_still_computes_no_head, eot 3,
    { q(X, 6 / V)@next :- p(X, V); p("a", 0)@1; here("b")@1; }
    ["crash a@1; restart a@2"] "q@2" => "";
    ["pause a@1 until 3"] "q@3" => "";
    ["crash a@1"] "q@2" => "fails";
}

feature! {
    what_stands_still_reads_its_bodies, eot 3,
    { q(X)@next :- p(X, V), 6 / V > 1; p("a", 0)@1; here("b")@1; }
    ["crash a@1; restart a@2"] "q@2" => "fails";
}

feature! {
    an_integer_never_stands_still, eot 3,
    { q(X)@async :- p(X); r(X)@next :- p(X); p(0)@1; p(1)@1; here("a")@1; here("b")@1; }
    ["pause a@1 until 3; pause b@1 until 3"] "q@2" => "0, 1", "r@2" => "0, 1", "p@2" => "", "here@3" => "a, b";
}
