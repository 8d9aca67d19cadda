/** Draws without replacement from a population of which some are marked. */
export interface Draws {
  population: number;
  marked: number;
  draws: number;
}

/** Terms below this share of the sum are dropped. */
const NEGLIGIBLE = 1e-17;

/** The probability that at least `hits` of the draws are marked. Exact but for rounding. */
export function atLeast(hits: number, draws: Draws): number {
  return tail(hits, draws, 1);
}

/** The probability that at most `hits` of the draws are marked. */
export function atMost(hits: number, draws: Draws): number {
  return tail(hits, draws, -1);
}

/** Sums terms outwards, each computed from the one before. On the other side of the mean it takes the complement. */
function tail(hits: number, draws: Draws, step: 1 | -1): number {
  const { least, most } = rangeOf(draws);
  const [first, last] = step === 1 ? [least, most] : [most, least];
  if ((hits - first) * step <= 0) return 1;
  if ((last - hits) * step < 0) return 0;
  const mean = (draws.draws * draws.marked) / draws.population;
  if ((hits - mean) * step < 0) return Math.max(0, 1 - tail(hits - step, draws, step === 1 ? -1 : 1));
  let term = Math.exp(logProbability(hits, draws));
  let sum = 0;
  for (let at = hits; (last - at) * step >= 0 && term > sum * NEGLIGIBLE; at += step) {
    sum += term;
    term *= ratio(at, draws, step);
  }
  return Math.min(1, sum);
}

/** The probability of the next or the previous number of hits, divided by that of `hits`. */
function ratio(hits: number, { population, marked, draws }: Draws, step: 1 | -1): number {
  const unmarkedLeft = population - marked - draws;
  if (step === 1) return ((marked - hits) * (draws - hits)) / ((hits + 1) * (unmarkedLeft + hits + 1));
  return (hits * (unmarkedLeft + hits)) / ((marked - hits + 1) * (draws - hits + 1));
}

const rangeOf = ({ population, marked, draws }: Draws) => ({
  least: Math.max(0, draws + marked - population),
  most: Math.min(draws, marked),
});

function logProbability(hits: number, { population, marked, draws }: Draws): number {
  return logChoose(marked, hits) + logChoose(population - marked, draws - hits) - logChoose(population, draws);
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** Log factorials below this number come from a table. */
const TABULATED = 256;
const LOG_FACTORIALS = Array.from({ length: TABULATED }, () => 0);
for (let n = 2; n < TABULATED; n++) LOG_FACTORIALS[n] = LOG_FACTORIALS[n - 1]! + Math.log(n);

/** Stirling's series; from 256 on its error is below 1e-16. */
function logFactorial(n: number): number {
  if (n < TABULATED) return LOG_FACTORIALS[n]!;
  const inverse = 1 / n;
  const series = (inverse * (1 - (inverse * inverse) / 30)) / 12 + inverse ** 5 / 1260;
  return (n + 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + series;
}
