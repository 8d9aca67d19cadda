import type { Origin } from '../../llm/records/origin.js';

/**
 * The kinds of owners of sheets. An owner decides on the routes and the name of its sheets. Rows, cells, versions and
 * computing are the same for all.
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

/** Owners whose sheets keep their results: changes outside of a sheet do not make its cells stale. */
export const KEEPING_OWNERS: readonly SheetOwner[] = ['evaluation_run', 'workflow_run', 'regression'];

/**
 * Owners whose rows are runs: a row goes through the computed columns once, its inputs do not change meanwhile, and no
 * other row depends on it. One worker therefore takes it through its columns, and its results make nothing stale.
 */
export const RUN_OWNERS: readonly SheetOwner[] = ['workflow_run'];

/**
 * The creators of columns: a person (`sheet`), the server for measuring the cells of another column (`metadata`), or a
 * scorecard for one of its steps.
 */
export const COLUMN_OWNERS = ['sheet', 'metadata', 'scorecard'] as const;
export type ColumnOwner = (typeof COLUMN_OWNERS)[number];

/**
 * The owner of computed cells. Results of a scorecard are no part of the sheet: they make no version, and are counted
 * and listed separately.
 */
export type ExecutionOwner = Extract<ColumnOwner, 'sheet' | 'scorecard'>;
