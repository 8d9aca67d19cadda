import { type DataSource, IsNull } from 'typeorm';
import { Workspace } from '../access/index.js';
import { EXAMPLE_TABLE } from '../platform/example-data.js';
import { cellIds } from './grid/cells/cell-id.js';
import { SheetColumn } from './grid/columns/column.entity.js';
import { Execution } from './grid/computing/execution.entity.js';
import { Sheet } from './grid/sheet.entity.js';
import { SheetVersion } from './grid/versions/sheet-version.entity.js';
import { ImportOperation } from './imports/import-operation.entity.js';
import { Table } from './tables/table.entity.js';

/** Ids that the OpenAPI document shows in paths. The server puts those of its example data in their place. */
export const EXAMPLE_IDS = {
  table_id: 'e0000000-0000-4000-8000-000000000001',
  sheet_id: 'e0000000-0000-4000-8000-000000000002',
  column_id: 'e0000000-0000-4000-8000-000000000003',
  cell_id: 'e0000000-0000-4000-8000-000000000004',
  version_id: 'e0000000-0000-4000-8000-000000000005',
  operation_id: 'e0000000-0000-4000-8000-000000000006',
  import_id: 'e0000000-0000-4000-8000-000000000007',
} as const;
export type ExampleName = keyof typeof EXAMPLE_IDS;

/** What of the example data still exists. It is put into the first workspace; no stranger learns ids of another one's tables. */
export async function readExampleIds({ manager }: DataSource): Promise<Partial<Record<ExampleName, string>>> {
  const [first] = await manager.find(Workspace, { select: { id: true }, order: { id: 'ASC' }, take: 1 });
  if (!first) return {};
  const workspaceId = first.id;
  const live = { deletedAt: IsNull() };
  const table = await manager.findOne(Table, {
    where: { workspaceId, title: EXAMPLE_TABLE, ...live },
    order: { createdAt: 'ASC' },
  });
  if (!table) return {};
  const tableId = table.id;
  const sheet = await manager.findOne(Sheet, { where: { workspaceId, tableId, ...live }, order: { index: 'ASC' } });
  if (!sheet) return { table_id: tableId };
  const inSheet = { workspaceId, sheetId: sheet.id };
  const column = await manager.findOne(SheetColumn, {
    where: { ...inSheet, type: 'TEXT', ...live },
    order: { positionRank: 'ASC' },
  });
  const version = await manager.findOne(SheetVersion, { where: inSheet, order: { number: 'DESC' } });
  const execution = await manager.findOne(Execution, { where: inSheet });
  const imported = await manager.findOne(ImportOperation, { where: { workspaceId, tableId } });
  const row = sheet.rows.ranges[0]?.from;
  return {
    table_id: tableId,
    sheet_id: sheet.id,
    column_id: column?.id,
    cell_id: column && row !== undefined ? cellIds(column.key)(row) : undefined,
    version_id: version?.id,
    operation_id: execution?.id,
    import_id: imported?.id,
  };
}
