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
  TransientFailure,
} from './grid/column-type/column-type.js';
export type { CellContext, LoggedRequest, RecordedCall } from './grid/column-type/cell-context.js';
export { SourceColumn, SourceColumns, SourceMap } from './grid/column-type/source-fields.js';
export { asText } from './grid/column-type/values.js';
export { ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './imports/importer.js';
export type { ImportOperation } from './imports/import-operation.entity.js';
export { TABLE_EXAMPLES } from './example-ids.js';
export { ROW_FIELDS } from './rows/row-names.js';
export { TablesModule } from './tables.module.js';
