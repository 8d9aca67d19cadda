/** What is expected of a figure; null where it has no end. */
export interface Band {
  low: number | null;
  high: number | null;
}

/** How probable it may be by chance that a figure lies below or above its band; 0 where that side is not looked at. */
export interface Levels {
  low: number;
  high: number;
}

export const isOutside = (figure: number, { low, high }: Band): boolean =>
  (low !== null && figure < low) || (high !== null && figure > high);
