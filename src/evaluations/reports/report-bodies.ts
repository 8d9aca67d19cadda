import type { EvaluationBody, EvaluationRunBody } from '../evaluations/evaluations.dto.js';
import type { CountedRun, ListedPipeline } from '../evaluations/evaluations.service.js';
import { DATASET_TYPE } from '../columns/report-column-types.js';
import type { ReportColumnBody } from '../columns/report-columns.dto.js';
import { columnScores } from '../scores/report-score.js';
import type { PlacedColumn } from './find-reports.js';
import type { Report, StatusCounts } from './report.entity.js';
import type {
  ReportBody,
  ReportDetailBody,
  ReportDetailResponse,
  ReportStats,
  ReportSummaryBody,
} from './reports.dto.js';
import type { ReportView } from './reports.service.js';

export function toReportDetailResponse({ report, columns, counts }: ReportView): ReportDetailResponse {
  return {
    success: true,
    message: 'success',
    report: toReportDetailBody(report),
    status: statusOf(report),
    stats: toStats(counts),
    report_columns: columns.map((column) => toColumnBody(report, column)),
  };
}

export function toReportDetailBody(report: Report): ReportDetailBody {
  return {
    ...toReportBody(report),
    prompt_registry_id: report.promptId,
    prompt_version_number: report.promptVersion,
  };
}

export function toEvaluationBody({ pipeline, externalIds, runs }: ListedPipeline): EvaluationBody {
  return {
    ...toSummaryBody(pipeline),
    external_ids: externalIds,
    ...(runs && { runs: runs.map(toRunBody) }),
  };
}

export function toColumnBody(
  report: Report,
  { id, position, column, isDataset, isPartOfScore }: PlacedColumn,
): ReportColumnBody {
  const { title, type, config } = column;
  const score = report.score && columnScores(report.score).get(title);
  return {
    id,
    report_id: report.id,
    column_type: isDataset ? DATASET_TYPE : type,
    name: title,
    position,
    is_part_of_score: isPartOfScore,
    configuration: config,
    ...(score !== null && score !== undefined && { score }),
  };
}

function toRunBody({ run, counts }: CountedRun): EvaluationRunBody {
  return { ...toReportBody(run), status: statusOf(run), stats: toStats(counts) };
}

function toStats({ REUSED: reused, ...counts }: StatusCounts): ReportStats {
  return { status_counts: counts, reused_count: reused ?? null };
}

function toReportBody(report: Report): ReportBody {
  const { score, scoreMatrix, scoreError } = report;
  return {
    ...toSummaryBody(report),
    score,
    score_matrix: scoreMatrix,
    // Why rows could not be copied is kept there before the run ends.
    score_calculation_error: report.status === 'completed' ? scoreError : null,
  };
}

function toSummaryBody(report: Report): ReportSummaryBody {
  return {
    id: report.id,
    name: report.name,
    comment: report.comment,
    created_at: report.createdAt.toISOString(),
    updated_at: report.updatedAt.toISOString(),
    workspace_id: report.workspaceId,
    folder_id: report.folderId,
    user_id: report.createdBy,
    dataset_id: report.datasetId,
    is_blueprint: report.isBlueprint,
    tags: report.tags,
    deleted: report.deletedAt !== null,
    parent_report_id: report.parentId,
    score_configuration: report.scoreConfiguration,
  };
}

function statusOf({ status }: Report): 'RUNNING' | 'COMPLETED' {
  return status === 'completed' ? 'COMPLETED' : 'RUNNING';
}
