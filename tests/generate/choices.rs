//! Genes read as choices: what proptest shrinks is a row of numbers, and smaller is plainer.

/// A row of genes, read from left to right. Behind its end all genes are 0.
pub struct Choices<'a> {
    genes: &'a [u16],
    at: usize,
}

impl<'a> Choices<'a> {
    /// From the first gene on.
    pub fn new(genes: &'a [u16]) -> Self {
        Choices { genes, at: 0 }
    }

    fn next(&mut self) -> u16 {
        let gene = self.genes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        gene
    }

    /// A number below `n`, which is not 0.
    pub fn pick(&mut self, n: usize) -> usize {
        // By scaling, so that a smaller gene is a smaller number.
        (usize::from(self.next()) * n) >> 16
    }

    /// True that often in a hundred; false is the plainer choice.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.pick(100) >= 100 - percent
    }

    /// One of some, which are not none.
    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.pick(all.len())].clone()
    }

    /// One of some by weight; the first is the plainest.
    pub fn weighted<T: Clone>(&mut self, all: &[(usize, T)]) -> T {
        let mut at = self.pick(all.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in all {
            if at < *weight {
                return item.clone();
            }
            at -= weight;
        }
        unreachable!("the number picked is below the sum of the weights")
    }
}
