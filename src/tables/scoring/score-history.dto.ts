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
import { VERSION_ID } from '../field-descriptions.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { type HistoryRange, RANGES, type Resolution, RESOLUTIONS, type Sample } from './score-history.js';
import type { ChangeCounts, ScoredVersion } from './score-history.queries.js';
import { VERSION_SCORE_TYPES, type VersionScoreType } from './score-result.js';

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
    description: 'Of how many of the newest versions points are given.',
  })
  range?: HistoryRange;

  @EnumField(RESOLUTIONS, {
    optional: true,
    query: true,
    default: 'auto',
    description:
      'What is left out when there are more points than max_points. `raw`: the oldest. `min_max_bucket`: what lies between the lowest and the highest point of each of equal parts; the first and the last point stay. `auto`: nothing when they fit, otherwise min_max_bucket.',
  })
  resolution?: Resolution;
}

/** What happened to a sheet between two points. */
export class ScoreChanges {
  @IntegerField({ description: 'Columns added, changed and deleted.' })
  columns: number;

  @IntegerField({ description: 'Rows added and deleted.' })
  rows: number;

  @IntegerField({ description: 'Cells written by people. What was computed is counted by its operation.' })
  cells: number;

  @IntegerField({ description: 'Operations that computed cells.' })
  executions: number;

  @IntegerField({ description: 'Changes of the prompts that columns use.' })
  prompt_versions: number;
}

export class ScoreHistoryPoint {
  @UuidField({ description: VERSION_ID })
  version_id: string;

  @IntegerField({ description: 'Number of the version of the sheet.' })
  version_number: number;

  @TextField({ nullable: true, description: 'The name that somebody gave the version; null when nobody did.' })
  version_name: string | null;

  @TextField({ nullable: true, description: 'The same as version_name.' })
  name: string | null;

  @NumberField({ description: 'The score of the version.' })
  score: number;

  @EnumField(VERSION_SCORE_TYPES, { description: 'What the score was made of.' })
  score_type: VersionScoreType;

  @DateTimeField({ description: 'When the version was made.' })
  created_at: string;

  @DateTimeField({ description: 'When its score was calculated.' })
  calculated_at: string;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/ScoreChanges' }],
    nullable: true,
    description: 'What has changed since the point before; null for the first one.',
  })
  changes: ScoreChanges | null;
}

export class ScoreHistory {
  @ApiProperty({ type: () => [ScoreHistoryPoint], description: 'The oldest first.' })
  points: ScoreHistoryPoint[];

  @IntegerField({ description: 'Points of the range.' })
  total_points: number;

  @IntegerField({ description: 'Number of points in this answer.' })
  returned_points: number;

  @EnumField(RESOLUTIONS, { description: 'The one that was applied.' })
  resolution: Resolution;

  @EnumField(RANGES, { description: 'The range that was asked for.' })
  range: HistoryRange;

  @IntegerField({ description: 'The limit that was asked for, or the default.' })
  max_points: number;

  @BooleanField({ description: 'Points were left out.' })
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
