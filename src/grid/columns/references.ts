import type { SourceField } from '../column-type/source-field.js';
import { isSameName } from '../../platform/comparable-text.js';
import type { JsonObject } from '../../platform/json.js';
import {
  isSamePlace,
  placeLabel,
  placeToMeta,
  referencesIn,
  type SourcePlace,
  type SourceReference,
} from '../column-type/source-places.js';
import { GridErrors } from '../shared/grid.errors.js';

/** An edge in a request. */
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
 * Resolves the columns of a config when it is saved; renaming a column later breaks nothing. A place in the config
 * means, in this order: the dependency given for that place; the column with that id; the only column with that title.
 * An empty place reads nothing. Dependencies without a place are kept: they affect order and staleness. Throws
 * column_reference_unknown or column_reference_ambiguous.
 */
export function resolveReferences(
  fields: SourceField[],
  config: JsonObject,
  given: GivenDependency[],
  columns: Referable[],
): ResolvedEdge[] {
  for (const { columnId } of given) requireColumn(columns, 'dependencies', columnId);
  const places = referencesIn(fields, config);
  const used = new Set<GivenDependency>();
  const edges = places.map((place) => {
    const dependency = given.find((candidate) => isEdgeOf(candidate, place));
    if (dependency) used.add(dependency);
    const sourceId = dependency?.columnId.toLowerCase() ?? findColumn(columns, place).id;
    return { sourceId, configKey: place.key, configMeta: placeToMeta(place) };
  });
  const others = given.filter((dependency) => !used.has(dependency));
  return [...edges, ...others.map(({ columnId, ...rest }) => ({ sourceId: columnId.toLowerCase(), ...rest }))];
}

/**
 * The dependencies that keep the meaning of unchanged parts of a changed config: a source that was renamed, or shares
 * its title by now, stays the source. `given` replaces the other dependencies; null keeps those too.
 */
export function keptDependencies(
  before: { fields: SourceField[]; config: JsonObject; edges: ResolvedEdge[] },
  after: { fields: SourceField[]; config: JsonObject },
  given: GivenDependency[] | null,
): GivenDependency[] {
  const places = referencesIn(after.fields, after.config);
  const earlier = referencesIn(before.fields, before.config);
  const edges = before.edges.map(({ sourceId, ...rest }): GivenDependency => ({ columnId: sourceId, ...rest }));
  const same = places.filter((place) =>
    earlier.some((old) => isSamePlace(old, place) && old.reference === place.reference),
  );
  const kept = edges.filter((edge) => same.some((place) => isEdgeOf(edge, place)));
  // A place that was empty may name a column now. That column takes precedence over the place's earlier dependency.
  const named = [...earlier, ...places];
  if (given === null) return [...kept, ...edges.filter((edge) => !named.some((place) => isEdgeOf(edge, place)))];
  const open = places.filter((place) => !given.some((dependency) => isEdgeOf(dependency, place)));
  return [...given, ...kept.filter((edge) => open.some((place) => isEdgeOf(edge, place)))];
}

/** Whether an edge belongs to a place. */
export function isEdgeOf(
  { configKey, configMeta }: Pick<ResolvedEdge, 'configKey' | 'configMeta'>,
  { key, position, variable }: SourcePlace,
): boolean {
  if (configKey !== key) return false;
  if (variable !== null) return configMeta?.variable_name === variable;
  return position === null || configMeta?.position === position;
}

function findColumn(columns: Referable[], place: SourceReference): Referable {
  const { reference } = place;
  const byId = UUID.test(reference) ? columns.find((column) => column.id === reference.toLowerCase()) : undefined;
  if (byId) return byId;
  const byTitle = columns.filter((column) => isSameName(column.title, reference));
  if (byTitle.length === 0) throw GridErrors.column_reference_unknown(placeLabel(place), reference);
  if (byTitle.length > 1) throw GridErrors.column_reference_ambiguous(placeLabel(place), reference);
  return byTitle[0]!;
}

function requireColumn(columns: Referable[], place: string, id: string): void {
  if (!columns.some((column) => column.id === id.toLowerCase())) throw GridErrors.column_reference_unknown(place, id);
}
