//! When things hold.

feature! {
    a_fact_holds_at_its_time_only, eot 3,
    { q(X) :- p(X); p("a")@2; p("b")@9; }
    [""] "q@1" => "", "q@2" => "a", "q@3" => "", "p@2" => "a";
}

feature! {
    a_fact_may_hold_at_several_times, eot 3,
    { q(X) :- p(X); p("a")@1; p("a")@3; }
    [""] "q@1" => "a", "q@2" => "", "q@3" => "a";
}

feature! {
    a_fact_and_a_rule_may_give_the_same_tuple, eot 2,
    { p(X)@next :- p(X); p(X) :- q(X); p("a")@1; p("a")@2; q("a")@2; }
    [""] "p@1" => "a", "p@2" => "a";
}

feature! {
    next_leads_one_step_on_and_stops_at_the_end, eot 3,
    { count(N, I + 1)@next :- count(N, I); count("a", 0)@1; }
    [""] "count@1" => "a 0", "count@2" => "a 1", "count@3" => "a 2";
    ["crash a@1"] "count@3" => "a 2";
}

feature! {
    what_persists_until_told_otherwise, eot 4,
    { on(N)@next :- on(N), notin off(N); on("a")@1; on("b")@1; off("a")@2; }
    [""] "on@2" => "a, b", "on@3" => "b", "on@4" => "b";
}

feature! {
    a_body_time_reads_the_past_and_the_present, eot 4,
    { q(X) :- now(X), p(X)@2; now(X)@next :- now(X); now("a")@1; p("a")@2; }
    [""] "q@1" => "", "q@2" => "a", "q@3" => "a", "q@4" => "a";
}

feature! {
    a_body_time_looks_up_by_some_columns, eot 4,
    { q(X, Z) :- now(X), p(X, Z)@2; r(X) :- now(X), p(X, 7)@2; now(X)@next :- now(X);
      now("a")@1; p("a", 7)@2; p("a", 8)@2; p("b", 9)@2; p("a", 1)@3; }
    [""] "q@1" => "", "q@3" => "a 7, a 8", "r@4" => "a";
}

feature! {
    absence_at_a_fixed_time, eot 4,
    { q(X) :- now(X), notin p(X)@2; none(X) :- now(X), notin p(_)@3; now(X)@next :- now(X);
      now("a")@1; now("b")@1; p("a")@2; }
    [""] "q@1" => "a, b", "q@2" => "b", "q@4" => "b", "none@2" => "a, b", "none@4" => "a, b";
}

feature! {
    a_time_beyond_any_clock_is_never_read, eot 2,
    { q(X) :- p(X), notin p(X)@99999999999; r(X) :- p(X), p(X)@99999999999; p("a")@1; p("b")@99999999999; }
    [""] "q@1" => "a", "r@2" => "";
}

feature! {
    a_message_read_at_its_time_of_arrival, eot 4,
    { got(Y)@async :- say(X), link(X, Y); late(Y) :- now(Y), got(Y)@2; now(X)@next :- now(X); now("b")@1;
      say("a")@1; link("a", "b")@1; }
    [""] "late@4" => "b";
    ["lose a->b@1"] "late@4" => "";
}
