import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { type Attribute, findAttribute } from './schemas.js';

/** Items of one multi-valued attribute. Members of groups are rows, the others are stored with the resource. */
const mostItems = ({ name }: Attribute): number => (name === 'members' ? 100_000 : 1000);

/**
 * The value of an attribute in the form of its schema, with names as the schema writes them. Attributes that are unknown or read-only
 * are left out. Undefined for null and for an empty list, which mean that there is no value. Throws scim_value_invalid.
 *
 * Some providers send one item instead of a list, a text instead of an object with a `value`, and texts instead of booleans.
 */
export function toValue(attribute: Attribute, given: unknown): JsonValue | undefined {
  if (given === null || given === undefined) return undefined;
  if (!attribute.multiValued) return toSingle(attribute, given);
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const most = mostItems(attribute);
  if (list.length > most) throw ScimErrors.scim_value_invalid(attribute.name, `has at most ${most} items`);
  const items = list.map((item) => toSingle(attribute, item)).filter((item) => item !== undefined);
  requireOnePrimary(attribute, items);
  return items.length === 0 ? undefined : items;
}

/** The attributes of an object that are known and can be written. */
export function toAttributes(attributes: readonly Attribute[], given: Record<string, unknown>): JsonObject {
  const read: JsonObject = {};
  for (const [key, value] of Object.entries(given)) {
    const attribute = findAttribute(attributes, key);
    if (!attribute || attribute.mutability === 'readOnly') continue;
    const stored = toValue(attribute, value);
    if (stored !== undefined) read[attribute.name] = stored;
  }
  return read;
}

function toSingle(attribute: Attribute, given: unknown): JsonValue | undefined {
  if (given === null || given === undefined) return undefined;
  if (attribute.type === 'complex') return toComplex(attribute, given);
  if (attribute.type === 'boolean') return toBoolean(attribute, given);
  if (typeof given !== 'string') throw ScimErrors.scim_value_invalid(attribute.name, 'should be a text');
  return given;
}

function toComplex(attribute: Attribute, given: unknown): JsonObject | undefined {
  const { subAttributes = [], name } = attribute;
  const isPlain = typeof given === 'string' && findAttribute(subAttributes, 'value') !== null;
  const fields = isPlain ? { value: given } : given;
  if (!isObject(fields as JsonValue)) throw ScimErrors.scim_value_invalid(name, 'should be an object');
  const read = toAttributes(subAttributes, fields as Record<string, unknown>);
  return Object.keys(read).length === 0 ? undefined : read;
}

function toBoolean({ name }: Attribute, given: unknown): boolean {
  const text = String(typeof given === 'object' ? '' : given).toLowerCase();
  if (text !== 'true' && text !== 'false') throw ScimErrors.scim_value_invalid(name, 'should be true or false');
  return text === 'true';
}

const isPrimary = (item: JsonValue): boolean => isObject(item) && item.primary === true;

function requireOnePrimary({ name }: Attribute, items: JsonValue[]): void {
  if (items.filter(isPrimary).length > 1) {
    throw ScimErrors.scim_value_invalid(name, 'has at most one primary value');
  }
}

/** After a change at most one item is primary: a new one takes the place of the old one. */
export function withOnePrimary(items: JsonObject[], old: readonly JsonObject[]): JsonObject[] {
  if (items.filter(isPrimary).length < 2) return items;
  const before = new Set(old.filter(isPrimary));
  const chosen = items.findLast((item) => isPrimary(item) && !before.has(item)) ?? items.find(isPrimary);
  return items.map((item) => (isPrimary(item) && item !== chosen ? { ...item, primary: false } : item));
}
