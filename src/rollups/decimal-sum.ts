/** Adds decimal numbers as the database writes them, without rounding. */
export class DecimalSum {
  private digits = 0n;
  private scale = 0;

  add(decimal: string): void {
    const [whole, fraction = ''] = decimal.split('.');
    const scale = Math.max(this.scale, fraction.length);
    this.digits *= 10n ** BigInt(scale - this.scale);
    this.digits += BigInt(whole + fraction) * 10n ** BigInt(scale - fraction.length);
    this.scale = scale;
  }

  /** The number closest to the sum. */
  toNumber(): number {
    return Number(`${this.digits}e-${this.scale}`);
  }
}
