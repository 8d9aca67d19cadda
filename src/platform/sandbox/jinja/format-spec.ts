import { countCharacters, sliceCharacters } from './characters.js';
import { FormatError, fixed, floatText, general, nonFinite, scientific } from './numbers.js';

/** Longer paddings are refused: they would only serve to fill memory. */
const MAX_WIDTH = 10_000;

const SPEC =
  /^(?:(?<fill>[^])?(?<align>[<>=^]))?(?<sign>[-+ ]?)(?<alternate>#?)(?<zero>0?)(?<width>\d*)(?<grouping>[,_]?)(?:\.(?<precision>\d+))?(?<type>[A-Za-z%]?)$/u;

interface Spec {
  fill: string;
  align: string;
  sign: string;
  alternate: boolean;
  width: number;
  grouping: string;
  precision: number | null;
  type: string;
  zeroPadded: boolean;
}

/**
 * `format(value, spec)` of Python. A bigint is an int, a number a float.
 *
 * @throws FormatError where Python raises, for widths above 10,000 and more than 100 decimals. The option `z` is not known.
 */
export function formatValue(value: string | bigint | number | boolean, spec: string): string {
  if (spec === '') return plainText(value);
  const parsed = parseSpec(spec);
  if (typeof value === 'string') return formatText(value, parsed);
  return formatNumber(typeof value === 'boolean' ? BigInt(value) : value, parsed);
}

function plainText(value: string | bigint | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? floatText(value) : String(value);
}

function parseSpec(text: string): Spec {
  const groups = SPEC.exec(text)?.groups;
  if (!groups) throw new FormatError('Invalid format specifier');
  const { fill, align = '', sign, alternate, zero, width, grouping, precision, type } = groups;
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align,
    sign,
    alternate: alternate !== '',
    width: boundedInt(width),
    grouping,
    precision: precision === undefined ? null : boundedInt(precision),
    type,
    // With an alignment the zero is only the fill character.
    zeroPadded: zero !== '' && align === '',
  };
}

function boundedInt(digits: string): number {
  const value = Number(digits);
  if (value > MAX_WIDTH) throw new FormatError('width too big');
  return value;
}

function formatText(value: string, spec: Spec): string {
  const isNumericOnly = spec.sign !== '' || spec.alternate || spec.grouping !== '' || spec.align === '=';
  if (isNumericOnly || (spec.type !== '' && spec.type !== 's')) throw new FormatError('Not a format for text');
  const text = spec.precision === null ? value : sliceCharacters(value, 0, spec.precision);
  return pad(text, countCharacters(text), { ...spec, align: spec.align || '<' });
}

function pad(text: string, length: number, spec: { fill: string; align: string; width: number }): string {
  const missing = spec.width - length;
  if (missing <= 0) return text;
  if (spec.align === '<') return text + spec.fill.repeat(missing);
  if (spec.align === '^') {
    const left = Math.floor(missing / 2);
    return spec.fill.repeat(left) + text + spec.fill.repeat(missing - left);
  }
  return spec.fill.repeat(missing) + text;
}

function formatNumber(value: bigint | number, spec: Spec): string {
  const isInt = typeof value === 'bigint' && (spec.type === '' || 'bcdoxXn'.includes(spec.type));
  if (!isInt && spec.type !== '' && !'eEfFgGn%'.includes(spec.type)) throw new FormatError('Unknown format code');
  const { prefix, digits } = isInt ? intDigits(value, spec) : floatDigits(Number(value), spec);
  const isNegative = digits.startsWith('-');
  const sign = isNegative ? '-' : spec.sign === '-' ? '' : spec.sign;
  return padNumber(sign + prefix, isNegative ? digits.slice(1) : digits, spec);
}

const RADIX: Record<string, number> = { b: 2, o: 8, x: 16, X: 16 };

function intDigits(value: bigint, spec: Spec): { prefix: string; digits: string } {
  if (spec.precision !== null) throw new FormatError('Precision not allowed in integer format specifier');
  if (spec.type === 'c') return { prefix: '', digits: character(value, spec) };
  const radix = RADIX[spec.type] ?? 10;
  if (spec.grouping !== '' && (spec.type === 'n' || (spec.grouping === ',' && radix !== 10))) {
    throw new FormatError(`Cannot specify '${spec.grouping}' with '${spec.type}'`);
  }
  const digits = value.toString(radix);
  const prefix = spec.alternate && radix !== 10 ? `0${spec.type}` : '';
  return { prefix, digits: spec.type === 'X' ? digits.toUpperCase() : digits };
}

function character(value: bigint, spec: Spec): string {
  if (spec.sign !== '' || spec.grouping !== '' || spec.alternate || value < 0n || value > 0x10ffffn) {
    throw new FormatError("Not allowed with integer format specifier 'c'");
  }
  return String.fromCodePoint(Number(value));
}

function floatDigits(value: number, spec: Spec): { prefix: string; digits: string } {
  if (spec.type === 'n' && spec.grouping !== '') throw new FormatError(`Cannot specify '${spec.grouping}' with 'n'`);
  const digits = floatNotation(value, spec);
  return { prefix: '', digits: 'EFG'.includes(spec.type || ' ') ? digits.toUpperCase() : digits };
}

function floatNotation(value: number, spec: Spec): string {
  if (!Number.isFinite(value)) return nonFinite(value) + (spec.type === '%' ? '%' : '');
  const text = finiteNotation(value, spec.precision ?? 6, spec);
  return spec.alternate ? withPoint(text) : text;
}

function finiteNotation(value: number, precision: number, spec: Spec): string {
  switch (spec.type.toLowerCase()) {
    case 'e':
      return scientific(value, precision);
    case 'f':
      return fixed(value, precision);
    case '%':
      return `${fixed(value * 100, precision)}%`;
    case '':
      if (spec.precision === null) return floatText(value);
      return general(value, precision, { keepZeros: spec.alternate, marked: true });
    default:
      return general(value, precision, { keepZeros: spec.alternate, marked: false });
  }
}

/** The `#` flag: a point even where no decimals follow. */
function withPoint(text: string): string {
  return text.includes('.') ? text : text.replace(/^-?\d+/, '$&.');
}

function padNumber(lead: string, digits: string, spec: Spec): string {
  const align = spec.align || (spec.zeroPadded ? '=' : '>');
  if (align !== '=') {
    const text = lead + group(digits, spec, 0);
    return pad(text, text.length, { ...spec, align });
  }
  const room = spec.width - lead.length;
  const grouped = group(digits, spec, spec.fill === '0' ? room : 0);
  return lead + pad(grouped, grouped.length, { fill: spec.fill, align: '>', width: room });
}

/** Thousands separators (or every four digits in other bases); zeros that pad are grouped along. */
function group(digits: string, spec: Spec, width: number): string {
  const whole = /^[0-9a-fA-F]+/.exec(digits)?.[0] ?? '';
  if (spec.grouping === '' || whole === '' || !/^\d/.test(digits)) return digits;
  const integer = spec.type in RADIX ? whole : (/^\d+/.exec(digits)?.[0] ?? '');
  const rest = digits.slice(integer.length);
  const size = spec.type in RADIX ? 4 : 3;
  let padded = integer;
  while (groupedLength(padded.length, size) + rest.length < width) padded = `0${padded}`;
  return joinGroups(padded, size, spec.grouping) + rest;
}

function groupedLength(length: number, size: number): number {
  return length + Math.floor((length - 1) / size);
}

function joinGroups(digits: string, size: number, separator: string): string {
  const first = digits.length % size || size;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += size) groups.push(digits.slice(at, at + size));
  return groups.join(separator);
}
