export { scoreDefault, type SheetMoment } from './calculate-score.js';
export { type CalculationStatus, SheetCalculation } from './calculation.entity.js';
export { BooleanRules } from './column-score.js';
export { type MatrixCell, ScoreFailure } from './custom-score.js';
export { type GivenScore, type GivenScoreConfig, readGivenScore } from './given-score.js';
export { queueCalculation } from './queue-calculation.js';
export { cellScorer, type ColumnScores, readRowScores } from './row-scores.js';
export { RunningMean } from './running-mean.js';
export { ScoreCalculation } from './score-calculation.entity.js';
export { pagesOf, readValueGroups, type RowPage } from './score-cells.queries.js';
export { configuredColumns, verdictColumns } from './score-columns.js';
export {
  ASSERTION_AGGREGATIONS,
  type AssertionAggregation,
  type ScoreConfig,
  SCORING_TYPES,
  type ScoringType,
} from './score-config.js';
export { ScoreConfiguration } from './score-configuration.entity.js';
export { findConfiguration, replaceConfiguration, restoreConfiguration } from './score-configurations.queries.js';
export {
  type ScoredColumn,
  type ScoreResult,
  unscored,
  VERSION_SCORE_TYPES,
  type VersionScoreType,
} from './score-result.js';
export { ScoreErrors } from './scores.errors.js';
export { SheetScorer, type SheetScoring, type SheetToScore } from './sheet-scorer.js';
export { SheetSetting } from './sheet-setting.entity.js';
export { VersionScore } from './version-score.entity.js';
export { attachScore, readVersionScores, type VersionScores } from './version-scores.queries.js';
