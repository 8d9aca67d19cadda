export { OwnedColumns } from './owned-sheets/owned-columns.js';
export { OwnedRows, type ReadPage } from './owned-sheets/owned-rows.js';
export { type NewOwnedSheet, OwnedSheets } from './owned-sheets/owned-sheets.js';
export {
  isCellPending,
  type NewOwnedStep,
  OwnedSteps,
  rowIsPending,
  type RunPlace,
  type RunStep,
  type RunSteps,
} from './owned-sheets/owned-steps.js';
export { type ComputedPart, type CopiedSheet, SheetCopies } from './owned-sheets/sheet-copies.js';
export type { MadeCalls } from './erasure/erase-rows.queries.js';
export type { RowsOfSheet } from './erasure/found-rows.js';
export { PersonalRows } from './erasure/personal-rows.js';
export {
  eraseScorecardResults,
  eraseScoreResults,
  eraseVerdicts,
  restartCalculations,
} from './erasure/erase-scores.queries.js';
export { eraseImportRequests, eraseKeptResults } from './erasure/sought-in-tables.queries.js';
export { type FedSheet, FedRows } from './fed-rows/fed-rows.js';
export { type ReviewedSheet, ReviewedRows } from './reviewed-rows/reviewed-rows.js';
export { RowBody } from './rows/rows.dto.js';
export { SheetPath } from './sheets/sheets.dto.js';
export { getSheet } from './sheets/lock-sheet.js';
export { addressOf } from './sheets/sheets.service.js';
export { RunPlansService } from './operations/run-plans.service.js';
export { TraceRowErrors } from './trace-rows/trace-rows.errors.js';
export { type TraceForSheet, TraceRowsService } from './trace-rows/trace-rows.service.js';
export { TableErrors } from './shared/tables.errors.js';
export { ScoreEstimateBody } from './scorecards/calculations.dto.js';
export { ComparisonBody, toComparison } from './scorecards/comparisons.dto.js';
export { TABLE_EXAMPLES } from './examples.js';
export { ROW_FILTER_GROUP } from './rows/row-filter-field.js';
export { ROW_FIELDS } from './rows/row-names.js';
export { ReuseField } from './operations/reuse-field.js';
export { matrixCell } from './scoring/scores.dto.js';
