import { type Examples, NOWHERE } from '../../test/support/examples.js';
import { addCount, importLogs, newSheet, readRows, settled } from '../../test/support/factories.js';
import { findRegression } from '../../test/support/regressions.js';
import { calculateScorecard } from '../../test/support/scorecards.js';
import { versionAt } from '../../test/support/versions.js';

export default {
  unknown: {
    table_id: NOWHERE,
    sheet_id: NOWHERE,
    cell_id: NOWHERE,
    version_id: NOWHERE,
    column_id: NOWHERE,
    operation_id: NOWHERE,
    calculation_id: NOWHERE,
    regression_id: NOWHERE,
    row_index: 1_000_000,
  },
  bodies: {
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns': { title: 'Mine', type: 'TEXT' },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns/preview': {
      type: 'CONTAINS',
      config: { source: 'Column A', value: 'x' },
    },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/operations': { operation: 'recalculate' },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells/recalculations': { cell_ids: [NOWHERE] },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/imports/request-logs': { filter_group: { filters: [] } },
    'DELETE /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows': { row_indices: [0] },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows/search': { filter: { filters: [] } },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/versions': { name: 'Mine' },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/imports/file': {
      file_name: 'mine.csv',
      file_content_base64: 'aW5wdXQK',
    },
    'PATCH /api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells/{cell_id}': { value: 'Mine' },
    'PATCH /api/public/v2/tables/{table_id}/sheets/{sheet_id}/score': { column_names: ['Column A'] },
    'POST /api/public/v2/tables/{table_id}/sheets/{sheet_id}/regressions': { good_version: 1, bad_version: 2 },
    'PATCH /api/public/v2/tables/{table_id}/sheets/{sheet_id}/scorecard': { name: 'Mine', aggregation: {} },
    'PUT /api/public/v2/tables/{table_id}/sheets/{sheet_id}/view': {
      hidden_column_ids: [],
      pinned_column_ids: [],
      widths: [],
    },
    'PATCH /api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells': {
      cells: [{ row_index: 0, column: 'Column A', value: 'Mine' }],
    },
  },
  queries: {
    'GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells': '?row_index=0&column=Column%20A',
  },
  async create({ me }) {
    // A second table, so that the list of tables has more than one page.
    await newSheet(me);
    const sheet = await newSheet(me, ['text', 'more text']);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [row] = (await readRows(me, sheet)).data;
    const operation = row!.cells[count.id]!.execution_id!;
    // The import has the id of the computation, so that the routes of both kinds of operations find one.
    await importLogs(me, sheet, { filter_group: { filters: [] }, operation_id: operation });
    const step = {
      title: 'Short',
      primitive_type: 'COUNT',
      primitive_config: { source: 'Column A', type: 'chars', max_count: 5 },
    };
    await calculateScorecard(me, sheet, [step]);
    const calculation = await calculateScorecard(me, sheet);
    const regression = await findRegression(me, sheet, {
      good_version: 1,
      bad_version: 2,
      column_ids: [sheet.columnId],
    });
    return {
      table_id: sheet.tableId,
      sheet_id: sheet.id,
      cell_id: row!.cells[sheet.columnId]!.id,
      version_id: (await versionAt(me, sheet, 1)).id,
      column_id: sheet.columnId,
      operation_id: operation,
      calculation_id: calculation.id,
      regression_id: regression.id,
      row_index: row!.row_index,
    };
  },
} satisfies Examples;
