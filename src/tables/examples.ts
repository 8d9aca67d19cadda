import { type EntityManager, IsNull } from 'typeorm';
import {
  EXAMPLE_SHEET_TO_DELETE,
  EXAMPLE_TABLE,
  EXAMPLE_TABLE_TO_DELETE,
  type ExampleIds,
} from '../platform/example-data.js';
import { cellIds } from '../grid/shared/cell-id.js';
import { SheetColumn } from '../grid/columns/column.entity.js';
import { Execution } from '../grid/computing/execution.entity.js';
import { Sheet } from '../grid/shared/sheet.entity.js';
import { SheetVersion } from '../grid/shared/sheet-version.entity.js';
import { ImportOperation } from '../imports/index.js';
import { Regression } from './regressions/regression.entity.js';
import { ScorecardCalculation } from './scorecards/scorecard-calculation.entity.js';
import { Table } from './shared/table.entity.js';
import { EXAMPLE_IDS } from './shared/example-ids.js';

type Found = Partial<Record<keyof typeof EXAMPLE_IDS, string>>;

const LIVE = { deletedAt: IsNull() };

/** A table of the example data, with its resources and those that may be deleted. */
export const TABLE_EXAMPLES: ExampleIds<keyof typeof EXAMPLE_IDS> = {
  ids: EXAMPLE_IDS,
  async read(manager, workspaceId) {
    const table = await findTable(manager, workspaceId, EXAMPLE_TABLE);
    const old = await findTable(manager, workspaceId, EXAMPLE_TABLE_TO_DELETE);
    return {
      table_to_delete: old?.id,
      ...(table && { table_id: table.id, ...(await inTable(manager, workspaceId, table.id)) }),
    };
  },
};

const findTable = (manager: EntityManager, workspaceId: number, title: string): Promise<Table | null> =>
  manager.findOne(Table, { where: { workspaceId, title, ...LIVE }, order: { createdAt: 'ASC' } });

async function inTable(manager: EntityManager, workspaceId: number, tableId: string): Promise<Found> {
  const sheets = await manager.find(Sheet, { where: { workspaceId, tableId, ...LIVE }, order: { index: 'ASC' } });
  const isScratch = ({ title }: Sheet) => title === EXAMPLE_SHEET_TO_DELETE;
  const [sheet, scratch] = [sheets.find((each) => !isScratch(each)), sheets.find(isScratch)];
  const imported = await manager.findOne(ImportOperation, { where: { workspaceId, tableId } });
  return {
    import_id: imported?.id,
    ...(scratch && { sheet_to_delete: scratch.id, column_to_delete: (await findColumn(manager, scratch))?.id }),
    ...(sheet && (await inSheet(manager, sheet))),
  };
}

async function inSheet(manager: EntityManager, sheet: Sheet): Promise<Found> {
  const where = { workspaceId: sheet.workspaceId, sheetId: sheet.id };
  const column = await findColumn(manager, sheet);
  const [version, earlier] = await manager.find(SheetVersion, { where, order: { number: 'DESC' }, take: 2 });
  const execution = await manager.findOne(Execution, { where: { ...where, owner: 'sheet' } });
  const row = sheet.rows.ranges[0]?.from;
  const calculation = await manager.findOne(ScorecardCalculation, { where, order: { number: 'DESC' } });
  const regression = await manager.findOne(Regression, { where });
  return {
    sheet_id: sheet.id,
    column_id: column?.id,
    cell_id: column && row !== undefined ? cellIds(column.key)(row) : undefined,
    version_id: version?.id,
    earlier_version_id: earlier?.id,
    operation_id: execution?.id,
    calculation_id: calculation?.id,
    regression_id: regression?.id,
  };
}

const findColumn = (manager: EntityManager, { workspaceId, id: sheetId }: Sheet): Promise<SheetColumn | null> =>
  manager.findOne(SheetColumn, {
    where: { workspaceId, sheetId, type: 'TEXT', ...LIVE },
    order: { positionRank: 'ASC' },
  });
