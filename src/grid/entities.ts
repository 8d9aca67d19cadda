import { Cell, CellHistory } from './cells/cell.entity.js';
import { ColumnHistory } from './columns/column-history.entity.js';
import { ColumnEdge, SheetColumn } from './columns/column.entity.js';
import { CompositionLink } from './composition/composition-link.entity.js';
import { CallReservation, ComputationTask, Execution } from './computing/execution.entity.js';
import { CellMemo } from './computing/memo.entity.js';
import { ColumnPrompt } from './prompt-links/column-prompt.entity.js';
import { WorkspaceSettings } from './settings/workspace-settings.entity.js';
import { Sheet } from './shared/sheet.entity.js';
import { ColumnChunk, ColumnChunkHistory } from './states/column-chunk.entity.js';
import { SheetVersion } from './shared/sheet-version.entity.js';

export const gridEntities = [
  WorkspaceSettings,
  Sheet,
  SheetColumn,
  ColumnEdge,
  ColumnHistory,
  ColumnPrompt,
  SheetVersion,
  Cell,
  CellHistory,
  ColumnChunk,
  ColumnChunkHistory,
  CompositionLink,
  Execution,
  ComputationTask,
  CallReservation,
  CellMemo,
];
