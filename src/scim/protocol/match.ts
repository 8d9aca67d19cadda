import type { JsonObject, JsonValue } from '../../platform/json.js';
import { ScimErrors } from '../shared/scim.errors.js';
import type { Comparable, Filter, Operator } from './filter.js';
import { type Attribute, findAttribute, isText } from './schemas.js';

/** Whether an item of a multi-valued attribute fulfils the filter of a path. Throws scim_filter_invalid for unknown sub-attributes. */
export function matches(filter: Filter, item: JsonObject, attributes: readonly Attribute[]): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(part, item, attributes));
    case 'or':
      return filter.parts.some((part) => matches(part, item, attributes));
    case 'not':
      return !matches(filter.part, item, attributes);
    case 'present': {
      const value = item[subAttribute(attributes, filter.path).name];
      return value !== undefined && value !== '';
    }
    case 'compare': {
      const attribute = subAttribute(attributes, filter.path);
      return compares(attribute, filter.operator, item[attribute.name], filter.value);
    }
    case 'item':
      throw ScimErrors.scim_filter_invalid(`${filter.path} has no items here.`);
  }
}

function subAttribute(attributes: readonly Attribute[], name: string): Attribute {
  const found = findAttribute(attributes, name);
  if (!found) throw ScimErrors.scim_filter_invalid(`there is no sub-attribute "${name.slice(0, 60)}".`);
  return found;
}

function compares(attribute: Attribute, operator: Operator, stored: JsonValue | undefined, value: Comparable): boolean {
  if (operator === 'ne') return !compares(attribute, 'eq', stored, value);
  if (operator === 'eq' && value === null) return stored === undefined;
  const [left, right] = [comparable(attribute, stored), comparable(attribute, value)];
  if (operator === 'eq') return left === right;
  return typeof left === 'string' && typeof right === 'string' && COMPARISONS[operator](left, right);
}

/** Booleans as texts, too: some clients quote them. */
function comparable(attribute: Attribute, value: JsonValue | undefined): JsonValue | undefined {
  if (attribute.type === 'boolean' && typeof value === 'string') return value.toLowerCase() === 'true';
  return typeof value === 'string' && isText(attribute) && !attribute.caseExact ? value.toLowerCase() : value;
}

const COMPARISONS: Record<Exclude<Operator, 'eq' | 'ne'>, (left: string, right: string) => boolean> = {
  co: (left, right) => left.includes(right),
  sw: (left, right) => left.startsWith(right),
  ew: (left, right) => left.endsWith(right),
  gt: (left, right) => left > right,
  ge: (left, right) => left >= right,
  lt: (left, right) => left < right,
  le: (left, right) => left <= right,
};
