import { Cell, CellHistory } from './cells/cell.entity.js';
import { ColumnChunk, ColumnChunkHistory } from './cells/column-chunk.entity.js';
import { ColumnHistory } from './columns/column-history.entity.js';
import { ColumnEdge, SheetColumn } from './columns/column.entity.js';
import { CompositionLink } from './composition/composition-link.entity.js';
import { ComputationTask, Execution } from './computation/execution.entity.js';
import { ImportChunk } from './imports/import-chunk.entity.js';
import { ImportOperation } from './imports/import-operation.entity.js';
import { ColumnPrompt } from './prompt-links/column-prompt.entity.js';
import { Sheet } from './sheets/sheet.entity.js';
import { Table } from './tables/table.entity.js';
import { SheetVersion } from './versions/sheet-version.entity.js';

export {
  CellFailure,
  type CellOutcome,
  ColumnType,
  type ColumnTypeOptions,
  type ComputingColumnType,
  type InputColumn,
} from './column-types/column-type.js';
export { SourceColumn, SourceColumns } from './column-types/source-fields.js';
export { asText } from './column-types/values.js';
export { ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './imports/importer.js';
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
  ImportOperation,
  ColumnPrompt,
  ColumnHistory,
  ImportChunk,
  CompositionLink,
];
