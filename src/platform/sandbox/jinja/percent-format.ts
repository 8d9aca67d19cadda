import { countCharacters, sliceCharacters } from './characters.js';
import { floatText } from './numbers.js';
import { assertTextLength, formatted, repr, toText } from './text.js';
import { TemplateError, Tuple, type Value, isDict, isNumeric, typeName } from './values.js';

const DIRECTIVE =
  /%(?:\((?<name>[^()]*)\))?(?<flags>[-+ #0]*)(?<width>\d+|\*)?(?<precision>\.(?:\d+|\*)?)?[hlL]?(?<type>[^])/gu;

/** `text % values`: directives take the values of a tuple in order, and those of a dict by name. */
export function formatPercent(text: string, values: Value): string {
  return new PercentFormat(values).apply(text);
}

interface Directive {
  name?: string;
  flags: string;
  width?: string;
  /** With its dot. */
  precision?: string;
  type: string;
}

class PercentFormat {
  private readonly queue: Value[];
  private usesNames = false;

  constructor(private readonly values: Value) {
    this.queue = values instanceof Tuple ? [...values] : [values];
  }

  apply(text: string): string {
    if (text.replaceAll('%%', '').endsWith('%')) throw new TemplateError('incomplete format');
    const result = text.replace(DIRECTIVE, (...match) => {
      const directive = match.at(-1) as Directive;
      return match[0] === '%%' ? '%' : this.directive(directive);
    });
    const isSurplus = this.queue.length > 0 && !this.usesNames && !isDict(this.values);
    if (isSurplus) throw new TemplateError('not all arguments converted during string formatting');
    assertTextLength(result.length);
    return result;
  }

  private directive(parts: Directive): string {
    const width = parts.width === '*' ? String(this.take()) : (parts.width ?? '');
    assertTextLength(Number(width));
    const precision = parts.precision === '.*' ? `.${String(this.take())}` : parts.precision;
    const value = parts.name === undefined ? this.take() : this.named(parts.name);
    return convert(value, parts.type, {
      flags: parts.flags,
      width,
      precision: precision === undefined ? null : precision.slice(1) || '0',
    });
  }

  private take(): Value {
    if (this.queue.length === 0) throw new TemplateError('not enough arguments for format string');
    return this.queue.shift() as Value;
  }

  private named(name: string): Value {
    this.usesNames = true;
    const value = isDict(this.values) ? this.values.get(name) : undefined;
    if (value === undefined) throw new TemplateError(isDict(this.values) ? `'${name}'` : 'format requires a mapping');
    return value;
  }
}

interface Layout {
  flags: string;
  width: string;
  precision: string | null;
}

function convert(value: Value, type: string, layout: Layout): string {
  if ('sra'.includes(type)) return convertText(type === 's' ? toText(value) : repr(value), layout);
  if (type === 'c') return convertText(character(value), { ...layout, precision: null });
  if (!isNumeric(value)) throw new TemplateError(`%${type} format: a number is required, not ${typeName(value)}`);
  if ('diuxXo'.includes(type)) return convertInt(value, type, layout);
  if (!'eEfFgG'.includes(type)) throw new TemplateError(`unsupported format character '${type}'`);
  const precision = layout.precision === null ? '' : `.${layout.precision}`;
  return formatted(Number(value), `${numberLayout(layout)}${precision}${type}`);
}

function convertText(text: string, layout: Layout): string {
  const cut = layout.precision === null ? text : sliceCharacters(text, 0, Number(layout.precision));
  return formatted(cut, `${layout.flags.includes('-') ? '<' : '>'}${layout.width}`);
}

function character(value: Value): string {
  if (typeof value === 'bigint' || typeof value === 'boolean') return formatted(BigInt(value), 'c');
  if (typeof value === 'string' && countCharacters(value) === 1) return value;
  throw new TemplateError('%c requires int or char');
}

function convertInt(value: number | bigint | boolean, type: string, layout: Layout): string {
  const whole = toWhole(value, type);
  const code = 'iu'.includes(type) ? 'd' : type;
  if (layout.precision === null) return formatted(whole, `${numberLayout(layout)}${code}`);
  const digits = formatted(whole < 0n ? -whole : whole, code).padStart(minimumDigits(layout.precision), '0');
  return padDigits(whole < 0n ? '-' : signOf(layout.flags), digits, layout);
}

function toWhole(value: number | bigint | boolean, type: string): bigint {
  if (typeof value !== 'number') return BigInt(value);
  if ('diu'.includes(type) && Number.isFinite(value)) return BigInt(Math.trunc(value));
  throw new TemplateError(`%${type} format: an integer is required, not float ${floatText(value)}`);
}

function minimumDigits(precision: string): number {
  assertTextLength(Number(precision));
  return Number(precision);
}

function signOf(flags: string): string {
  if (flags.includes('+')) return '+';
  return flags.includes(' ') ? ' ' : '';
}

function padDigits(sign: string, digits: string, { flags, width }: Layout): string {
  if (flags.includes('-')) return formatted(sign + digits, `<${width}`);
  const padded = flags.includes('0') ? digits.padStart(Number(width) - sign.length, '0') : digits;
  return formatted(sign + padded, `>${width}`);
}

function numberLayout({ flags, width }: Layout): string {
  const align = flags.includes('-') ? '<' : flags.includes('0') ? '0=' : '>';
  return `${align}${signOf(flags)}${flags.includes('#') ? '#' : ''}${width}`;
}
