/** The number of listed items. */
export interface Total {
  total: number;
  /** False for an approximate `total`. It is then never less than the known number. */
  isExact: boolean;
}
