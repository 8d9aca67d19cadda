/** Formats numbers as text in the way of Python. Used by templates and by f-string prompts. */

/** A value that cannot be formatted: Python would raise an error here. */
export class FormatError extends Error {}

/** JavaScript's own limit for decimals; Python has none. */
const MAX_PRECISION = 100;

function assertPrecision(precision: number): void {
  if (precision > MAX_PRECISION) throw new FormatError('precision too big');
}

/** `repr(float)`: the shortest digits that read back as the same number, always marked as a float. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const [mantissa, exponent] = splitExponent(value.toExponential());
  if (Object.is(value, -0)) return '-0.0';
  if (exponent >= -4 && exponent < 16) return positional(value, mantissa, exponent);
  return mantissa + exponentSuffix(exponent);
}

export function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

function splitExponent(text: string): [string, number] {
  const at = text.indexOf('e');
  return [text.slice(0, at), Number(text.slice(at + 1))];
}

function positional(value: number, mantissa: string, exponent: number): string {
  const digits = mantissa.replace(/[-.]/g, '').length;
  return value.toFixed(Math.max(1, digits - 1 - exponent));
}

function exponentSuffix(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Fixed decimals, ties to the even digit. `toFixed` alone rounds ties up. */
export function fixed(value: number, precision: number): string {
  assertPrecision(precision);
  const magnitude = Math.abs(value);
  const sign = isNegative(value) ? '-' : '';
  if (magnitude >= 1e21)
    return sign + BigInt(magnitude).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
  return sign + evenAtTie(magnitude.toFixed(precision), magnitude.toFixed(longer(precision)), precision);
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

function longer(precision: number): number {
  return Math.min(MAX_PRECISION, precision + 30);
}

/** The rounded text, or the truncated one where that is the even one of two equally near. */
function evenAtTie(rounded: string, exact: string, precision: number): string {
  const end = exact.indexOf('.') + 1 + precision;
  // A tie has exactly one decimal more than asked for, and it is a 5.
  if (precision >= MAX_PRECISION || !/^50*$/.test(exact.slice(end))) return rounded;
  const cut = exact.slice(0, end).replace(/\.$/, '');
  return /[02468]$/.test(cut) ? cut : rounded;
}

/** `%e`: one digit, decimals, an exponent of at least two digits. */
export function scientific(value: number, precision: number): string {
  assertPrecision(precision);
  const magnitude = Math.abs(value);
  const [rounded, exponent] = splitExponent(magnitude.toExponential(precision));
  const [exact, exactExponent] = splitExponent(magnitude.toExponential(longer(precision)));
  const mantissa = exponent === exactExponent ? evenAtTie(rounded, exact, precision) : rounded;
  return (isNegative(value) ? '-' : '') + mantissa + exponentSuffix(exponent);
}

/**
 * `%g`: significant digits, an exponent only where positional notation would be long.
 *
 * @param options.keepZeros keep trailing zeros (the `#` flag)
 * @param options.marked the result must look like a float (no presentation type was given)
 */
export function general(value: number, precision: number, options: { keepZeros: boolean; marked: boolean }): string {
  const digits = Math.max(1, precision);
  const text = scientific(value, digits - 1);
  const [mantissa, exponent] = splitExponent(text);
  const trim = (part: string) => (options.keepZeros || !part.includes('.') ? part : part.replace(/\.?0+$/, ''));
  if (exponent < -4 || exponent >= (options.marked ? digits - 1 : digits))
    return trim(mantissa) + exponentSuffix(exponent);
  const positionalText = trim(fixed(value, digits - 1 - exponent));
  return options.marked && !positionalText.includes('.') ? `${positionalText}.0` : positionalText;
}

/** Python's `round`: ties to even, on the exact decimal value. */
export function roundHalfEven(value: number, precision: number): number {
  if (!Number.isFinite(value)) return value;
  if (precision >= 0) return Number(fixed(value, Math.min(precision, MAX_PRECISION)));
  const unit = 10 ** -precision;
  return Number(fixed(value / unit, 0)) * unit;
}
