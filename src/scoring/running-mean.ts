/** The mean of numbers that come one by one, with Neumaier's compensated summation (1974). */
export class RunningMean {
  count = 0;
  private sum = 0;
  private lost = 0;

  add(value: number, times = 1): void {
    this.count += times;
    const added = value * times;
    const sum = this.sum + added;
    this.lost += Math.abs(this.sum) >= Math.abs(added) ? this.sum - sum + added : added - sum + this.sum;
    this.sum = sum;
  }

  /** null without numbers, and when their sum is too large. */
  get value(): number | null {
    const mean = (this.sum + this.lost) / this.count;
    return this.count > 0 && Number.isFinite(mean) ? mean : null;
  }
}
