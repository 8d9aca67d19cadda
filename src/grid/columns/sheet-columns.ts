import type { EntityManager } from 'typeorm';
import type { ColumnTypes, RegisteredColumnType } from '../column-type/column-type.js';
import { type KindRules, rulesOf } from '../column-type/kinds.js';
import { type Dependency, DependencyGraph } from './dependency-graph.js';
import { metadataSource } from './metadata-source.js';
import { GridErrors } from '../shared/grid.errors.js';
import type { ColumnEdge, SheetColumn } from './column.entity.js';
import { type ColumnsWithEdges, readColumns } from './columns.queries.js';
import { addLeftEdges } from './left-edges.js';

/** A column that another one reads because it reads everything to its left. */
export interface LeftSource {
  source: SheetColumn;
  /** False where the config or a given dependency names it: it is then a source like any other. */
  isImplicit: boolean;
}

/** The dependencies between the columns of a sheet. */
interface Dependencies {
  /** Edges from configs and given dependencies. */
  explicit: DependencyGraph;
  /** All edges, including those to columns on the left. */
  all: DependencyGraph;
  /** Sources that are read only because they are on the left: their ids, by reader. */
  left: Map<string, Set<string>>;
}

/** The live columns of a sheet in the order they are shown, with their dependencies. */
export class SheetColumns {
  private readonly byId: Map<string, SheetColumn>;
  /** Computed on first use: most requests only show columns. */
  private known: Dependencies | undefined;

  /** `edges` are the stored ones, without those to columns on the left. */
  constructor(
    readonly list: SheetColumn[],
    readonly edges: ColumnEdge[],
    private readonly types: ColumnTypes,
  ) {
    this.byId = new Map(list.map((column) => [column.id, column]));
  }

  static async read(
    tx: EntityManager,
    types: ColumnTypes,
    sheet: { workspaceId: number; id: string },
  ): Promise<SheetColumns> {
    return SheetColumns.of(await readColumns(tx, sheet), types);
  }

  static of({ list, edges }: ColumnsWithEdges, types: ColumnTypes): SheetColumns {
    return new SheetColumns(list, edges, types);
  }

  /** The columns in lists: those of people, and on request their metadata columns. */
  shown({ withSystem }: { withSystem: boolean }): SheetColumn[] {
    return this.list.filter(({ owner }) => owner === 'sheet' || (withSystem && owner === 'metadata'));
  }

  /** All columns but the steps of a scorecard, which users of the sheet do not see as columns. */
  get ofSheet(): SheetColumn[] {
    return this.list.filter((column) => !isStep(column));
  }

  /** The steps of the scorecard of the sheet, in their order. */
  get steps(): SheetColumn[] {
    return this.list.filter(isStep);
  }

  /** Any column, the steps of a scorecard included. */
  find(id: string): SheetColumn | undefined {
    return this.byId.get(id.toLowerCase());
  }

  byKey(key: string): SheetColumn | undefined {
    return this.list.find((column) => column.key === key);
  }

  type(column: SheetColumn): RegisteredColumnType {
    return this.types.get(column.type);
  }

  rules(column: SheetColumn): KindRules {
    return rulesOf(this.type(column).options.kind);
  }

  /** True for a column whose cells are queued and computed. */
  isComputed(column: SheetColumn): boolean {
    return this.rules(column).computes;
  }

  /** True for a computed column with external results: its cells wait, and may cost money. */
  isExternal(column: SheetColumn): boolean {
    const { computes, repeats } = this.rules(column);
    return computes && !repeats;
  }

  get computed(): SheetColumn[] {
    return this.list.filter((column) => this.isComputed(column));
  }

  /** Columns whose cells have a state; cells without a value are stale. */
  get withStates(): SheetColumn[] {
    return this.list.filter((column) => this.rules(column).hasStates);
  }

  /** Columns that people and imports fill with any values; other cells are blank. */
  get inputs(): SheetColumn[] {
    return this.list.filter((column) => this.rules(column).edits === 'value');
  }

  /** Columns with values from people, imports or other sheets. */
  get given(): SheetColumn[] {
    return this.list.filter((column) => column.owner === 'sheet' && !this.isComputed(column));
  }

  /**
   * Whether a value in a source of a column shows that somebody has written into the row. A computed source without
   * sources has a value in every row, and a source that is only read because it is on the left may be out of date.
   */
  tellsOfRow(reader: SheetColumn, key: string): boolean {
    const source = this.byKey(key);
    if (!source || !this.isComputed(source)) return source !== undefined;
    const { explicit } = this.dependencies;
    return explicit.allSources([reader.id]).has(source.id) && explicit.directSources(source.id).size > 0;
  }

  /** Finds a column for a caller. Throws column_not_found, also for a step of a scorecard. */
  require(id: string): SheetColumn {
    const column = this.find(id);
    if (!column || isStep(column)) throw GridErrors.column_not_found(id);
    return column;
  }

  edgesOf(column: SheetColumn): ColumnEdge[] {
    return this.edges.filter((edge) => edge.columnId === column.id);
  }

  /** The graph of dependencies. Edges into columns that are not computed are left out: their cells stay as they are. */
  get graph(): DependencyGraph {
    return this.dependencies.all;
  }

  /** Computed columns whose cells change when cells of these columns do. */
  dependents(columns: SheetColumn[]): SheetColumn[] {
    return this.computedAmong(this.dependencies.all.allDependents(idsOf(columns)));
  }

  /** These columns and the computed ones whose cells change when theirs do. */
  withDependents(columns: SheetColumn[]): SheetColumn[] {
    return [...new Set([...columns, ...this.dependents(columns)])];
  }

  /** Like `dependents`, without columns that read these only because they are on their left. */
  explicitDependents(columns: SheetColumn[]): SheetColumn[] {
    return this.computedAmong(this.dependencies.explicit.allDependents(idsOf(columns)));
  }

  /** Live columns with an edge to this one, whether or not it has an effect. */
  readers(column: SheetColumn): SheetColumn[] {
    const ids = new Set(this.edges.filter((edge) => edge.sourceId === column.id).map((edge) => edge.columnId));
    return this.list.filter((reader) => ids.has(reader.id));
  }

  /**
   * Computed columns that must be up to date before these can be: their direct and indirect sources, except columns
   * that are read only because they are on the left. A scorecard scores stored values, stale or not.
   */
  computedSources(columns: SheetColumn[]): SheetColumn[] {
    const strict = columns.filter((column) => !isStep(column));
    return this.computedAmong(this.dependencies.explicit.allSources(idsOf(strict)));
  }

  /** Columns that use the stored values of this one, stale or not: it is on their left, or they score it. */
  tolerantReaders(column: SheetColumn): SheetColumn[] {
    const { all, left } = this.dependencies;
    return this.list.filter(
      (reader) =>
        left.get(reader.id)?.has(column.id) || (isStep(reader) && all.directSources(reader.id).has(column.id)),
    );
  }

  /** Cells are computed after those of lower rank in their rows. Scores come last, because no cell depends on them. */
  rank(column: SheetColumn): number {
    return isStep(column) ? LAST_RANK : this.graph.rank(column.id);
  }

  /**
   * The sources of a column that reads everything to its left, in the order they are shown; none for any other column.
   */
  leftOf(column: SheetColumn): LeftSource[] {
    const left = this.dependencies.left.get(column.id);
    if (!left) return [];
    const explicit = new Set(this.edgesOf(column).map((edge) => edge.sourceId));
    return this.list
      .filter(({ id }) => explicit.has(id) || left.has(id))
      .map((source) => ({ source, isImplicit: left.has(source.id) }));
  }

  /** Columns whose columns to the left, or the titles of these, were changed. */
  withOtherLeft(before: SheetColumns): SheetColumn[] {
    const described = (columns: SheetColumns, reader: SheetColumn) =>
      JSON.stringify(columns.leftOf(reader).map(({ source: { id, title } }) => [id, title]));
    return this.list.filter((reader) => {
      const earlier = this.readsLeft(reader) && before.find(reader.id);
      return earlier && described(before, earlier) !== described(this, reader);
    });
  }

  private get dependencies(): Dependencies {
    return (this.known ??= this.findDependencies());
  }

  /** Edges from columns to their metadata columns, whose cells change with theirs. */
  private measurements(): Dependency[] {
    return this.list.flatMap((column) => {
      const source = metadataSource(column)?.sourceColumnId;
      return source && this.byId.has(source) ? [{ dependent: column.id, source }] : [];
    });
  }

  private findDependencies(): Dependencies {
    const following = new Set(idsOf(this.computed));
    const live = this.edges.filter((edge) => following.has(edge.columnId) && this.byId.has(edge.sourceId));
    const stored = live.map(({ columnId, sourceId }) => ({ dependent: columnId, source: sourceId }));
    const explicit = new DependencyGraph([...stored, ...this.measurements()]);
    if (!this.list.some((column) => this.readsLeft(column))) return { explicit, all: explicit, left: new Map() };
    const all = new DependencyGraph(stored);
    const left = addLeftEdges(all, this.list, {
      reads: (column) => this.readsLeft(column),
      gets: (reader, column) => !reader.guard || !this.isComputed(column),
    });
    return { explicit, all, left };
  }

  private readsLeft(column: SheetColumn): boolean {
    return this.type(column).options.reads === 'left' && this.isComputed(column);
  }

  private computedAmong(ids: Set<string>): SheetColumn[] {
    return this.computed.filter((column) => ids.has(column.id));
  }
}

/** Higher than the number of columns of any sheet; a smallint. */
const LAST_RANK = 32_767;

function isStep({ owner }: SheetColumn): boolean {
  return owner === 'scorecard';
}

function idsOf(columns: SheetColumn[]): string[] {
  return columns.map((column) => column.id);
}
