import { Cell, CellHistory } from './grid/cells/cell.entity.js';
import { ColumnChunk, ColumnChunkHistory } from './grid/states/column-chunk.entity.js';
import { ColumnHistory } from './grid/columns/column-history.entity.js';
import { ColumnEdge, SheetColumn } from './grid/columns/column.entity.js';
import { CompositionLink } from './grid/composition/composition-link.entity.js';
import { ComputationTask, Execution } from './grid/computing/execution.entity.js';
import { CellMemo } from './grid/computing/memo.entity.js';
import { ImportChunk } from './imports/import-chunk.entity.js';
import { ImportOperation } from './imports/import-operation.entity.js';
import { ColumnPrompt } from './grid/prompt-links/column-prompt.entity.js';
import { Sheet } from './grid/sheet.entity.js';
import { Table } from './tables/table.entity.js';
import { WorkspaceSettings } from './settings/workspace-settings.entity.js';
import { SheetVersion } from './grid/versions/sheet-version.entity.js';

export {
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
export type { CellContext, LoggedRequest } from './grid/column-type/cell-context.js';
export { SourceColumn, SourceColumns, SourceMap } from './grid/column-type/source-fields.js';
export { asText } from './grid/column-type/values.js';
export { ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './imports/importer.js';
export { EXAMPLE_IDS, type ExampleName, readExampleIds } from './example-ids.js';
export { TablesModule } from './tables.module.js';

export const tableEntities = [
  Table,
  Sheet,
  SheetColumn,
  ColumnEdge,
  SheetVersion,
  Cell,
  CellHistory,
  ColumnChunk,
  ColumnChunkHistory,
  Execution,
  ComputationTask,
  CellMemo,
  ImportOperation,
  ColumnPrompt,
  ColumnHistory,
  ImportChunk,
  CompositionLink,
  WorkspaceSettings,
];
