/** How many there are of what is listed. */
export interface Total {
  total: number;
  /** False when `total` is about right. It is then never less than what is known to exist. */
  isExact: boolean;
}
