import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { NullableComponentField } from '../shared/component-field.js';
import { VERSION_ID } from '../shared/field-descriptions.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { type HistoryRange, RANGES, type Resolution, RESOLUTIONS, type Sample } from './score-history.js';
import type { ChangeCounts, ScoredVersion } from './score-history.queries.js';
import { VERSION_SCORE_TYPES, type VersionScoreType } from '../../scoring/index.js';

export const DEFAULT_POINTS = 1200;

export class ScoreHistoryQuery {
  @IntegerField({
    optional: true,
    query: true,
    min: 50,
    max: 5000,
    default: DEFAULT_POINTS,
    description: 'The most points to answer.',
  })
  max_points?: number;

  @EnumField(RANGES, {
    optional: true,
    query: true,
    default: 'all',
    description: 'Which versions to include: all, or the newest 25 to 250.',
  })
  range?: HistoryRange;

  @EnumField(RESOLUTIONS, {
    optional: true,
    query: true,
    default: 'auto',
    description:
      'How points are reduced to `max_points`. `raw` keeps the newest. `min_max_bucket` keeps the lowest and the highest point of each of equal parts, and the first and the last point. `auto` is `min_max_bucket` when there are too many points.',
  })
  resolution?: Resolution;
}

/** Changes of a sheet between two points. */
export class ScoreChanges {
  @IntegerField({ description: 'Number of columns added, changed and deleted.' })
  columns: number;

  @IntegerField({ description: 'Number of rows added and deleted.' })
  rows: number;

  @IntegerField({ description: 'Number of cells written by people. Computed cells are counted under `executions`.' })
  cells: number;

  @IntegerField({ description: 'Number of operations that computed cells.' })
  executions: number;

  @IntegerField({ description: 'Number of changes of the prompts that columns use.' })
  prompt_versions: number;
}

export class ScoreHistoryPoint {
  @UuidField({ description: VERSION_ID })
  version_id: string;

  @IntegerField({ description: 'Number of the version of the sheet.' })
  version_number: number;

  @TextField({ nullable: true, description: 'The name that somebody gave the version; null when nobody did.' })
  version_name: string | null;

  @TextField({ nullable: true, description: 'The same as `version_name`.' })
  name: string | null;

  @NumberField({ description: 'The score of the version.' })
  score: number;

  @EnumField(VERSION_SCORE_TYPES, { description: 'The kind of score: of one column, of several, or by code.' })
  score_type: VersionScoreType;

  @DateTimeField({ description: 'When the version was made.' })
  created_at: string;

  @DateTimeField({ description: 'When its score was calculated.' })
  calculated_at: string;

  @NullableComponentField('ScoreChanges', 'Changes since the previous point; null for the first one.')
  changes: ScoreChanges | null;
}

export class ScoreHistory {
  @ApiProperty({ type: () => [ScoreHistoryPoint], description: 'The points, oldest first.' })
  points: ScoreHistoryPoint[];

  @IntegerField({ description: 'Number of points in the range.' })
  total_points: number;

  @IntegerField({ description: 'Number of points in this answer.' })
  returned_points: number;

  @EnumField(RESOLUTIONS, { description: 'The resolution that was applied: never `auto`.' })
  resolution: Resolution;

  @EnumField(RANGES, { description: 'The requested range.' })
  range: HistoryRange;

  @IntegerField({ description: 'The requested limit, or the default.' })
  max_points: number;

  @BooleanField({ description: 'Whether points were left out.' })
  is_sampled: boolean;
}

export class ScoreHistoryResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ScoreHistory, description: 'The points, and how they were chosen.' })
  score_history: ScoreHistory;
}

export function toScoreHistory(
  { points, resolution }: Sample<ScoredVersion>,
  { total, range, maxPoints }: { total: number; range: HistoryRange; maxPoints: number },
): ScoreHistory {
  return {
    points: points.map((point, place) => toPoint(point, place === 0 ? null : toChanges(point))),
    total_points: total,
    returned_points: points.length,
    resolution,
    range,
    max_points: maxPoints,
    is_sampled: points.length < total,
  };
}

function toPoint(point: ScoredVersion, changes: ScoreChanges | null): ScoreHistoryPoint {
  return {
    version_id: point.versionId,
    version_number: point.number,
    version_name: point.name,
    name: point.name,
    score: point.score,
    score_type: point.scoreType,
    created_at: point.createdAt.toISOString(),
    calculated_at: point.calculatedAt.toISOString(),
    changes,
  };
}

function toChanges({ columns, rows, cells, executions, promptVersions }: ChangeCounts): ScoreChanges {
  return { columns, rows, cells, executions, prompt_versions: promptVersions };
}
