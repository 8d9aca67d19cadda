import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { type Attribute, resolvePath, type ResourceType } from './schemas.js';

/** Which attributes an answer has. */
export interface Projection {
  /** Whether an attribute is part of the response and must be read. */
  needs(name: string): boolean;
  of(resource: JsonObject): JsonObject;
}

const ALWAYS = new Set(['schemas', 'id']);

/** The query parameters `attributes` and `excludedAttributes` (RFC 7644, section 3.9). Unknown names are ignored. */
export function projectionOf(
  type: ResourceType,
  { attributes, excludedAttributes }: { attributes?: string; excludedAttributes?: string },
): Projection {
  const wanted = attributes?.trim() ? pathsOf(type, attributes) : null;
  const excluded = pathsOf(type, excludedAttributes ?? '');
  if (wanted) {
    return { needs: (name) => wanted.some(([first]) => first === name), of: (resource) => only(resource, wanted) };
  }
  const isExcluded = (name: string) => excluded.some((path) => path.length === 1 && path[0] === name);
  return { needs: (name) => !isExcluded(name), of: (resource) => without(resource, excluded) };
}

const pathsOf = (type: ResourceType, list: string): string[][] =>
  list
    .split(',')
    .map((path) => resolvePath(type, path.trim()))
    .filter((chain): chain is Attribute[] => chain !== null)
    .map((chain) => chain.map(({ name }) => name));

function only(resource: JsonObject, paths: string[][]): JsonObject {
  const shown = Object.entries(resource).map(([key, value]): [string, JsonValue | undefined] => {
    if (ALWAYS.has(key)) return [key, value];
    const inner = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
    if (inner.length === 0) return [key, undefined];
    return [key, inner.some((rest) => rest.length === 0) ? value : within(value, (each) => only(each, inner))];
  });
  return present(shown);
}

function without(resource: JsonObject, paths: string[][]): JsonObject {
  if (paths.length === 0) return resource;
  const shown = Object.entries(resource).map(([key, value]): [string, JsonValue | undefined] => {
    const inner = ALWAYS.has(key) ? [] : paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
    if (inner.some((rest) => rest.length === 0)) return [key, undefined];
    return [key, within(value, (each) => without(each, inner))];
  });
  return present(shown);
}

const within = (value: JsonValue, change: (object: JsonObject) => JsonObject): JsonValue =>
  Array.isArray(value)
    ? value.map((item) => (isObject(item) ? change(item) : item))
    : isObject(value)
      ? change(value)
      : value;

/** Drops attributes that are empty or have no value. */
const present = (entries: [string, JsonValue | undefined][]): JsonObject =>
  Object.fromEntries(
    entries.filter(([, value]) => value !== undefined && !(isObject(value) && Object.keys(value).length === 0)),
  ) as JsonObject;
