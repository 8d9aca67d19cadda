import { readEntry } from './entries.js';
import { assertTextLength, formatted, repr, toText } from './text.js';
import { type Arguments, TemplateError, Undefined, type Value, isNumeric } from './values.js';

const FIELD = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;
const PARTS = /^([^!:]*)(?:!([rsa]))?(?::([^]*))?$/;

/** `text.format(...)`: fields by position or name, with entries, conversions and specs. No nested fields. */
export function formatBraces(text: string, given: Arguments): string {
  let automatic = 0;
  const result = text.replace(FIELD, (all, field?: string) => {
    if (all === '{{' || all === '}}') return all[0];
    const parts = field === undefined ? null : PARTS.exec(field);
    if (!parts) throw new TemplateError('Invalid format string');
    const path = parts[1].replace(/^(?=[.[]|$)/, () => String(automatic++));
    return formatField(readField(path, given), parts[2], parts[3] ?? '');
  });
  assertTextLength(result.length);
  return result;
}

function readField(path: string, given: Arguments): Value {
  const [first, ...rest] = path.split(/[.[\]]+/).filter((part) => part !== '');
  const value = /^\d+$/.test(first) ? given.positional[Number(first)] : given.keywords.get(first);
  if (value === undefined) throw new TemplateError(`No value for the field '${first}'`);
  return rest.reduce<Value>((item, part) => {
    const entry = readEntry(item, /^\d+$/.test(part) ? BigInt(part) : part);
    return entry === undefined ? new Undefined(part) : entry;
  }, value);
}

function formatField(value: Value, conversion: string | undefined, spec: string): string {
  const converted = conversion === undefined ? value : conversion === 's' ? toText(value) : repr(value);
  if (typeof converted === 'string' || isNumeric(converted)) return formatted(converted, spec);
  if (spec !== '') throw new TemplateError('unsupported format string');
  return toText(converted);
}
