import type { EntityManager } from 'typeorm';
import type { ColumnTypes, RegisteredColumnType } from '../column-type/column-type.js';
import { type KindRules, rulesOf } from '../column-type/kinds.js';
import { type Dependency, DependencyGraph } from './dependency-graph.js';
import { metadataSource } from './metadata-source.js';
import { GridErrors } from '../grid.errors.js';
import type { ColumnEdge, SheetColumn } from './column.entity.js';
import { readColumns } from './columns.queries.js';

/** The live columns of a sheet in the order they are shown, what they read, and what follows from that. */
export class SheetColumns {
  /** What follows what. Edges into columns that are not computed lead nowhere: their cells stay as they are. */
  readonly graph: DependencyGraph;
  private readonly byId: Map<string, SheetColumn>;

  constructor(
    readonly list: SheetColumn[],
    readonly edges: ColumnEdge[],
    private readonly types: ColumnTypes,
  ) {
    this.byId = new Map(list.map((column) => [column.id, column]));
    const following = new Set(this.computed.map((column) => column.id));
    const live = edges.filter((edge) => following.has(edge.columnId) && this.byId.has(edge.sourceId));
    const read = live.map(({ columnId, sourceId }) => ({ dependent: columnId, source: sourceId }));
    // What is measured of the cells of a column changes with them.
    const measured = list.flatMap((column): Dependency[] => {
      const source = metadataSource(column)?.sourceColumnId;
      return source && this.byId.has(source) ? [{ dependent: column.id, source }] : [];
    });
    this.graph = new DependencyGraph([...read, ...measured]);
  }

  static async read(
    tx: EntityManager,
    types: ColumnTypes,
    sheet: { workspaceId: number; id: string },
  ): Promise<SheetColumns> {
    const { list, edges } = await readColumns(tx, sheet);
    return new SheetColumns(list, edges, types);
  }

  /** What lists have: the columns of people, and on request those that measure them. */
  shown({ withSystem }: { withSystem: boolean }): SheetColumn[] {
    return this.list.filter(({ owner }) => owner === 'sheet' || (withSystem && owner === 'metadata'));
  }

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

  /** True for a computed column whose results come from outside: its cells wait, and may cost money. */
  isExternal(column: SheetColumn): boolean {
    const { computes, repeats } = this.rules(column);
    return computes && !repeats;
  }

  get computed(): SheetColumn[] {
    return this.list.filter((column) => this.isComputed(column));
  }

  /** Columns whose cells have a state; a cell of theirs that was never filled is stale. */
  get withStates(): SheetColumn[] {
    return this.list.filter((column) => this.rules(column).hasStates);
  }

  /** Columns that people and imports fill in with anything, blank where they did not. */
  get inputs(): SheetColumn[] {
    return this.list.filter((column) => this.rules(column).edits === 'value');
  }

  /** Columns whose cells hold what people, imports or other sheets have put there. */
  get given(): SheetColumn[] {
    return this.list.filter((column) => column.owner === 'sheet' && !this.isComputed(column));
  }

  /** False for a computed column that reads nothing: it has the same value in every row. */
  dependsOnRow(key: string): boolean {
    const column = this.byKey(key);
    return column !== undefined && (!this.isComputed(column) || this.graph.directSources(column.id).size > 0);
  }

  /** Throws column_not_found. */
  require(id: string): SheetColumn {
    const column = this.find(id);
    if (!column) throw GridErrors.column_not_found(id);
    return column;
  }

  edgesOf(column: SheetColumn): ColumnEdge[] {
    return this.edges.filter((edge) => edge.columnId === column.id);
  }

  /** Computed columns whose cells change when cells of these columns do. */
  dependents(columns: SheetColumn[]): SheetColumn[] {
    const reached = this.graph.allDependents(columns.map((column) => column.id));
    return this.computed.filter((column) => reached.has(column.id));
  }

  /** Live columns that have an edge to this one, whatever follows from it. */
  readers(column: SheetColumn): SheetColumn[] {
    const ids = new Set(this.edges.filter((edge) => edge.sourceId === column.id).map((edge) => edge.columnId));
    return this.list.filter((reader) => ids.has(reader.id));
  }

  /** Computed columns that these read, directly or not. */
  computedSources(columns: SheetColumn[]): SheetColumn[] {
    const reached = this.graph.allSources(columns.map((column) => column.id));
    return this.computed.filter((column) => reached.has(column.id));
  }
}
