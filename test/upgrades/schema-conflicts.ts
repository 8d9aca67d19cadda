import type { SchemaRow } from '../support/schema.js';

interface Column {
  table: string;
  column: string;
  type: string;
  required: boolean;
  identity: string;
  fallback: string | null;
}

/**
 * Tables and columns ("table" or "table.column") that a release has and does not use, by release. The next release may
 * drop them.
 */
export const UNUSED: Record<string, string[]> = {};

/**
 * Changes of the schema that break processes of a release, as sentences. During an update they run beside processes of
 * the next release. Both schemas are given by their columns.
 */
export function conflictsWith(release: SchemaRow[], today: SchemaRow[], unused: string[] = []): string[] {
  const now = byName(today);
  const before = byName(release);
  const tables = new Set([...before.values()].map(({ table }) => table));
  const isUsed = ({ table, column }: Column) => !unused.includes(table) && !unused.includes(`${table}.${column}`);
  return [
    ...[...before]
      .filter(([, column]) => isUsed(column))
      .flatMap(([name, column]) => lost(name, column, now.get(name))),
    ...[...now]
      .filter(([name, { table }]) => !before.has(name) && tables.has(table))
      .flatMap(([name, column]) => demanded(name, column)),
  ];
}

function byName(rows: SchemaRow[]): Map<string, Column> {
  return new Map((rows as unknown as Column[]).map((column) => [`${column.table}.${column.column}`, column]));
}

function lost(name: string, was: Column, is: Column | undefined): string[] {
  if (!is) return [`${name} is gone.`];
  return [
    ...(is.type === was.type ? [] : [`${name} was ${was.type} and is ${is.type}.`]),
    ...(is.required && !was.required ? [`${name} could be null.`] : []),
    ...(was.fallback !== null && is.fallback === null && is.required ? [`${name} had a default.`] : []),
  ];
}

function demanded(name: string, { required, fallback, identity }: Column): string[] {
  return required && fallback === null && identity === '' ? [`${name} is new and has to be given.`] : [];
}
