import { Table } from './shared/table.entity.js';
import { Regression } from './regressions/regression.entity.js';
import { ScorecardCalculation } from './scorecards/scorecard-calculation.entity.js';
import { ScorecardRow } from './scorecards/scorecard-row.entity.js';
import { Scorecard } from './scorecards/scorecard.entity.js';
import { SheetView } from './views/sheet-view.entity.js';

export const tableEntities = [Table, Scorecard, ScorecardCalculation, ScorecardRow, Regression, SheetView];
