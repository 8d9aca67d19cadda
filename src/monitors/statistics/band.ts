/** Expected range of a figure. A side without a limit is null. */
export interface Band {
  low: number | null;
  high: number | null;
}

/** Maximum probability that a figure lies below or above its band by chance; 0 for a side that is not tested. */
export interface Levels {
  low: number;
  high: number;
}

export const isOutside = (figure: number, { low, high }: Band): boolean =>
  (low !== null && figure < low) || (high !== null && figure > high);
