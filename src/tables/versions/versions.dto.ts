import { z } from 'zod';
import { ApiProperty } from '@nestjs/swagger';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { CursorQuery, LimitField, type Order, OrderField, PagePosition } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellBody } from '../cells/cells.dto.js';
import { CELL_STATUSES } from '../grid/cells/cell-json.js';
import { ColumnBody } from '../columns/columns.dto.js';
import { toConfiguration } from '../scoring/score-response.js';
import { VERSION_SCORE_TYPES, type VersionScoreType } from '../scoring/score-result.js';
import { ScoreConfigurationBody } from '../scoring/scores.dto.js';
import type { VersionScore } from '../scoring/version-score.entity.js';
import type { VersionScores } from '../scoring/version-scores.queries.js';
import type { ScorecardConfigBody } from '../scorecards/scorecards.dto.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { SheetVersion } from '../grid/versions/sheet-version.entity.js';

export class VersionPath extends SheetPath {
  @UuidField({ query: true })
  version_id: string;
}

export class ListVersionsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @EnumField(['version_number'], { optional: true, query: true, default: 'version_number' })
  sort?: 'version_number';

  @OrderField('desc')
  order?: Order;
}

/** Refuses unknown keys. */
@Closed()
export class CreateVersionRequest {
  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'Required unless a version is restored.',
    example: 'Before the new prompt',
  })
  name?: string | null;

  @UuidField({ optional: true, nullable: true, description: 'The version to restore.' })
  source_version_id?: string | null;
}

export class VersionMetadata {
  @IntegerField({ description: 'How many changes the version holds.' })
  delta_count: number;

  @UuidField({ optional: true, description: 'The version that this one restored.' })
  source_version_id?: string;

  @TextField({ optional: true, description: 'The operation or import that made the version.' })
  operation_id?: string;
}

z.looseObject({ type: z.string().meta({ example: 'cells.update' }) }).meta({
  id: 'VersionDelta',
  description: 'One change. The other keys depend on its type.',
});

export class VersionScoreBody {
  @NumberField({ optional: true })
  aggregate_score?: number;

  @EnumField(VERSION_SCORE_TYPES, { optional: true })
  score_type?: VersionScoreType;

  @DateTimeField({ optional: true })
  calculated_at?: string;

  @EnumField(['score', 'scorecard'], { optional: true, description: 'What calculated it.' })
  source?: string;
}

export class VersionBody {
  @UuidField()
  id: string;

  @UuidField()
  sheet_id: string;

  @IntegerField({ description: 'The `version_count` of the sheet after the change.' })
  version_number: number;

  @TextField({ nullable: true, description: 'null for a version that has no name.' })
  name: string | null;

  @TextField({ nullable: true, description: 'The name of the API key; null for the server itself.' })
  created_by: string | null;

  @DateTimeField()
  created_at: string;

  @ApiProperty({ type: () => VersionMetadata })
  metadata: VersionMetadata;

  @ListField('object', { like: 'VersionDelta', description: 'What happened.' })
  deltas: JsonObject[];

  @ApiProperty({ type: () => VersionScoreBody, description: 'The score of this version; empty without one.' })
  score: VersionScoreBody;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/ScoreConfigurationBody' }],
    nullable: true,
    description: 'The configuration of the score then.',
  })
  score_configuration: ScoreConfigurationBody | null;
}

export class SnapshotSheet {
  @TextField({ nullable: true })
  title: string | null;

  @IntegerField({ nullable: true })
  index: number | null;

  @IntegerField()
  row_count: number;
}

/** A cell as it was. Its address is the keys it stands under. */
export class SnapshotCell {
  @UuidField()
  id: string;

  @EnumField(CELL_STATUSES)
  status: string;

  @TextField({ nullable: true })
  display_value: string | null;

  @JsonField({ nullable: true })
  value: JsonValue;

  @TextField({ nullable: true })
  error_message: string | null;

  @TextField({ nullable: true })
  input_hash: string | null;

  @JsonObjectField({ nullable: true, description: 'Cost and latency of the requests that made the value.' })
  request_metrics: JsonObject | null;

  @IntegerField({ nullable: true })
  last_computed_version: number | null;
}

export class SnapshotRow {
  @IntegerField()
  row_index: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/SnapshotCell' },
    description: 'A cell for every column, by column id.',
  })
  cells: Record<string, SnapshotCell>;
}

export class Snapshot {
  @ApiProperty({ type: () => SnapshotSheet })
  sheet: SnapshotSheet;

  @ApiProperty({ type: () => [ColumnBody] })
  columns: ColumnBody[];

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/ScoreConfigurationBody' }], nullable: true })
  score_configuration: ScoreConfigurationBody | null;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/ScorecardConfigBody' }], nullable: true })
  scorecard: ScorecardConfigBody | null;

  @ApiProperty({ type: () => [SnapshotRow] })
  rows: SnapshotRow[];
}

export class VersionWithSnapshot extends VersionBody {
  @ApiProperty({ type: () => Snapshot, description: 'Columns, rows and cells as they were. May be large.' })
  snapshot: Snapshot;
}

export class VersionResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => VersionWithSnapshot })
  version: VersionWithSnapshot;
}

export class CreateVersionResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => VersionBody })
  version: VersionBody;
}

export class VersionsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [VersionBody] })
  data: VersionBody[];

  @ApiProperty({ type: () => PagePosition })
  pagination: PagePosition;

  @ApiProperty({ type: 'object', additionalProperties: false, description: 'Always empty.' })
  filters: Record<string, never>;

  @IntegerField({ description: 'How many items this page has.' })
  count: number;
}

export function toVersionBody(version: SheetVersion, { scores, configurations }: VersionScores): VersionBody {
  const score = scores.get(version.number);
  const configuration = configurations.get(version.number);
  const operation = version.deltas.find((delta) => typeof delta.operation_id === 'string');
  return {
    id: version.id,
    sheet_id: version.sheetId,
    version_number: version.number,
    name: version.name,
    created_by: version.createdBy,
    created_at: version.createdAt.toISOString(),
    metadata: {
      delta_count: version.deltas.length,
      ...(version.sourceVersionId && { source_version_id: version.sourceVersionId }),
      ...(operation && { operation_id: operation.operation_id as string }),
    },
    deltas: version.deltas,
    score: score ? toVersionScore(score) : {},
    score_configuration: configuration ? toConfiguration(configuration) : null,
  };
}

function toVersionScore({ score, scoreType, calculatedAt, source }: VersionScore): VersionScoreBody {
  return { aggregate_score: score, score_type: scoreType, calculated_at: calculatedAt.toISOString(), source };
}

export function toSnapshotCell(cell: CellBody): SnapshotCell {
  const { id, status, display_value, value, error_message, input_hash, request_metrics, last_computed_version } = cell;
  return { id, status, display_value, value, error_message, input_hash, request_metrics, last_computed_version };
}
