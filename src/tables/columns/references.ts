import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { SourceField } from '../column-types/source-fields.js';
import { TableErrors } from '../tables.errors.js';

/** An edge as callers give it. */
export interface GivenDependency {
  columnId: string;
  configKey: string | null;
  configMeta: JsonObject | null;
}

export interface ResolvedEdge {
  sourceId: string;
  configKey: string | null;
  configMeta: JsonObject | null;
}

interface Referable {
  id: string;
  title: string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Works out once, at save time, which columns a config reads; afterwards renaming a column breaks nothing.
 * A place in the config means, in this order: the dependency given for that place; the column with that id; the only
 * column with that title. An empty place reads nothing. Dependencies given for no place are kept: they order and
 * make stale. Throws column_reference_unknown or column_reference_ambiguous.
 */
export function resolveReferences(
  fields: SourceField[],
  config: JsonObject,
  given: GivenDependency[],
  columns: Referable[],
): ResolvedEdge[] {
  for (const { columnId } of given) requireColumn(columns, 'dependencies', columnId);
  const places = fields.flatMap((field) => placesOf(field, config[field.key] ?? null));
  const used = new Set<GivenDependency>();
  const edges = places.map((place) => {
    const dependency = given.find((candidate) => matches(candidate, place));
    if (dependency) used.add(dependency);
    const sourceId = dependency?.columnId.toLowerCase() ?? findColumn(columns, place).id;
    return {
      sourceId,
      configKey: place.key,
      configMeta: place.position === null ? null : { position: place.position },
    };
  });
  const others = given.filter((dependency) => !used.has(dependency));
  return [...edges, ...others.map(({ columnId, ...rest }) => ({ sourceId: columnId.toLowerCase(), ...rest }))];
}

interface Place {
  key: string;
  /** null outside a list. */
  position: number | null;
  reference: string;
}

function placesOf({ key, shape }: SourceField, value: JsonValue): Place[] {
  const references = shape === 'list' && Array.isArray(value) ? value : [value];
  return references.flatMap((reference, index) => {
    if (typeof reference !== 'string' || reference === '') return [];
    return [{ key, position: shape === 'list' ? index : null, reference }];
  });
}

function matches({ configKey, configMeta }: GivenDependency, place: Place): boolean {
  if (configKey !== place.key) return false;
  return place.position === null || configMeta?.position === place.position;
}

function findColumn(columns: Referable[], { key, reference }: Place): Referable {
  const byId = UUID.test(reference) ? columns.find((column) => column.id === reference.toLowerCase()) : undefined;
  if (byId) return byId;
  const byTitle = columns.filter((column) => column.title === reference);
  if (byTitle.length === 0) throw TableErrors.column_reference_unknown(key, reference);
  if (byTitle.length > 1) throw TableErrors.column_reference_ambiguous(key, reference);
  return byTitle[0]!;
}

function requireColumn(columns: Referable[], place: string, id: string): void {
  if (!columns.some((column) => column.id === id.toLowerCase())) throw TableErrors.column_reference_unknown(place, id);
}
