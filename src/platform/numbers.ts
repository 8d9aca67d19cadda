/** Beyond these digits sums of doubles hold what adding them has left: 0.000031349999999999996. */
const SIGNIFICANT = 12;
/** Every whole number below is exact. */
const WHOLE = 2 ** 53;

/** A measured number, such as a price, without the digits that come from calculating with doubles. */
export function withoutNoise(value: number): number {
  return Number.isInteger(value) && Math.abs(value) < WHOLE ? value : Number(value.toPrecision(SIGNIFICANT));
}
