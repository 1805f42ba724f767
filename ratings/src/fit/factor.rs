//! Which differences of strengths results tell, and how well: the covariance of the strengths, as a product of a matrix
//! with itself.

use libm::sqrt;

/// A matrix Z, of a row for each bot, so that Z Zᵀ is the covariance of the strengths. The variance of a difference of
/// two strengths is the squared distance of their rows.
#[derive(Clone, Debug)]
pub struct Factor {
    columns: usize,
    /// Row by row.
    numbers: Vec<f64>,
}

impl Factor {
    /// The exact one: `information` is the inverse of the covariance, symmetric and positive definite, row by row; of
    /// it only what is not above the diagonal counts. By Cholesky's decomposition into L Lᵀ, of which Z is the inverse,
    /// transposed: about ⅔ n³ operations for n bots.
    ///
    /// # Panics
    /// When it has not as many rows as columns.
    pub fn of(mut information: Vec<f64>, bots: usize) -> Self {
        assert_eq!(information.len(), bots * bots, "the matrix is square");
        for row in 0..bots {
            let (above, own) = information.split_at_mut(row * bots);
            for column in 0..row {
                let other = &above[column * bots..][..=column];
                let rest = own[column] - dot(&own[..column], &other[..column]);
                own[column] = rest / other[column];
            }
            own[row] = sqrt(own[row] - dot(&own[..row], &own[..row]));
        }
        let mut numbers = vec![0.0; bots * bots];
        for (bot, row) in numbers.chunks_exact_mut(bots.max(1)).enumerate() {
            row[bot] = 1.0 / information[bot * bots + bot];
            for at in bot + 1..bots {
                let lower = &information[at * bots..][..=at];
                row[at] = -dot(&lower[bot..at], &row[bot..at]) / lower[at];
            }
        }
        Factor {
            columns: bots,
            numbers,
        }
    }

    /// One of these columns. Where they are combinations of the columns of an exact one, drawn with random signs, the
    /// variances are estimates: of k columns, with a relative error of about √(2 / k).
    ///
    /// # Panics
    /// When they are not of one length.
    pub fn of_columns(columns: &[Vec<f64>], bots: usize) -> Self {
        let all = columns.len();
        let mut numbers = vec![0.0; bots * all];
        for (at, column) in columns.iter().enumerate() {
            assert_eq!(column.len(), bots, "a column has a number for each bot");
            for (bot, number) in column.iter().enumerate() {
                numbers[bot * all + at] = *number;
            }
        }
        Factor {
            columns: all,
            numbers,
        }
    }

    /// The rows of these bots.
    pub fn of_bots(&self, bots: &[usize]) -> Self {
        Factor {
            columns: self.columns,
            numbers: bots
                .iter()
                .flat_map(|&bot| self.row(bot))
                .copied()
                .collect(),
        }
    }

    /// The covariance, row by row.
    pub fn covariance(&self) -> Vec<f64> {
        let rows = || self.numbers.chunks_exact(self.columns.max(1));
        rows()
            .flat_map(|one| rows().map(move |other| dot(one, other)))
            .collect()
    }

    /// The difference of two rows.
    fn along(&self, one: usize, other: usize) -> Vec<f64> {
        let rows = self.row(one).iter().zip(self.row(other));
        rows.map(|(x, y)| x - y).collect()
    }

    /// The row of a bot.
    pub fn row(&self, bot: usize) -> &[f64] {
        &self.numbers[bot * self.columns..][..self.columns]
    }

    /// The mean of these bots' rows. None without one.
    pub fn mean(&self, bots: impl Iterator<Item = usize>) -> Option<Vec<f64>> {
        let mut sum = vec![0.0; self.columns];
        let mut number = 0.0;
        for bot in bots {
            number += 1.0;
            let row = self.row(bot).iter();
            sum.iter_mut().zip(row).for_each(|(sum, row)| *sum += row);
        }
        sum.iter_mut().for_each(|sum| *sum /= number);
        (number > 0.0).then_some(sum)
    }

    /// The variance of the difference of two strengths.
    pub fn variance(&self, one: usize, other: usize) -> f64 {
        let (one, other) = (self.row(one).iter(), self.row(other));
        one.zip(other).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    /// The squared distance of a bot's row from another one.
    pub fn distance(&self, bot: usize, from: &[f64]) -> f64 {
        let row = self.row(bot).iter();
        row.zip(from).map(|(x, y)| (x - y) * (x - y)).sum()
    }

    /// More is known of the difference of two, by so much information: the covariance becomes what it is then. Takes as
    /// many operations as the matrix has numbers, four times.
    pub fn learn(&mut self, one: usize, other: usize, information: f64) {
        let along = self.along(one, other);
        let variance = dot(&along, &along);
        // (1 - part along alongᵀ)² = 1 - information / (1 + information variance) along alongᵀ.
        let left = 1.0 / sqrt(1.0 + information * variance);
        if variance <= 0.0 {
            return;
        }
        let part = (1.0 - left) / variance;
        for row in self.numbers.chunks_exact_mut(self.columns) {
            let amount = part * dot(row, &along);
            row.iter_mut()
                .zip(&along)
                .for_each(|(number, along)| *number -= amount * along);
        }
    }
}

/// How strengths vary together: in full, or as a factor.
#[derive(Clone, Debug)]
pub enum Covariance {
    /// The covariance, row by row, of so many strengths.
    Exactly(usize, Vec<f64>),
    /// One of which the product with itself is about the covariance.
    About(Factor),
}

impl Covariance {
    /// The variance of the difference of two strengths.
    pub fn variance(&self, one: usize, other: usize) -> f64 {
        match self {
            Covariance::Exactly(bots, all) => {
                let at = |row: usize, column: usize| all[row * bots + column];
                at(one, one) + at(other, other) - 2.0 * at(one, other)
            }
            Covariance::About(factor) => factor.variance(one, other),
        }
    }

    /// How each strength varies with the difference of these two: to be asked for by bot.
    pub fn with_difference(&self, one: usize, other: usize) -> impl Fn(usize) -> f64 + '_ {
        let along = match self {
            Covariance::Exactly(..) => Vec::new(),
            Covariance::About(factor) => factor.along(one, other),
        };
        move |bot| match self {
            Covariance::Exactly(bots, all) => all[bot * bots + one] - all[bot * bots + other],
            Covariance::About(factor) => dot(factor.row(bot), &along),
        }
    }

    /// By bot, the variance of its difference from the average.
    pub fn off_average(&self) -> Vec<f64> {
        match self {
            Covariance::Exactly(bots, all) => {
                let number = *bots as f64;
                let with_average: Vec<f64> = (all.chunks_exact(*bots))
                    .map(|row| row.iter().sum::<f64>() / number)
                    .collect();
                let average = with_average.iter().sum::<f64>() / number;
                let own = (0..*bots).map(|bot| all[bot * bots + bot]);
                own.zip(&with_average)
                    .map(|(own, with)| own + average - 2.0 * with)
                    .collect()
            }
            Covariance::About(factor) => {
                let bots = factor.numbers.len() / factor.columns;
                let average = factor.mean(0..bots).unwrap_or_default();
                (0..bots)
                    .map(|bot| factor.distance(bot, &average))
                    .collect()
            }
        }
    }

    /// More is known of the difference of two, by so much information: the covariance becomes what it is then.
    pub fn learn(&mut self, one: usize, other: usize, information: f64) {
        let variance = self.variance(one, other);
        match self {
            Covariance::Exactly(bots, all) => {
                let along: Vec<f64> = (all.chunks_exact(*bots))
                    .map(|row| row[one] - row[other])
                    .collect();
                let part = information / (1.0 + information * variance);
                for (row, own) in all.chunks_exact_mut(*bots).zip(&along) {
                    let amount = part * own;
                    row.iter_mut()
                        .zip(&along)
                        .for_each(|(number, along)| *number -= amount * along);
                }
            }
            Covariance::About(factor) => factor.learn(one, other, information),
        }
    }
}

/// The sum of products, in eight sums that a processor can make at once.
pub fn dot(one: &[f64], other: &[f64]) -> f64 {
    const AT_ONCE: usize = 8;
    let (one, other) = (one.chunks_exact(AT_ONCE), other.chunks_exact(AT_ONCE));
    let rest = one.remainder().iter().zip(other.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    let mut sums = [0.0; AT_ONCE];
    for (one, other) in one.zip(other) {
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += one[at] * other[at];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{information, inverse};

    fn matrix(bots: usize, games: &[(usize, usize, f64)]) -> Vec<f64> {
        let games = games.iter();
        let games = games.map(|&(one, other, told)| (one % bots, other % bots, told));
        information(bots, 0.25, games)
    }

    fn games() -> impl Strategy<Value = Vec<(usize, usize, f64)>> {
        proptest::collection::vec((0usize..20, 0usize..20, 0.01..50.0), 0..60)
    }

    proptest! {
        #[test]
        fn variances_are_those_of_the_inverse(bots in 1usize..20, games in games()) {
            let factor = Factor::of(matrix(bots, &games), bots);
            let inverse = inverse(&matrix(bots, &games), bots);
            for one in 0..bots {
                for other in 0..bots {
                    let at = |one: usize, other: usize| inverse[one * bots + other];
                    let variance = at(one, one) + at(other, other) - 2.0 * at(one, other);
                    prop_assert!((factor.variance(one, other) - variance).abs() < 1e-9);
                    prop_assert!((dot(factor.row(one), factor.row(other)) - at(one, other)).abs() < 1e-9);
                }
            }
        }

        #[test]
        fn what_is_learnt_is_as_if_it_had_been_known(bots in 2usize..20, games in games(), more in games()) {
            let mut factor = Factor::of(matrix(bots, &games), bots);
            let mut exact = Covariance::Exactly(bots, factor.covariance());
            for &(one, other, information) in &more {
                if one % bots != other % bots {
                    factor.learn(one % bots, other % bots, information);
                    exact.learn(one % bots, other % bots, information);
                }
            }
            let Covariance::Exactly(_, covariance) = exact else { unreachable!() };
            let all = [games, more].concat();
            let known = Factor::of(matrix(bots, &all), bots);
            let average = known.mean(0..bots).unwrap();
            let (of_factor, of_covariance) = (Covariance::About(factor), Covariance::Exactly(bots, covariance));
            for known_so in [of_factor, of_covariance] {
                for (bot, learnt) in known_so.off_average().into_iter().enumerate() {
                    prop_assert!((learnt - known.distance(bot, &average)).abs() < 1e-9);
                }
                for one in 0..bots {
                    for other in 0..one {
                        let (learnt, known) = (known_so.variance(one, other), known.variance(one, other));
                        prop_assert!((learnt - known).abs() < 1e-9, "{} {}", learnt, known);
                        let with = known_so.with_difference(one, other);
                        prop_assert!((with(one) - with(other) - learnt).abs() < 1e-9);
                    }
                }
            }
        }
    }
}
