//! Messages, losses, crashes.

feature! {
    a_message_arrives_one_step_later_unless_lost, eot 4,
    { got(Y, V)@async :- say(X, V), link(X, Y); link("a", "b")@1; link("a", "c")@1; say("a", 7)@1;
      here("b")@1; here("c")@1; }
    [""] "got@1" => "", "got@2" => "b 7, c 7", "got@3" => "";
    ["lose a->b@1"] "got@2" => "c 7";
    ["lose a->b@2"] "got@2" => "b 7, c 7";
    ["crash a@1"] "got@2" => "";
    ["crash a@2; crash b@1"] "got@2" => "b 7, c 7";
}

feature! {
    a_message_to_oneself_is_never_lost, eot 3,
    { got(X)@async :- say(X); say("a")@1; say("b")@1; }
    ["crash a@1"] "got@2" => "a, b";
}

feature! {
    a_message_to_nowhere_goes_nowhere, eot 3,
    { got(Y)@async :- link(X, Y); link("a", "b")@1; link("a", "nobody")@1; link("b", "a")@1; }
    [""] "got@2" => "a, b";
}

feature! {
    a_message_from_nowhere_goes_nowhere, eot 3,
    { got(Y)@async :- heard(X), link(Y, X); heard(Y) :- link(_, Y); link("a", "ghost")@1; link("a", "a")@1; }
    [""] "heard@1" => "a, ghost", "got@2" => "a";
}

feature! {
    the_sender_is_the_first_column_of_the_first_literal, eot 3,
    { got(Y, X)@async :- Y != X, link(X, Y), here(Y); link("a", "b")@1; here("b")@1; }
    [""] "got@2" => "b a";
    ["lose a->b@1"] "got@2" => "";
    ["crash b@1"] "got@2" => "b a";
}

feature! {
    the_first_literal_may_be_negated_and_still_sends, eot 3,
    { got(Y)@async :- notin mute(X), say(X, Y); say("a", "b")@1; say("b", "a")@1; say("c", "b")@1; mute("c")@1; }
    [""] "got@2" => "a, b";
    ["lose a->b@1"] "got@2" => "a";
}

feature! {
    sender_and_receiver_may_be_constants, eot 3,
    { got("b", V)@async :- say("a", V); say("a", 1)@1; say("b", 2)@1; }
    [""] "got@2" => "b 1";
    ["lose a->b@1"] "got@2" => "";
}

feature! {
    an_integer_is_no_node_but_may_send_to_itself, eot 3,
    { q(X)@async :- p(X, _); r(Y)@async :- p(Z, Y), s(Z); r(Y)@async :- p(X, Y); p(1, 2)@1; p(3, 3)@1; s(2)@1; }
    [""] "q@2" => "1, 3", "r@2" => "3";
}

feature! {
    a_retry_survives_a_loss, eot 4,
    { node(X, Y)@next :- node(X, Y); log(X, V)@next :- log(X, V); log(Y, V)@async :- log(X, V), node(X, Y);
      log("a", "data")@1; node("a", "b")@1; node("b", "a")@1; }
    ["lose a->b@1"] "log@2" => "a data", "log@3" => "a data, b data";
}

feature! {
    an_ack_stops_the_sender, eot 5,
    { rbcast(Y, X, V)@async :- log(X, V), node(X, Y), notin ack(X, Y, V);
      ack(X, Y, V)@next :- ack(X, Y, V);
      ack(X, Y, V)@async :- rbcast(Y, X, V);
      node(X, Y)@next :- node(X, Y);  log(X, V)@next :- log(X, V);  log(Y, V) :- rbcast(Y, _, V);
      log("a", "data")@1; node("a", "b")@1; here("b")@1; }
    [""] "rbcast@2" => "b a data", "rbcast@3" => "b a data", "rbcast@4" => "", "ack@5" => "a b data";
    ["lose b->a@2"] "rbcast@4" => "b a data";
}

feature! {
    crashes_are_seen_by_every_node_at_every_time, eot 3,
    { down(N, M, T) :- here(N), crash(N, M, T), M != N; here(N)@next :- here(N); here("a")@1; here("b")@1; here("c")@1; }
    ["crash b@2"] "down@1" => "a b 2, c b 2", "down@3" => "a b 2, c b 2";
    [""] "down@1" => "";
}

feature! {
    the_crashed_are_exempt, eot 3,
    { fine(N) :- here(N), notin crash(_, N, _); early(N) :- here(N), notin crash(N, N, 1);
      here(N)@next :- here(N); here("a")@1; here("b")@1; }
    ["crash b@2"] "fine@1" => "a", "fine@3" => "a", "early@3" => "a, b";
    ["crash b@1"] "early@3" => "a";
}

feature! {
    the_crashes_of_the_future_are_not_read, eot 3,
    { old(N) :- here(N), crash(N, _, _)@2; free(N) :- here(N), notin crash(N, _, _)@2; here(N)@next :- here(N);
      here("a")@1; here("b")@1; }
    ["crash b@1"] "old@1" => "", "old@2" => "a, b", "free@1" => "a, b", "free@2" => "";
}

feature! {
    what_a_lost_message_would_have_said_is_not_computed, eot 3,
    { got(Y, 6 / V, count<V>)@async :- say(X, Y, V); told(Y, 6 / V, V)@async :- say(X, Y, V);
      say("a", "b", 0)@1; say("b", "b", 3)@1; }
    [""] "told@2" => "fails";
    ["lose a->b@1"] "told@2" => "b 2 3", "got@2" => "b 2 1";
}

feature! {
    a_rule_may_read_two_places, eot 3,
    { both(X)@next :- p(X), p(Y), X != Y; p("a")@1; p("b")@1; }
    [""] "both@2" => "a, b";
}
