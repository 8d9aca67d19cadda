import type { ColumnBody } from '../api/schema.gen';
import type { Values } from '../ui/schema-fields';

/** Replaces titles of columns by ids: configs allow both, the form knows only ids. */
export function withIds(config: Values, sourceKeys: string[], columns: ColumnBody[]): Values {
  const ids = new Map(columns.map(({ id, title }) => [title, id]));
  const idOf = (name: unknown) => (typeof name === 'string' ? (ids.get(name) ?? name) : name);
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(idOf);
    if (typeof value !== 'object' || value === null) return idOf(value);
    return Object.fromEntries(Object.entries(value).map(([key, name]) => [key, idOf(name)]));
  };
  const entries = Object.entries(config);
  return Object.fromEntries(entries.map(([key, value]) => [key, sourceKeys.includes(key) ? replaced(value) : value]));
}
