/**
 * Model of a sheet with computed columns, in the slow and simple way: one cell after the other, without chunks, sets of
 * rows, tasks or versions. It shares only the rules with the server.
 */
export type Value = string | number | boolean | null;

export interface ModelCell {
  status: 'stale' | 'completed' | 'error';
  value: Value;
}

export interface ModelColumn {
  id: string;
  title: string;
  type: TypeName;
  /** Sources by slot; null for a slot without a source. */
  sources: (string | null)[];
}

/** Replaces the id of a deleted column; cells that read it fail. */
const DELETED = 'deleted';

export const isComputed = ({ type }: ModelColumn): boolean => TYPES[type].compute !== null;

const text = (value: Value) => (value === null ? '' : String(value));
const FAILURE = Symbol('failure');

/** Title and value of a column to the left, in one row. */
type Entry = [title: string, value: Value];

interface OracleType {
  /** The config keys that name columns, or the variables that do. */
  keys: readonly string[];
  /** The config key of the map that has those variables. */
  map?: string;
  /** The rest of the config. */
  config: object;
  /** Gets the values of the named columns, and everything to its left if it reads that. */
  compute: ((values: Value[], left: Entry[]) => Value | symbol) | null;
  readsLeft?: boolean;
  /** Its results come from outside. */
  external?: boolean;
}

/** The types of the oracle. */
export const TYPES = {
  TEXT: { keys: [], config: {}, compute: null },
  COUNT: { keys: ['source'], config: { type: 'chars' }, compute: ([a]: Value[]) => [...text(a!)].length },
  SHOUT: {
    keys: ['source'],
    config: {},
    compute: ([a]: Value[]) => (text(a!) === 'fail' ? FAILURE : `${text(a!).toUpperCase()}!`),
  },
  CONTAINS: { keys: ['source'], config: { value: 'b' }, compute: ([a]: Value[]) => /b/i.test(text(a!)) },
  PAIR: { keys: ['left', 'right'], config: {}, compute: ([a, b]: Value[]) => `${text(a!)}|${text(b!)}` },
  FORM: {
    keys: ['one', 'two'],
    map: 'fields',
    config: {},
    compute: ([a, b]: Value[]) => (a === 'fail' || b === 'fail' ? FAILURE : `one=${text(a!)}&two=${text(b!)}`),
  },
  EVERYTHING: {
    keys: ['also'],
    config: { listed: true },
    compute: (_: Value[], left: Entry[]) => JSON.stringify(left),
    readsLeft: true,
  },
  /** External types; results of equal inputs are shared. */
  ECHO: {
    keys: ['source'],
    config: {},
    compute: ([a]: Value[]) => (text(a!) === 'fail' ? FAILURE : `~${text(a!)}`),
    external: true,
  },
} as const satisfies Record<string, OracleType>;
export type TypeName = keyof typeof TYPES;

const typeOf = ({ type }: ModelColumn): OracleType => TYPES[type];

/** A config of a type that names these columns. */
export function configOf(name: TypeName, sources: (string | null)[]): object {
  const { keys, map, config }: OracleType = TYPES[name];
  const named = Object.fromEntries(keys.map((key, index) => [key, sources[index]]));
  return { ...config, ...(map ? { [map]: named } : named) };
}

interface Stored {
  value: Value;
  failed: boolean;
}

/** Kinds of stale cells that are computed automatically. */
export type Follows = 'off' | 'deterministic' | 'all';

export interface Selection {
  /** null: every computed column. */
  columnIds: string[] | null;
  /** null: every row. */
  rows: number[] | null;
  /** Empty: every state. */
  states: string[];
}

export class SheetModel {
  columns: ModelColumn[] = [];
  rows: number[] = [];
  private follows: Follows = 'off';
  /** Rows in which something became stale that the sheet may follow. */
  private touched = new Set<number>();
  private cells = new Map<string, Stored>();
  private stale = new Set<string>();

  /** An independent copy, to compare a later or restored sheet with. */
  clone(): SheetModel {
    return Object.assign(new SheetModel(), structuredClone({ ...this }));
  }

  cell(columnId: string, row: number): ModelCell {
    const { value, failed } = this.stored(columnId, row);
    const status = this.stale.has(at(columnId, row)) ? 'stale' : failed ? 'error' : 'completed';
    return { status, value };
  }

  column(id: string): ModelColumn {
    return this.columns.find((column) => column.id === id)!;
  }

  edit(columnId: string, row: number, value: Value): void {
    if (this.stored(columnId, row).value === value) return;
    this.cells.set(at(columnId, row), { value, failed: false });
    this.outdate(this.dependents(columnId), [row]);
  }

  addRow(row: number, values: Map<string, Value>): void {
    this.rows.push(row);
    for (const [id, value] of values) this.cells.set(at(id, row), { value, failed: false });
    this.outdate(this.columns.filter(isComputed), [row]);
  }

  deleteRows(rows: number[]): void {
    this.rows = this.rows.filter((row) => !rows.includes(row));
    for (const { id } of this.columns) for (const row of rows) this.forget(id, row);
  }

  addColumn(column: ModelColumn): void {
    this.columns.push(column);
    if (!isComputed(column)) return;
    this.outdate([column], this.rows);
    this.run(new Map([[column.id, this.rows]]));
  }

  /** Sources and type may both be others afterwards. */
  redefine(id: string, type: TypeName, sources: (string | null)[]): void {
    const column = this.column(id);
    if (column.type === type && String(column.sources) === String(sources)) return;
    const wasComputed = isComputed(column);
    const before = this.describeLeft();
    Object.assign(column, { type, sources });
    const now = isComputed(column);
    this.outdate(this.withOtherLeft(before), this.rows);
    if (!wasComputed && !now) return;
    if (!now) for (const row of this.rows) this.keepAsText(id, row);
    this.outdate([...(now ? [column] : []), ...this.dependents(id)], this.rows);
  }

  /** Gives the columns whose cells are stale afterwards. */
  rename(id: string, title: string): ModelColumn[] {
    const before = this.describeLeft();
    this.column(id).title = title;
    const affected = this.withOtherLeft(before);
    this.outdate(affected, this.rows);
    return affected;
  }

  deleteColumn(id: string): void {
    const dependents = this.dependents(id);
    const before = this.describeLeft();
    this.columns = this.columns.filter((column) => column.id !== id);
    for (const column of this.columns) {
      column.sources = column.sources.map((source) => (source === id ? DELETED : source));
    }
    this.outdate([...dependents, ...this.withOtherLeft(before)], this.rows);
  }

  recalculate({ columnIds, rows, states }: Selection): void {
    const columns = this.columns.filter(({ id }) => columnIds === null || columnIds.includes(id));
    const wanted = (id: string, row: number) =>
      (rows === null || rows.includes(row)) &&
      (states.length === 0 || states.includes(STATES[this.cell(id, row).status]));
    const selection = columns.filter(isComputed).map(({ id }) => {
      return [id, this.rows.filter((row) => wanted(id, row))] as const;
    });
    this.run(new Map(selection));
  }

  setFollows(follows: Follows): void {
    if (follows === this.follows) return;
    this.follows = follows;
    this.touch(this.rows);
  }

  /** Computes stale cells where the sheet recalculates automatically. Results may make more cells stale. */
  follow(): void {
    while (this.touched.size > 0) {
      const rows = [...this.touched];
      this.touched.clear();
      const followed = this.columns.filter((column) => isComputed(column) && this.isFollowed(column));
      this.run(new Map(followed.map(({ id }) => [id, rows.filter((row) => this.isDue(id, row))])));
    }
  }

  /** True when a column would read itself, directly or not. */
  wouldCircle(id: string, sources: (string | null)[]): boolean {
    const reached = new Set(sources);
    for (const source of reached) for (const next of this.find(source)?.sources ?? []) reached.add(next);
    return reached.has(id);
  }

  /**
   * Takes over from the server which cells are stale when only the server knows. Every other cell must then have the
   * value that its sources give.
   */
  adopt(isStale: (columnId: string, row: number) => boolean): void {
    this.touched.clear();
    for (const { id } of this.columns.filter(isComputed)) {
      for (const row of this.rows) if (isStale(id, row)) this.stale.add(at(id, row));
    }
    for (const column of this.inOrder()) {
      for (const row of this.rows) {
        if (isStale(column.id, row)) continue;
        const result = this.fresh(column, row);
        if (result) this.cells.set(at(column.id, row), result);
        // Otherwise it stays stale here, and the comparison that follows fails.
        if (result) this.stale.delete(at(column.id, row));
      }
    }
  }

  /** Result of computing the cell now; null when a source is stale. */
  fresh(column: ModelColumn, row: number): Stored | null {
    if (this.computedSources(column.id).some((source) => this.stale.has(at(source, row)))) return null;
    if (this.isBlank(column, row)) return EMPTY;
    const { value } = this.stored(column.id, row);
    if (column.sources.includes(DELETED)) return { value, failed: true };
    const inputs = column.sources.map((source) => (source === null ? EMPTY : this.stored(source, row)));
    if (inputs.some((input) => input.failed)) return { value, failed: true };
    const values = inputs.map((input) => input.value);
    const result = typeOf(column).compute!(values, this.leftEntries(column, row));
    return typeof result === 'symbol' ? { value, failed: true } : { value: result, failed: false };
  }

  private isFollowed({ type }: ModelColumn): boolean {
    return this.follows === 'all' || !(TYPES[type] as OracleType).external;
  }

  /** Stale, and waiting for nothing that has to be asked for. */
  private isDue(id: string, row: number): boolean {
    const waits = (source: string) => this.stale.has(at(source, row)) && !this.isFollowed(this.column(source));
    return this.rows.includes(row) && this.stale.has(at(id, row)) && !this.computedSources(id).some(waits);
  }

  private touch(rows: number[]): void {
    if (this.follows !== 'off') for (const row of rows) this.touched.add(row);
  }

  private run(selection: Map<string, number[]>): void {
    const wanted = this.withStaleSources(selection);
    for (const column of this.inOrder()) {
      for (const row of wanted.get(column.id) ?? []) {
        const result = this.fresh(column, row);
        if (result) this.store(column.id, row, result);
      }
    }
  }

  private store(id: string, row: number, result: Stored): void {
    const before = this.stored(id, row);
    const wasStale = this.stale.delete(at(id, row));
    this.cells.set(at(id, row), result);
    const differs = before.failed !== result.failed || (!result.failed && before.value !== result.value);
    if (!differs) return;
    if (!wasStale) return this.outdate(this.dependents(id), [row]);
    // Columns that name a stale column are stale. Columns that only have it to their left may be up to date.
    for (const reader of this.columns) {
      if (this.leftSources(reader.id).has(id)) this.outdate([reader, ...this.dependents(reader.id)], [row]);
    }
  }

  /** The stale cells that selected ones are computed from, in the same rows. */
  private withStaleSources(selection: Map<string, number[]>): Map<string, Set<number>> {
    const wanted = new Map([...selection].map(([id, rows]) => [id, new Set(rows)]));
    for (const [id, rows] of selection) {
      for (const source of this.computedSources(id)) {
        const set = wanted.get(source) ?? new Set();
        for (const row of rows) if (this.stale.has(at(source, row))) set.add(row);
        wanted.set(source, set);
      }
    }
    return wanted;
  }

  /** Whether a row is blank. Columns that read a blank row are computed to nothing. */
  private isBlank(column: ModelColumn, row: number): boolean {
    const texts = this.columns.filter((each) => !isComputed(each)).map(({ id }) => id);
    if (texts.length === 0 || this.direct(column.id).length === 0) return false;
    return texts.every((id) => text(this.stored(id, row).value) === '');
  }

  /** A column that is not computed any more keeps its last good values. */
  private keepAsText(id: string, row: number): void {
    this.stale.delete(at(id, row));
    this.cells.set(at(id, row), { value: this.stored(id, row).value, failed: false });
  }

  private outdate(columns: ModelColumn[], rows: number[]): void {
    if (columns.length > 0) this.touch(rows);
    for (const { id } of columns) for (const row of rows) this.stale.add(at(id, row));
  }

  private dependents(id: string): ModelColumn[] {
    return this.columns.filter((column) => isComputed(column) && this.sourcesOf(column.id).has(id));
  }

  /**
   * Columns that must be up to date before this one: those that it names, directly or not, and none that are only to
   * its left.
   */
  private computedSources(id: string): string[] {
    const named = this.reach(id, (current) => this.live(this.column(current)));
    return [...named].filter((source) => isComputed(this.column(source)));
  }

  /** All sources of a column. Columns that are not computed pass nothing on. */
  private sourcesOf(id: string): Set<string> {
    return this.reach(id, (current) => this.direct(current));
  }

  private reach(id: string, next: (id: string) => string[]): Set<string> {
    const reached = new Set<string>();
    const visit = (current: string): void => {
      if (!isComputed(this.column(current))) return;
      for (const source of next(current)) {
        if (reached.has(source)) continue;
        reached.add(source);
        visit(source);
      }
    };
    visit(id);
    return reached;
  }

  private direct(id: string): string[] {
    return [...this.live(this.column(id)), ...this.leftSources(id)];
  }

  /**
   * Columns that a column reads only because they are to its left. Readers are processed from left to right, and none
   * gets a column that depends on it by then.
   */
  private leftSources(id: string): Set<string> {
    const sources = new Map<string, Set<string>>();
    const next = (current: string) => [...this.live(this.column(current)), ...(sources.get(current) ?? [])];
    for (const [index, reader] of this.columns.entries()) {
      if (!typeOf(reader).readsLeft) continue;
      const named = this.live(reader);
      const left = this.columns.slice(0, index).map((column) => column.id);
      const free = left.filter((source) => !named.includes(source) && !this.reach(source, next).has(reader.id));
      sources.set(reader.id, new Set(free));
      if (reader.id === id) break;
    }
    return sources.get(id) ?? new Set();
  }

  /** Inputs of a column that reads everything to its left, under the names that it gets. */
  private leftEntries(column: ModelColumn, row: number): Entry[] {
    if (!typeOf(column).readsLeft) return [];
    const read = new Set(this.direct(column.id));
    const names: string[] = [];
    return this.columns
      .filter(({ id }) => read.has(id))
      .map(({ id, title }) => {
        let name = title;
        for (let count = 2; names.includes(name); count++) name = `${title} (${count})`;
        names.push(name);
        const { value, failed } = this.stored(id, row);
        return [name, failed ? null : value];
      });
  }

  /** Ids and titles of the columns to the left of each reader, as JSON. */
  private describeLeft(): Map<string, string> {
    const readers = this.columns.filter((column) => typeOf(column).readsLeft);
    return new Map(
      readers.map(({ id }) => {
        const read = new Set(this.direct(id));
        const left = this.columns.filter((column) => read.has(column.id));
        return [id, JSON.stringify(left.map((column) => [column.id, column.title]))];
      }),
    );
  }

  /** Columns that have something else to their left than before, and what follows from them. */
  private withOtherLeft(before: Map<string, string>): ModelColumn[] {
    const changed = [...this.describeLeft()].filter(([id, left]) => before.has(id) && before.get(id) !== left);
    const affected = changed.flatMap(([id]) => [this.column(id), ...this.dependents(id)]);
    return [...new Set(affected)];
  }

  private inOrder(): ModelColumn[] {
    const depth = new Map(this.columns.map(({ id }) => [id, this.sourcesOf(id)]));
    return this.columns.filter(isComputed).toSorted((a, b) => depth.get(a.id)!.size - depth.get(b.id)!.size);
  }

  private live({ sources }: ModelColumn): string[] {
    return sources.filter((source) => source !== null && this.find(source) !== undefined) as string[];
  }

  private find(id: string | null): ModelColumn | undefined {
    return this.columns.find((column) => column.id === id);
  }

  private stored(columnId: string, row: number): Stored {
    return this.cells.get(at(columnId, row)) ?? EMPTY;
  }

  private forget(columnId: string, row: number): void {
    this.cells.delete(at(columnId, row));
    this.stale.delete(at(columnId, row));
  }
}

const EMPTY: Stored = { value: null, failed: false };
const STATES = { stale: 'STALE', completed: 'COMPLETED', error: 'FAILED' };
const at = (columnId: string, row: number) => `${columnId}:${row}`;
