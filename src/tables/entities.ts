import { Cell, CellHistory } from './grid/cells/cell.entity.js';
import { ColumnChunk, ColumnChunkHistory } from './grid/states/column-chunk.entity.js';
import { ColumnHistory } from './grid/columns/column-history.entity.js';
import { ColumnEdge, SheetColumn } from './grid/columns/column.entity.js';
import { CompositionLink } from './grid/composition/composition-link.entity.js';
import { CallReservation, ComputationTask, Execution } from './grid/computing/execution.entity.js';
import { CellMemo } from './grid/computing/memo.entity.js';
import { ImportChunk } from './imports/import-chunk.entity.js';
import { ImportOperation } from './imports/import-operation.entity.js';
import { ColumnPrompt } from './grid/prompt-links/column-prompt.entity.js';
import { Sheet } from './grid/sheet.entity.js';
import { Table } from './tables/table.entity.js';
import { WorkspaceSettings } from './settings/workspace-settings.entity.js';
import { Regression } from './regressions/regression.entity.js';
import { ScorecardCalculation } from './scorecards/scorecard-calculation.entity.js';
import { ScorecardRow } from './scorecards/scorecard-row.entity.js';
import { Scorecard } from './scorecards/scorecard.entity.js';
import { ScoreCalculation } from './scoring/score-calculation.entity.js';
import { ScoreConfiguration } from './scoring/score-configuration.entity.js';
import { VersionScore } from './scoring/version-score.entity.js';
import { SheetView } from './views/sheet-view.entity.js';
import { SheetVersion } from './grid/versions/sheet-version.entity.js';

export const tableEntities = [
  WorkspaceSettings,
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
  CallReservation,
  CellMemo,
  ImportOperation,
  ColumnPrompt,
  ColumnHistory,
  ImportChunk,
  CompositionLink,
  ScoreConfiguration,
  ScoreCalculation,
  VersionScore,
  Scorecard,
  ScorecardCalculation,
  ScorecardRow,
  Regression,
  SheetView,
];
