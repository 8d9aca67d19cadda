import type { Origin } from '../llm/records/origin.js';

/**
 * What a sheet is part of. Its owner decides by which routes it is reached and what it is called there; rows, cells,
 * versions and computing are the same for all.
 */
export const SHEET_OWNERS = ['table', 'dataset_version', 'evaluation_run', 'workflow_run', 'regression'] as const;
export type SheetOwner = (typeof SHEET_OWNERS)[number];

/** The origin of the traces and calls of cells, by the owner of their sheet. */
export const ORIGINS_BY_OWNER: Readonly<Record<SheetOwner, Origin>> = {
  table: 'sheet',
  dataset_version: 'sheet',
  evaluation_run: 'evaluation',
  workflow_run: 'workflow',
  regression: 'sheet',
};

/** Sheets of these owners are computed and kept: nothing that happens outside of them makes their cells stale. */
export const KEEPING_OWNERS: readonly SheetOwner[] = ['evaluation_run', 'workflow_run', 'regression'];

/**
 * Every row of a sheet of these owners is a run: it goes through the computed columns once, nobody changes what is in it
 * meanwhile, and no other row waits for it. So one worker takes it through its columns, and what it stores makes nothing stale.
 */
export const RUN_OWNERS: readonly SheetOwner[] = ['workflow_run'];

/**
 * Who has added a column: a person (`sheet`), the server to measure the cells of another column (`metadata`), or a
 * scorecard for one of its steps.
 */
export const COLUMN_OWNERS = ['sheet', 'metadata', 'scorecard'] as const;
export type ColumnOwner = (typeof COLUMN_OWNERS)[number];

/**
 * Whose cells are computed. What a scorecard computes is no part of the sheet: it makes no version, and it is counted and
 * listed apart.
 */
export type ExecutionOwner = Extract<ColumnOwner, 'sheet' | 'scorecard'>;
