import { type EntityManager, IsNull } from 'typeorm';
import type { ColumnTypes, RegisteredColumnType } from '../column-types/column-type.js';
import { DependencyGraph } from '../computation/dependency-graph.js';
import { TableErrors } from '../tables.errors.js';
import { ColumnEdge, SheetColumn } from './column.entity.js';

/** The live columns of a sheet in the order they are shown, what they read, and what follows from that. */
export class SheetColumns {
  readonly graph: DependencyGraph;
  private readonly byId: Map<string, SheetColumn>;

  constructor(
    readonly list: SheetColumn[],
    readonly edges: ColumnEdge[],
    private readonly types: ColumnTypes,
  ) {
    this.byId = new Map(list.map((column) => [column.id, column]));
    const live = edges.filter((edge) => this.byId.has(edge.columnId) && this.byId.has(edge.sourceId));
    this.graph = new DependencyGraph(live.map(({ columnId, sourceId }) => ({ dependent: columnId, source: sourceId })));
  }

  static async read(
    tx: EntityManager,
    types: ColumnTypes,
    sheet: { workspaceId: number; id: string },
  ): Promise<SheetColumns> {
    const where = { workspaceId: sheet.workspaceId, sheetId: sheet.id };
    const list = await tx.find(SheetColumn, {
      where: { ...where, deletedAt: IsNull() },
      order: { positionRank: 'ASC', key: 'ASC' },
    });
    const edges = await tx.find(ColumnEdge, { where, order: { columnId: 'ASC', ordinal: 'ASC' } });
    return new SheetColumns(list, edges, types);
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

  isComputed(column: SheetColumn): boolean {
    return this.type(column).options.kind !== 'input';
  }

  /** Throws column_not_editable for a column whose cells are computed. */
  requireInput(column: SheetColumn): void {
    if (this.isComputed(column)) throw TableErrors.column_not_editable(column.title);
  }

  get computed(): SheetColumn[] {
    return this.list.filter((column) => this.isComputed(column));
  }

  get inputs(): SheetColumn[] {
    return this.list.filter((column) => !this.isComputed(column));
  }

  edgesOf(column: SheetColumn): ColumnEdge[] {
    return this.edges.filter((edge) => edge.columnId === column.id);
  }

  /** Computed columns whose cells change when cells of these columns do. */
  dependents(columns: SheetColumn[]): SheetColumn[] {
    const reached = this.graph.allDependents(columns.map((column) => column.id));
    return this.computed.filter((column) => reached.has(column.id));
  }

  /** Computed columns that these read, directly or not. */
  computedSources(columns: SheetColumn[]): SheetColumn[] {
    const reached = this.graph.allSources(columns.map((column) => column.id));
    return this.computed.filter((column) => reached.has(column.id));
  }
}
