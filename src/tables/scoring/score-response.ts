import type { ScoreConfiguration, ScoredColumn, ScoreResult } from '../../scoring/index.js';
import type {
  ScoreAggregate,
  ScoreColumnBody,
  ScoreColumnDetail,
  ScoreConfigurationBody,
  ScoreDetails,
  ScoreMetricBody,
  ScoreResponse,
} from './scores.dto.js';
import type { ScorecardCalculation } from '../scorecards/scorecard-calculation.entity.js';
import type { SheetScore } from './scores.service.js';

export function toScoreResponse(score: SheetScore): ScoreResponse {
  if (score.scorecard) return toScorecardScore(score, score.scorecard);
  const { sheet, result, calculatedAt } = score;
  const columns = result.columns.map((column) => toColumn(column, result.totalRows));
  return {
    success: true,
    sheet_id: sheet.id,
    ...toCalculation(score),
    columns,
    aggregate_score: result.score,
    total_rows: result.totalRows,
    scored_rows: result.scoredRows,
    excluded_rows: result.totalRows - result.scoredRows,
    calculated_at: calculatedAt?.toISOString() ?? null,
    score_matrix: result.custom?.matrix ?? null,
    score_matrix_metrics: toMetrics(result),
    score_type: result.shape,
    overall_score: result.score,
    details: toDetails(score),
    aggregate: toAggregate(result),
    per_column: Object.fromEntries(columns.map((column) => [column.column_id, column])),
  };
}

/** Converts the score of a scorecard to the format of a configured score. */
function toScorecardScore({ sheet, calculatedAt }: SheetScore, calculation: ScorecardCalculation): ScoreResponse {
  const { score, verdict, counts } = calculation.result!;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    success: true,
    sheet_id: sheet.id,
    scoring_type: 'scorecard',
    columns: [],
    aggregate_score: score,
    overall_score: score,
    total_rows: total,
    scored_rows: total - counts.skipped,
    excluded_rows: counts.skipped,
    calculated_at: calculatedAt?.toISOString() ?? null,
    score_matrix: null,
    score_matrix_metrics: null,
    status: 'completed',
    score_calculation_error: null,
    has_custom_scoring: false,
    score_configuration: null,
    score_type: 'scorecard',
    details: {
      aggregate_result: {
        scorecard_id: calculation.scorecardId,
        scorecard_calculation_id: calculation.id,
        aggregate_score: score,
        aggregate_verdict: verdict,
      },
    },
    aggregate: { value: score },
    per_column: {},
  };
}

function toCalculation({ configuration, calculation }: SheetScore) {
  const scoringType = configuration?.scoreType ?? null;
  return {
    scoring_type: scoringType,
    has_custom_scoring: scoringType === 'custom',
    score_configuration: configuration && toConfiguration(configuration),
    status: calculation?.status ?? null,
    score_calculation_error: calculation?.error ?? null,
  };
}

export function toConfiguration({ scoreType, config }: ScoreConfiguration): ScoreConfigurationBody {
  return { score_type: scoreType, score_config: config };
}

function toColumn({ id, title, score, included, resolved }: ScoredColumn, totalRows: number): ScoreColumnBody {
  return {
    column_id: id,
    title,
    score,
    included_count: included,
    excluded_count: totalRows - included,
    resolved_scoring_type: resolved,
  };
}

function toMetrics({ custom }: ScoreResult): ScoreMetricBody[] | null {
  if (!custom) return null;
  return Object.keys(custom.subScores).map((label) => ({ key: label, label, positive_metric: null }));
}

function toDetails({ configuration, result }: SheetScore): ScoreDetails {
  const toDetail = ({ id, title, score, resolved, included }: ScoredColumn): ScoreColumnDetail => ({
    column_id: id,
    column_name: title,
    score,
    score_type: resolved,
    num_skipped: result.totalRows - included,
  });
  switch (result.shape) {
    case 'none':
      return { message: 'Nothing has been scored.' };
    case 'single_column':
      return toDetail(result.columns[0]!);
    case 'multi_column':
      return { columns: result.columns.map(toDetail) };
    case 'custom': {
      const { subScores = {}, matrix = null } = result.custom ?? {};
      return { sub_scores: subScores, matrix, configuration: configuration?.config ?? {} };
    }
  }
}

function toAggregate({ score, columns }: ScoreResult): ScoreAggregate {
  const counted = columns.filter(({ resolved }) => resolved !== null);
  if (counted.length === 0 || counted.some(({ resolved }) => resolved !== 'boolean')) return { value: score };
  const sum = (of: 'passed' | 'included') => counted.reduce((total, column) => total + column[of], 0);
  return { value: score, success_count: sum('passed'), total_count: sum('included') };
}
