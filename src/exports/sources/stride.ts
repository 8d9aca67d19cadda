const FIRST_ROWS = 2000;
const MOST_ROWS = 1_000_000;
/** Below this nothing is gained by looking at fewer rows. */
const FEWEST_ROWS = 8;
/** A statement that takes less is asked for more the next time, one that takes longer for less. */
const SOON_MS = 500;
const LATE_MS = 2000;

/**
 * Number of rows that one statement reads. It adapts so that a statement takes about a second: a filter may use an index,
 * or read every text.
 */
export class Stride {
  rows = FIRST_ROWS;

  get isShortest(): boolean {
    return this.rows === FEWEST_ROWS;
  }

  took(milliseconds: number): void {
    if (milliseconds < SOON_MS) this.rows = Math.min(MOST_ROWS, this.rows * 4);
    else if (milliseconds > LATE_MS) this.shortenTo(this.rows / 2);
  }

  /** After a statement that was given up. */
  shorten(): void {
    this.shortenTo(this.rows / 8);
  }

  private shortenTo(rows: number): void {
    this.rows = Math.max(FEWEST_ROWS, Math.floor(rows));
  }
}
