import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { type Filter, parseValuePath } from './filter.js';
import { matches } from './match.js';
import { type Attribute, findAttribute, resolvePath, type ResourceType } from './schemas.js';
import { toValue, withOnePrimary } from './values.js';

export interface Operation {
  op: 'add' | 'replace' | 'remove';
  /** Null for the resource itself. */
  path: string | null;
  value: unknown;
}

/** The target of an operation. */
interface Target {
  /** The path of the request, for messages. */
  text: string;
  /** From the resource to the attribute. */
  chain: Attribute[];
  attribute: Attribute;
  /** Selects items of a multi-valued attribute; null for the attribute as a whole. */
  filter: Filter | 'all' | null;
  sub: Attribute | null;
}

/**
 * Applies the operations of RFC 7644, section 3.5.2, to a resource. Throws scim_path_invalid, scim_target_missing,
 * scim_path_required, scim_mutability, scim_value_invalid and scim_filter_invalid, and changes nothing then.
 */
export function applyPatch(type: ResourceType, resource: JsonObject, operations: readonly Operation[]): JsonObject {
  const changed = structuredClone(resource);
  for (const operation of operations) {
    for (const step of stepsOf(type, operation)) applyStep(changed, step.target, step);
  }
  return changed;
}

export type Step = Operation & { target: Target };

/** An operation without a path changes each attribute of its value. Their names may be paths; unknown ones are ignored, as in a POST. */
export function stepsOf(type: ResourceType, operation: Operation): Step[] {
  const { op, path, value } = operation;
  if (path !== null) return [{ ...operation, target: targetOf(type, path, op) }];
  if (op === 'remove') throw ScimErrors.scim_path_required();
  if (!isObject(value as JsonValue)) {
    throw ScimErrors.scim_syntax_invalid('an operation without a path needs an object as its value.');
  }
  return Object.entries(value as Record<string, unknown>).flatMap(([key, given]) => {
    const target = knownTarget(type, key);
    return target ? [{ op, path: key, value: given, target }] : [];
  });
}

/** Null for unknown and read-only attributes, which are ignored because providers send whole resources back. */
function knownTarget(type: ResourceType, key: string): Target | null {
  if (!/^[A-Za-z$]/.test(key) || key.toLowerCase() === 'schemas') return null;
  const { path } = parseValuePath(key);
  const chain = resolvePath(type, path);
  if (!chain || chain.some(({ mutability }) => mutability === 'readOnly')) return null;
  return targetOf(type, key, 'replace');
}

function targetOf(type: ResourceType, text: string, op: Operation['op']): Target {
  const { path, filter, sub } = parseValuePath(text);
  const chain = resolvePath(type, path);
  if (!chain) throw ScimErrors.scim_path_invalid(text);
  const { outer, inner } = splitAtList(chain);
  const attribute = outer.at(-1)!;
  const named = sub === null ? (inner[0] ?? null) : findAttribute(attribute.subAttributes ?? [], sub);
  const isMissing = sub !== null && !named;
  const isFiltered = filter !== null && (!attribute.multiValued || inner.length > 0);
  if (isMissing || isFiltered) throw ScimErrors.scim_path_invalid(text);
  const target = { text, chain: outer, attribute, filter: filter ?? (named && ('all' as const)), sub: named };
  requireMutable(target, op);
  return target;
}

/** `emails.value` means the sub-attribute of all items. */
function splitAtList(chain: Attribute[]): { outer: Attribute[]; inner: Attribute[] } {
  const at = chain.findIndex(({ multiValued }) => multiValued);
  const outer = at === -1 ? chain : chain.slice(0, at + 1);
  return { outer, inner: chain.slice(outer.length) };
}

function requireMutable({ text, chain, attribute, sub, filter }: Target, op: Operation['op']): void {
  const isFixed = [...chain, ...(sub ? [sub] : [])].some(({ mutability }) => mutability === 'readOnly');
  const isImmutable = sub?.mutability === 'immutable';
  const isRequired = op === 'remove' && attribute.required && filter === null;
  if (isFixed || isImmutable || isRequired) throw ScimErrors.scim_mutability(text);
}

function applyStep(resource: JsonObject, target: Target, { op, value }: Operation): void {
  const container = containerOf(resource, target.chain);
  const { attribute, filter } = target;
  if (filter !== null) setItems(container, attribute, changeItems(target, itemsOf(container, attribute), op, value));
  else if (op === 'remove') removeValue(container, attribute, value);
  else setValue(container, attribute, op, value);
  removeEmpty(resource, target.chain);
}

function containerOf(resource: JsonObject, chain: readonly Attribute[]): JsonObject {
  let container = resource;
  for (const { name } of chain.slice(0, -1)) {
    const inner = container[name];
    container = isObject(inner) ? inner : (container[name] = {});
  }
  return container;
}

function removeEmpty(resource: JsonObject, [outer, ...inner]: readonly Attribute[]): void {
  const value = outer && resource[outer.name];
  if (!isObject(value)) return;
  removeEmpty(value, inner);
  if (Object.keys(value).length === 0) delete resource[outer!.name];
}

function itemsOf(container: JsonObject, { name }: Attribute): JsonObject[] {
  return (container[name] as JsonObject[] | undefined) ?? [];
}

function setItems(container: JsonObject, attribute: Attribute, items: JsonObject[]): void {
  const { name } = attribute;
  if (items.length === 0) delete container[name];
  else container[name] = withOnePrimary(items, itemsOf(container, attribute));
}

/** Some providers name the items to remove in the value instead of a filter. */
function removeValue(container: JsonObject, attribute: Attribute, value: unknown): void {
  const named = attribute.multiValued ? (toValue(attribute, value) as JsonObject[] | undefined) : undefined;
  if (!named) delete container[attribute.name];
  else {
    const isNamed = (item: JsonObject) => named.some((each) => isSameItem(each, item));
    setItems(
      container,
      attribute,
      itemsOf(container, attribute).filter((item) => !isNamed(item)),
    );
  }
}

function setValue(container: JsonObject, attribute: Attribute, op: Operation['op'], given: unknown): void {
  const { name } = attribute;
  const value = toValue(attribute, given);
  const old = container[name];
  if (value === undefined) {
    if (op === 'replace') removeValue(container, attribute, undefined);
  } else if (attribute.multiValued) {
    const items = value as JsonObject[];
    setItems(container, attribute, op === 'add' ? addItems(itemsOf(container, attribute), items) : items);
  } else {
    // Sub-attributes that are not named stay as they are.
    container[name] = isObject(value) && isObject(old) ? { ...old, ...value } : value;
  }
}

/** Adds items. Skips a value that exists with the same type. */
function addItems(old: JsonObject[], added: JsonObject[]): JsonObject[] {
  const items = [...old];
  for (const item of added) {
    const at = items.findIndex((each) => isSameItem(item, each));
    if (at === -1) items.push(item);
    else if (!isDeepStrictEqual({ ...items[at], ...item }, items[at])) items[at] = { ...items[at], ...item };
  }
  return items;
}

/** Whether two items have the same value, and types that do not contradict each other. */
function isSameItem(given: JsonObject, stored: JsonObject): boolean {
  if (given.value === undefined) return isDeepStrictEqual(given, stored);
  return given.value === stored.value && (given.type === undefined || given.type === stored.type);
}

function changeItems(target: Target, items: JsonObject[], op: Operation['op'], value: unknown): JsonObject[] {
  const { attribute, filter, sub, text } = target;
  const { subAttributes = [] } = attribute;
  const isMeant = (item: JsonObject) => filter === 'all' || matches(filter!, item, subAttributes);
  const change = itemChange(attribute, sub, op, value);
  if (items.some(isMeant)) {
    return items.map((item) => (isMeant(item) ? change(item) : item)).filter((item) => item !== null);
  }
  if (op === 'remove') return items;
  // A provider adds the value of an item that does not exist yet; to replace one it must exist.
  const isNew = op === 'add' || filter === 'all';
  const made = isNew ? change(filter === 'all' ? {} : equalitiesOf(filter!, subAttributes)) : null;
  if (!made) throw ScimErrors.scim_target_missing(text);
  return [...items, made];
}

function itemChange(attribute: Attribute, sub: Attribute | null, op: Operation['op'], given: unknown) {
  if (op === 'remove' && !sub) return () => null;
  if (sub) {
    const value = op === 'remove' ? undefined : toValue(sub, given);
    return (old: JsonObject): JsonObject | null => {
      const item = { ...old };
      if (value === undefined) delete item[sub.name];
      else item[sub.name] = value;
      return Object.keys(item).length === 0 ? null : item;
    };
  }
  const single = toValue({ ...attribute, multiValued: false }, given) as JsonObject | undefined;
  return (item: JsonObject): JsonObject | null => (op === 'add' ? { ...item, ...single } : (single ?? null));
}

/** Attributes that an item needs to match a filter of equalities. */
function equalitiesOf(filter: Filter, attributes: readonly Attribute[]): JsonObject {
  if (filter.kind === 'and') {
    return Object.assign({}, ...filter.parts.map((part) => equalitiesOf(part, attributes))) as JsonObject;
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return {};
  const attribute = findAttribute(attributes, filter.path);
  const value = attribute ? toValue(attribute, filter.value) : undefined;
  return value === undefined ? {} : { [attribute!.name]: value };
}
