export {
  type CellEstimate,
  CellFailure,
  type CellOutcome,
  type CellResult,
  type CellRow,
  ColumnType,
  type ColumnTypeOptions,
  type ComputedMetrics,
  type ComputingColumnType,
  type ExternalColumnType,
  type InputColumn,
  type LeftValue,
  type RegisteredColumnType,
  TransientFailure,
} from './grid/column-type/column-type.js';
export type { CellContext, LoggedRequest, RecordedCall, TakenElsewhere } from './grid/column-type/cell-context.js';
export { parseConfig, requireReferences } from './grid/column-type/parse-config.js';
export { SourceColumn, SourceColumns, SourceMap } from './grid/column-type/source-fields.js';
export { asJson, asNumber, asText, canonicalJson, requireBoolean } from './grid/column-type/values.js';
export { withPromptVersion } from './column-types/with-prompt-version.js';
export { type Iteration, LoopBody, type LoopBodyPlugin, type LoopRow, MAPPINGS } from './column-types/loop-body.js';
export type { CellJson } from './grid/cells/cell-json.js';
export type { CellView } from './grid/cells/cell-view.js';
export type { SheetColumn } from './grid/columns/column.entity.js';
export type { GivenDependency } from './grid/columns/references.js';
export type { SheetColumns } from './grid/columns/sheet-columns.js';
export { withIds } from './grid/columns/with-ids.js';
export type { QueuedCells } from './grid/computing/queue-cells.js';
export { GridErrors } from './grid/grid.errors.js';
export type { GuardCondition, GuardEdge, GuardSide } from './grid/guards/column-guard.js';
export { afterNewVersion, type NewVersion } from './grid/versions/new-versions.js';
export { RowSet } from './grid/rows/row-set.js';
export type { Sheet } from './grid/sheet.entity.js';
export {
  type AfterCommit,
  type EndedExecution,
  type EndedImport,
  type ImportedRows,
  OwnsSheets,
  type RowTrace,
  type SheetExecution,
  type SheetOwnerPlugin,
} from './grid/sheet-owners.js';
export { LogRows } from './imports/log-rows.js';
export { type ImportFile, openFile, type SentFile } from './imports/import-file.js';
export { FILE_ERRORS, ImportErrors, REFUSED_FILES } from './imports/imports.errors.js';
export {
  MAX_IMPORTED_LOGS,
  type RequestLogImport,
  titlesOf,
  toDatasetImport,
  toRequestLogImport,
} from './imports/request-log-import.js';
export { isRequestLogField, REQUEST_LOG_FIELDS } from './imports/request-log-fields.js';
export { starterOf } from './imports/starter.js';
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
export { cellScorer } from './scoring/row-scores.js';
export { RowBody } from './rows/rows.dto.js';
export { SheetPath } from './sheets/sheets.dto.js';
export { getSheet } from './sheets/lock-sheet.js';
export { addressOf } from './sheets/sheets.service.js';
export { RunPlansService } from './operations/run-plans.service.js';
export { TraceRowErrors } from './trace-rows/trace-rows.errors.js';
export { type TraceForSheet, TraceRowsService } from './trace-rows/trace-rows.service.js';
export { TableErrors } from './tables.errors.js';
export { sourcesOf, wrongNameInTexts } from './owned-sheets/sources-of.js';
export { type MatrixCell, ScoreFailure } from './scoring/custom-score.js';
export type { ScoredColumn, ScoreResult } from './scoring/score-result.js';
export { SheetScorer, type SheetScoring, type SheetToScore } from './scoring/sheet-scorer.js';
export { type ColumnScores, readRowScores } from './scoring/row-scores.js';
export { ScoreEstimateBody } from './scorecards/calculations.dto.js';
export { ComparisonBody, toComparison } from './scorecards/comparisons.dto.js';
export { type Comparison, comparePaired } from './scorecards/statistics/comparison.js';
export { type Estimate, estimateScores, type Scale, scaleOfNumbers } from './scorecards/statistics/estimates.js';
export { ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './imports/importer.js';
export type { ImportOperation } from './imports/import-operation.entity.js';
export { TABLE_EXAMPLES } from './example-ids.js';
export { ROW_FILTER_GROUP } from './rows/row-filter-field.js';
export { ROW_FIELDS } from './rows/row-names.js';
export { ReuseField } from './operations/reuse-field.js';
export { matrixCell } from './scoring/scores.dto.js';
