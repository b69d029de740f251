//! Components of a dependency graph.

/// The strongly connected components of `0..n`, where an edge `(a, b)` says that `a` needs `b`: each after
/// all that it needs (Tarjan's algorithm with an explicit stack).
pub fn components(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut needs: Vec<Vec<usize>> = vec![vec![]; n];
    for &(node, needed) in edges {
        needs[node].push(needed);
    }
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut stack, mut on_stack, mut out, mut count) = (vec![], vec![false; n], vec![], 0);
    for start in 0..n {
        let mut work = vec![(start, 0)];
        while let Some((v, child)) = work.pop() {
            if child == 0 {
                if index[v] != usize::MAX {
                    continue;
                }
                (index[v], low[v]) = (count, count);
                count += 1;
                stack.push(v);
                on_stack[v] = true;
            } else {
                low[v] = low[v].min(low[needs[v][child - 1]]);
            }
            let next = (child..needs[v].len()).find(|&c| {
                let w = needs[v][c];
                if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                index[w] == usize::MAX
            });
            if let Some(c) = next {
                work.push((v, c + 1));
                work.push((needs[v][c], 0));
                continue;
            }
            if low[v] == index[v] {
                let at = stack.iter().rposition(|&w| w == v).unwrap_or(0);
                let mut members = stack.split_off(at);
                members.iter().for_each(|&w| on_stack[w] = false);
                members.sort_unstable();
                out.push(members);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_comes_after_what_it_needs() {
        assert_eq!(components(4, &[(0, 1), (1, 2), (2, 1), (3, 0)]), [vec![1, 2], vec![0], vec![3]]);
    }
}
