import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { asNumber } from '../column-type/values.js';

/** Maximum depth of values inside values; a deeper one cannot be scored. */
const MAX_DEPTH = 32;
/** Longer texts are prose, not the JSON of a verdict. */
const MAX_JSON_TEXT = 16_384;

/**
 * Returns the values of a cell for scoring: one plain value, several booleans where it holds several assertions, or
 * none. Columns and clients wrap results in different objects; reasons, citations and the like beside them do not
 * count.
 */
export function unwrapCell(value: JsonValue): JsonValue[] {
  let inner = value;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    inner = parsed(inner);
    if (Array.isArray(inner)) return booleansIn(inner) ?? [];
    if (!isObject(inner)) return isBlank(inner) ? [] : [inner];
    const assertions = 'comparison_result' in inner ? null : booleansIn(Object.values(inner));
    if (assertions) return assertions;
    const next = wrappedIn(inner);
    if (next === undefined) return [];
    inner = next;
  }
  return [];
}

/** The number in an unwrapped cell; null for anything else. It is infinite beyond the range of a double. */
export function singleNumber(values: JsonValue[]): number | null {
  const number = values.length === 1 ? asNumber(values[0]) : null;
  return number === null ? null : Number(number);
}

/** Whether a cell without a value for scoring is empty. Otherwise it holds a value that cannot be scored. */
export function isEmptyCell(value: JsonValue): boolean {
  return isObject(value) ? wrappedIn(value) !== undefined : isBlank(value);
}

function wrappedIn(object: JsonObject): JsonValue | undefined {
  return ['comparison_result', 'score', 'value'].map((key) => object[key]).find((value) => value !== undefined);
}

/** The booleans that these values are or wrap, without unanswered ones; null when one of them is something else. */
function booleansIn(values: JsonValue[]): boolean[] | null {
  const answers = values.map((value) => (isObject(value) ? wrappedIn(value) : value)).filter((value) => value !== null);
  return answers.length > 0 && answers.every((answer) => typeof answer === 'boolean') ? answers : null;
}

/** Clients store objects as JSON text, too. */
function parsed(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || value.length > MAX_JSON_TEXT || !/^\s*[{[]/.test(value)) return value;
  try {
    return readJson(value);
  } catch {
    return value;
  }
}

function isBlank(value: JsonValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}
