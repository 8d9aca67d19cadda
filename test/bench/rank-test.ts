export interface RankTest {
  /**
   * Share of pairs (one value of each sample) in which the first is larger; ties count half. At 0.5 the samples do not
   * differ.
   */
  larger: number;
  /** Standard normal deviate of the Mann–Whitney test. Beyond ±2.58 chance alone is one in a hundred. */
  z: number;
}

/** Compares two samples by their ranks (Mann–Whitney), which outliers of a busy machine do not disturb. */
export function rankTest(first: readonly number[], second: readonly number[]): RankTest {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ];
  all.sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to]!.value === all[from]!.value) to += 1;
    // Equal values share the mean of their ranks.
    const rank = (from + 1 + to) / 2;
    rankSum += rank * all.slice(from, to).filter(({ isFirst }) => isFirst).length;
    from = to;
  }
  const [n, m] = [first.length, second.length];
  const u = rankSum - (n * (n + 1)) / 2;
  return { larger: u / (n * m), z: (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12) };
}
