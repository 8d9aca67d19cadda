import { randomUUID } from 'node:crypto';
import { type EntityManager, IsNull } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnOwner } from '../shared/sheet-owner.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { ColumnEdge, SheetColumn } from './column.entity.js';
import type { ResolvedEdge } from './references.js';

/** Ranks have gaps, so that a column can be moved between two others without touching them. */
export const RANK_GAP = 1024;

export interface NewColumn {
  /** Default: a person. */
  owner?: ColumnOwner;
  title: string;
  type: string;
  config: JsonObject;
  isOutputColumn: boolean;
  edges: ResolvedEdge[];
  /** The sheet version that adds it. Default: the next one. */
  version?: number;
}

interface ColumnPlace {
  workspaceId: number;
  sheetId: string;
  columnId: string;
}

/** Adds a column at the end of a locked sheet, as part of its next version. */
export async function insertColumn(tx: EntityManager, sheet: Sheet, column: NewColumn): Promise<SheetColumn> {
  const { workspaceId, id: sheetId } = sheet;
  const last = await tx.maximum(SheetColumn, 'positionRank', { workspaceId, sheetId, deletedAt: IsNull() });
  const { edges, version = sheet.version + 1, ...fields } = column;
  const id = randomUUID();
  const positionRank = (last ?? 0) + RANK_GAP;
  await tx.insert(SheetColumn, {
    ...fields,
    config: fields.config as object,
    workspaceId,
    sheetId,
    id,
    positionRank,
    version,
  });
  await insertEdges(tx, { workspaceId, sheetId, columnId: id }, edges);
  return tx.findOneByOrFail(SheetColumn, { workspaceId, id });
}

/** Stores the edges of a column. It must have none yet. */
export async function insertEdges(tx: EntityManager, column: ColumnPlace, edges: ResolvedEdge[]): Promise<void> {
  if (edges.length > 0) await tx.insert(ColumnEdge, toEdgeRows(column, edges));
}

/** Converts the edges of a column to rows. */
export function toEdgeRows(column: ColumnPlace, edges: ResolvedEdge[]) {
  return edges.map(({ configMeta, ...edge }, ordinal) => ({
    ...edge,
    configMeta: configMeta as object | null,
    ...column,
    ordinal,
  }));
}
