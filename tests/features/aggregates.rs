//! Aggregates.

feature! {
    aggregates_range_over_distinct_values, eot 2,
    { s(N, count<V>, min<V>, max<V>, sum<V>, avg<V>) :- p(N, _, V);
      p("a", 1, 5)@1; p("a", 2, 5)@1; p("a", 3, -2)@1; p("b", 1, -7)@1; p("b", 2, 0)@1; }
    [""] "s@1" => "a 2 -2 5 3 1, b 2 -7 0 -7 -3";
}

feature! {
    strings_can_be_counted_and_ordered, eot 2,
    { s(count<V>, min<V>, max<V>) :- p(V), V >= "b"; p("a")@1; p("b")@1; p("ba")@1; p("c")@1; }
    [""] "s@1" => "3 b c";
}

feature! {
    an_empty_group_yields_nothing, eot 2,
    { s(count<V>) :- p(_, V), V > 9; t(N, max<V>) :- p(N, V), V > 1; p("a", 1)@1; p("b", 2)@1; }
    [""] "s@1" => "", "t@1" => "b 2";
}

feature! {
    an_aggregate_may_stand_before_its_group, eot 2,
    { s(max<V>, N, count<M>) :- p(N, M, V); p("a", "x", 1)@1; p("a", "y", 3)@1; p("b", "x", 2)@1; }
    [""] "s@1" => "2 b 1, 3 a 2";
}

feature! {
    groups_may_be_computed, eot 2,
    { s(I / 2, sum<I>) :- p(I); p(1)@1; p(2)@1; p(3)@1; p(5)@1; }
    [""] "s@1" => "0 1, 1 5, 2 5";
}

feature! {
    an_aggregate_of_an_aggregate, eot 2,
    { votes(X, count<N>) :- vote(N, X); most(max<C>) :- votes(_, C); winner(X) :- votes(X, C), most(C);
      vote("a", "x")@1; vote("b", "x")@1; vote("c", "y")@1; }
    [""] "winner@1" => "x", "most@1" => "2";
}

feature! {
    an_aggregate_may_take_a_step, eot 3,
    { total(N, sum<V>)@next :- p(N, V); p("a", 1)@1; p("a", 2)@1; }
    [""] "total@1" => "", "total@2" => "a 3", "total@3" => "";
}

feature! {
    lost_messages_do_not_count, eot 3,
    { n("c", count<X>)@async :- p(X); p("a")@1; p("b")@1; p("c")@1; }
    [""] "n@2" => "c 3";
    ["lose b->c@1"] "n@2" => "c 2";
    ["crash a@1; crash b@1"] "n@2" => "c 1";
}

feature! {
    a_quorum_of_answers, eot 4,
    { vote("a", N)@async :- here(N); quorum(X) :- votes(X, C), C >= 2; votes(X, count<N>) :- vote(X, N);
      here("a")@1; here("b")@1; here("c")@1; }
    [""] "quorum@2" => "a";
    ["crash b@1; lose c->a@1"] "quorum@2" => "", "votes@2" => "a 1";
}

feature! {
    an_aggregate_feeds_a_recursion, eot 2,
    { far(X, max<D>) :- seen(X, D); far(Y, D) :- far(X, D), near(X, Y);
      seen("a", 3)@1; seen("a", 1)@1; near("a", "b")@1; near("b", "c")@1; }
    [""] "far@1" => "a 3, b 3, c 3";
}

feature! {
    only_a_total_that_does_not_fit_is_an_overflow, eot 2,
    { q(sum<X>) :- p(X); half(avg<X>) :- p(X); p(9223372036854775807)@1; p(1)@1; p(-1)@1; }
    [""] "q@1" => "9223372036854775807", "half@1" => "3074457345618258602";
}

feature! {
    a_total_that_does_not_fit_fails, eot 2,
    { q(sum<X>) :- p(X); p(9223372036854775807)@2; p(1)@2; }
    [""] "q@1" => "fails";
}
