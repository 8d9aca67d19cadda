import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { ColumnTypes, type RegisteredColumnType } from '../../grid/column-type/column-type.js';
import { addColumn, type AddedColumn } from '../../grid/column-edits/add-column.js';
import {
  changeColumn,
  type ChangedColumn,
  type ColumnTarget,
  removeColumn,
  type TypedPatch,
} from '../../grid/column-edits/change-column.js';
import { SheetColumn } from '../../grid/columns/column.entity.js';
import { rulesOf } from '../../grid/column-type/kinds.js';
import { findCreatableType, isCreatable } from '../../grid/columns/creatable-type.js';
import { moveColumn } from '../../grid/column-edits/move-column.js';
import type { GivenDependency } from '../../grid/columns/references.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { withIds } from '../../grid/columns/with-ids.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { countStates, type StatusCounts } from '../../grid/computing/count-states.js';
import { Execution } from '../../grid/computing/execution.entity.js';
import { queueCells, type QueuedCells, type QueueOptions } from '../../grid/computing/queue-cells.js';
import type { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';

export interface NewOwnedColumn {
  title: string;
  /** The name of a type that people may create, in any letter case; or a registered type, see `typeOf`. */
  type: string | RegisteredColumnType;
  config: JsonObject;
  /** Columns for ambiguous titles in its config. */
  dependencies?: GivenDependency[];
  /** Position among the columns that people see, from 0. Default: the end. */
  position?: number | null;
}

/** A selection of computed cells; absent fields mean all. */
export interface OwnedCells extends QueueOptions {
  columnIds?: string[];
  rows?: RowSet;
}

/** The columns of sheets with owners other than tables, and the computation of their cells. Sheets must be locked. */
@Injectable()
export class OwnedColumns {
  constructor(
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
  ) {}

  read(tx: EntityManager, sheet: Pick<Sheet, 'workspaceId' | 'id'>): Promise<SheetColumns> {
    return SheetColumns.read(tx, this.types, sheet);
  }

  /** The titles of the columns that people see, by sheet, with one statement. */
  async titles(tx: EntityManager, workspaceId: number, sheetIds: string[]): Promise<Map<string, string[]>> {
    const columns = await tx.query<{ sheetId: string; titles: string[] }[]>(
      `SELECT sheet_id AS "sheetId", array_agg(title ORDER BY position_rank, key) AS titles FROM sheet_columns
        WHERE workspace_id = $1 AND sheet_id = ANY($2::uuid[]) AND owner = 'sheet' AND deleted_at IS NULL GROUP BY 1`,
      [workspaceId, sheetIds],
    );
    const known = new Map(columns.map(({ sheetId, titles }) => [sheetId, titles]));
    return new Map(sheetIds.map((id) => [id, known.get(id) ?? []]));
  }

  /** The type with this name. Without a plugin of that name, its cells fail with the reason. */
  typeOf(name: string): RegisteredColumnType {
    return this.types.get(name);
  }

  /** The types that people may add and whose cells are computed from their rows, by name. */
  computedTypes(): RegisteredColumnType[] {
    return this.types.list().filter((type) => isCreatable(type) && rulesOf(type.options.kind).computes);
  }

  /** Finds such a type by a name in any letter case, or by an alias. null when there is none. */
  findComputedType(name: string): RegisteredColumnType | null {
    const type = this.types.find(name);
    return type && isCreatable(type) && rulesOf(type.options.kind).computes ? type : null;
  }

  /**
   * Adds a column; the cells of a computed one are queued. Notify workers of `queued` after the commit. Throws the
   * errors of `addColumn`.
   */
  async add(
    tx: EntityManager,
    sheet: Sheet,
    { type, title, config, dependencies = [], position = null }: NewOwnedColumn,
    createdBy: string | null,
  ): Promise<AddedColumn> {
    const known = typeof type === 'string' ? findCreatableType(this.types, type) : type;
    const added = await addColumn(tx, { types: this.types, type: known, createdBy }, sheet, {
      title,
      config,
      dependencies,
    });
    if (position !== null) await this.move(tx, { sheet, columnId: added.column.id, createdBy }, position);
    return added;
  }

  /** Changes the given fields. Nothing is recomputed; `affected` lists the stale columns. */
  change(tx: EntityManager, target: ColumnTarget, patch: TypedPatch): Promise<ChangedColumn> {
    return changeColumn(tx, this.types, target, patch);
  }

  move(tx: EntityManager, target: ColumnTarget, position: number): Promise<ChangedColumn> {
    return moveColumn(tx, this.types, target, position);
  }

  async remove(tx: EntityManager, target: ColumnTarget): Promise<SheetColumn> {
    return (await removeColumn(tx, this.types, target)).removed;
  }

  /**
   * Appends columns of another sheet in their order, without cells, and returns their new ids. Their sources are looked
   * up among the copied columns, and among existing ones with the same titles.
   */
  async copy(
    tx: EntityManager,
    { from, to }: { from: Pick<Sheet, 'workspaceId' | 'id'>; to: Sheet },
    columnIds: string[],
    createdBy: string | null,
  ): Promise<Map<string, string>> {
    const source = await this.read(tx, from);
    const ids = await this.namesakes(tx, source, to);
    for (const column of source.list.filter(({ id }) => columnIds.includes(id))) {
      const config = withIds(column.config, ids);
      const dependencies = source
        .edgesOf(column)
        .flatMap(({ sourceId, configKey, configMeta }) =>
          ids.has(sourceId) ? [{ columnId: ids.get(sourceId)!, configKey, configMeta }] : [],
        );
      const adding = { types: this.types, type: source.type(column), createdBy };
      const { title, isOutputColumn } = column;
      const added = await addColumn(tx, adding, to, { title, config, dependencies, isOutputColumn });
      ids.set(column.id, added.column.id);
    }
    return ids;
  }

  /** Queues computed cells. null when there is nothing to compute; otherwise notify after the commit. */
  async queue(
    tx: EntityManager,
    sheet: Sheet,
    { columnIds, rows = sheet.rows, ...options }: OwnedCells = {},
  ): Promise<QueuedCells | null> {
    const columns = await this.read(tx, sheet);
    const wanted = columns.computed.filter(({ id, owner }) => owner === 'sheet' && (columnIds?.includes(id) ?? true));
    const cells = new Map(wanted.map((column) => [column, rows]));
    return queueCells(tx, sheet, columns, { cells, ...options });
  }

  /** Counts the cells of the columns that people see by state. */
  async count(tx: EntityManager, sheet: Sheet): Promise<StatusCounts> {
    return countStates(tx, sheet, await this.read(tx, sheet));
  }

  /** Counts the completed cells with a reused result, over all operations of the sheet. */
  async countReused(tx: EntityManager, { workspaceId, id }: Pick<Sheet, 'workspaceId' | 'id'>): Promise<number> {
    return (await tx.sum(Execution, 'reusedCount', { workspaceId, sheetId: id })) ?? 0;
  }

  /** Notifies workers of queued cells. Call it after the commit. Never waits. */
  notify(queued: QueuedCells | null): void {
    this.notifier.notify(queued);
  }

  /** Notifies workers of cells that may be ready because columns were changed, moved or removed. */
  notifyOfChanges(): void {
    this.notifier.notifyBoth();
  }

  private async namesakes(tx: EntityManager, source: SheetColumns, to: Sheet): Promise<Map<string, string>> {
    const { workspaceId, id: sheetId } = to;
    const titles = source.ofSheet.map(({ title }) => title);
    const here = await tx.findBy(SheetColumn, { workspaceId, sheetId, title: In(titles) });
    const live = new Map(here.filter(({ deletedAt }) => deletedAt === null).map(({ title, id }) => [title, id]));
    return new Map(
      source.ofSheet.flatMap(({ id, title }) => (live.has(title) ? [[id, live.get(title)!] as const] : [])),
    );
  }
}
