import { sum } from './estimates.js';

/** So many differences have so few ways to turn their signs (65,536) that all are tried. */
const MOST_EXACT = 16;
const DRAWS = 10_000;

/**
 * How probable a sum of differences at least as far from 0 as theirs would be if each could as well have had the other sign.
 * Of many differences 10,000 ways to turn the signs are drawn at random; the one that was observed counts as one of them.
 */
export function permutationProbability(differences: number[], seed: number): { pValue: number; isExact: boolean } {
  const sizes = differences.map(Math.abs);
  // Sums of the same numbers in another order may differ in their last digits.
  const observed = Math.abs(sum(differences)) - 1e-9 * sum(sizes);
  if (sizes.length <= MOST_EXACT) {
    const ways = 2 ** sizes.length;
    let extreme = 0;
    for (let signs = 0; signs < ways; signs++) if (Math.abs(withSigns(sizes, () => signs)) >= observed) extreme++;
    return { pValue: extreme / ways, isExact: true };
  }
  const random = randomBits(seed);
  let extreme = 0;
  for (let draw = 0; draw < DRAWS; draw++) if (Math.abs(withSigns(sizes, random)) >= observed) extreme++;
  return { pValue: (extreme + 1) / (DRAWS + 1), isExact: false };
}

/** The sum with the signs that bits say; `bits` is asked for the next 32 of them. */
function withSigns(sizes: number[], bits: () => number): number {
  let [total, signs] = [0, 0];
  for (let index = 0; index < sizes.length; index++) {
    signs = index % 32 === 0 ? bits() : signs >>> 1;
    total += (signs & 1) === 1 ? -sizes[index]! : sizes[index]!;
  }
  return total;
}

/** Numbers of 32 random bits, the same ones for the same seed (mulberry32). */
function randomBits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (bits ^ (bits >>> 14)) >>> 0;
  };
}
