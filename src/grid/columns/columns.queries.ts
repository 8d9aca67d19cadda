import type { EntityManager } from 'typeorm';
import { Statement, type Step } from '../../platform/database/statement.js';
import { ColumnEdge, SheetColumn } from './column.entity.js';
import type { ResolvedEdge } from './references.js';

/** A column and its edges, in the order of `column_edges.ordinal`. */
export type ColumnRow = Omit<SheetColumn, 'sheet' | 'deletedAt'> & { edges: ResolvedEdge[] };

export interface ColumnsWithEdges {
  list: SheetColumn[];
  edges: ColumnEdge[];
}

/** The live columns `c` of a sheet ($1, $2); conditions may follow. */
export const LIVE_COLUMNS = `
  SELECT c.workspace_id AS "workspaceId", c.id, c.key, c.sheet_id AS "sheetId", c.owner, c.title, c.type, c.config, c.guard,
         c.position_rank AS "positionRank", c.is_output_column AS "isOutputColumn", c.version,
         c.created_at AS "createdAt", c.updated_at AS "updatedAt",
         (SELECT coalesce(jsonb_agg(jsonb_build_object('sourceId', e.source_id, 'configKey', e.config_key,
                                                       'configMeta', e.config_meta) ORDER BY e.ordinal), '[]')
            FROM column_edges e WHERE e.workspace_id = $1 AND e.column_id = c.id) AS edges
    FROM sheet_columns c
   WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.deleted_at IS NULL`;

const READ = new Statement<ColumnRow>(`${LIVE_COLUMNS} ORDER BY c.position_rank, c.key`);

/** Reads the columns of a sheet, for `toColumns`. */
export function columnsStep(sheet: { workspaceId: number; id: string }): Step<ColumnRow> {
  return READ.with([sheet.workspaceId, sheet.id]);
}

/**
 * Reads the columns of a sheet in the order they are shown, with their edges. It is one statement, because every
 * request needs them.
 */
export async function readColumns(
  tx: EntityManager,
  sheet: { workspaceId: number; id: string },
): Promise<ColumnsWithEdges> {
  return toColumns(await READ.run(tx, [sheet.workspaceId, sheet.id]));
}

/** Sorts the columns. The steps of a scorecard come last: all columns of the sheet are to their left. */
export function toColumns(rows: ColumnRow[]): ColumnsWithEdges {
  const isStep = ({ owner }: ColumnRow) => Number(owner === 'scorecard');
  const columns = rows
    .toSorted((a, b) => isStep(a) - isStep(b))
    .map(({ edges, ...fields }) => {
      const column = Object.assign(new SheetColumn(), fields, { deletedAt: null });
      return { column, edges: edges.map((edge, ordinal) => toEdge(column, ordinal, edge)) };
    });
  return { list: columns.map(({ column }) => column), edges: columns.flatMap(({ edges }) => edges) };
}

function toEdge({ workspaceId, id: columnId, sheetId }: SheetColumn, ordinal: number, edge: ResolvedEdge): ColumnEdge {
  return Object.assign(new ColumnEdge(), { workspaceId, columnId, sheetId, ordinal, ...edge });
}
