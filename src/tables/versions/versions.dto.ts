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
import { NullableComponentField } from '../shared/component-field.js';
import {
  SHEET_ID,
  ROW_INDEX,
  VERSION_ID,
  CELL_STATUS,
  DISPLAY_VALUE,
  CELL_ERROR,
  INPUT_HASH,
  COMPUTED_VERSION,
} from '../shared/field-descriptions.js';
import { BodyNameField, CreatedAtField, SuccessField } from '../../platform/http/common-fields.js';
import { CursorQuery, LimitField, type Order, OrderField, PagePosition } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellBody } from '../cells/cells.dto.js';
import { CELL_STATUSES } from '../../grid/cells/cell-json.js';
import { ColumnBody } from '../columns/columns.dto.js';
import { toConfiguration } from '../scoring/score-response.js';
import {
  VERSION_SCORE_TYPES,
  type VersionScore,
  type VersionScores,
  type VersionScoreType,
} from '../../scoring/index.js';
import { ScoreConfigurationBody } from '../scoring/scores.dto.js';
import type { ScorecardConfigBody } from '../scorecards/scorecards.dto.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { SheetVersion } from '../../grid/shared/sheet-version.entity.js';

export class VersionPath extends SheetPath {
  @UuidField({ query: true, description: VERSION_ID })
  version_id: string;
}

export class ListVersionsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @EnumField(['version_number'], {
    optional: true,
    query: true,
    default: 'version_number',
    description: 'The order of the list. Only `version_number` exists.',
  })
  sort?: 'version_number';

  @OrderField('desc')
  order?: Order;
}

/** Rejects unknown keys. */
@Closed()
export class CreateVersionRequest {
  @BodyNameField({
    description: 'Name of the new version. Required unless a version is restored.',
    example: 'Before the new prompt',
  })
  name?: string | null;

  @UuidField({ optional: true, nullable: true, description: 'Id of the version to restore.' })
  source_version_id?: string | null;
}

export class VersionMetadata {
  @IntegerField({ description: 'Number of changes in the version.' })
  delta_count: number;

  @UuidField({ optional: true, description: 'Id of the version that this one restored; absent for all others.' })
  source_version_id?: string;

  @TextField({
    optional: true,
    description: 'Id of the operation or import that made the version; absent for all others.',
  })
  operation_id?: string;
}

z.looseObject({
  type: z
    .string()
    .meta({ description: 'Type of the change, such as `column.create` or `rows.delete`.', example: 'cells.update' }),
}).meta({
  id: 'VersionDelta',
  description: 'A change. The other keys depend on its type.',
});

export class VersionScoreBody {
  @NumberField({ optional: true, description: 'The score; absent when the version has none.' })
  aggregate_score?: number;

  @EnumField(VERSION_SCORE_TYPES, {
    optional: true,
    description: 'The kind of score; absent when the version has none.',
  })
  score_type?: VersionScoreType;

  @DateTimeField({
    optional: true,
    description: 'When the score was calculated, in UTC; absent when the version has none.',
  })
  calculated_at?: string;

  @EnumField(['score', 'scorecard'], { optional: true, description: 'The kind of calculation that gave the score.' })
  source?: string;
}

export class VersionBody {
  @UuidField({ description: VERSION_ID })
  id: string;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @IntegerField({ description: 'The `version_count` of the sheet after the change.' })
  version_number: number;

  @TextField({ nullable: true, description: 'null for a version that has no name.' })
  name: string | null;

  @TextField({
    nullable: true,
    description: 'The name of the API key, or its last four characters; null for the server itself.',
  })
  created_by: string | null;

  @CreatedAtField('the version')
  created_at: string;

  @ApiProperty({ type: () => VersionMetadata, description: 'Origin of the version.' })
  metadata: VersionMetadata;

  @ListField('object', { like: 'VersionDelta', description: 'The changes of this version.' })
  deltas: JsonObject[];

  @ApiProperty({ type: () => VersionScoreBody, description: 'The score of this version; empty without one.' })
  score: VersionScoreBody;

  @NullableComponentField('ScoreConfigurationBody', 'The configuration of the score then.')
  score_configuration: ScoreConfigurationBody | null;
}

export class SnapshotSheet {
  @TextField({ nullable: true, description: 'Title of the sheet in this version.' })
  title: string | null;

  @IntegerField({
    nullable: true,
    description: 'Position of the sheet among those of its table in this version, from 0.',
  })
  index: number | null;

  @IntegerField({ description: 'Number of rows in this version.' })
  row_count: number;
}

/** A cell of a version. The keys above it are its address. */
export class SnapshotCell {
  @UuidField({ description: 'Id of the cell.' })
  id: string;

  @EnumField(CELL_STATUSES, { description: CELL_STATUS })
  status: string;

  @TextField({ nullable: true, description: DISPLAY_VALUE })
  display_value: string | null;

  @JsonField({ nullable: true, description: 'Any JSON value; null when the cell had none.' })
  value: JsonValue;

  @TextField({ nullable: true, description: CELL_ERROR })
  error_message: string | null;

  @TextField({ nullable: true, description: INPUT_HASH })
  input_hash: string | null;

  @JsonObjectField({ nullable: true, description: 'Cost and latency of the requests that made the value.' })
  request_metrics: JsonObject | null;

  @IntegerField({ nullable: true, description: COMPUTED_VERSION })
  last_computed_version: number | null;
}

export class SnapshotRow {
  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/SnapshotCell' },
    description: 'A cell for every column, by column id.',
  })
  cells: Record<string, SnapshotCell>;
}

export class Snapshot {
  @ApiProperty({ type: () => SnapshotSheet, description: 'Title, position and number of rows.' })
  sheet: SnapshotSheet;

  @ApiProperty({ type: () => [ColumnBody], description: 'The columns of this version, from the left.' })
  columns: ColumnBody[];

  @NullableComponentField('ScoreConfigurationBody', 'How the sheet was scored; null when no score was configured.')
  score_configuration: ScoreConfigurationBody | null;

  @NullableComponentField('ScorecardConfigBody', 'The scorecard; null when there was none.')
  scorecard: ScorecardConfigBody | null;

  @ApiProperty({ type: () => [SnapshotRow], description: 'All rows of this version with their cells.' })
  rows: SnapshotRow[];
}

export class VersionWithSnapshot extends VersionBody {
  @ApiProperty({ type: () => Snapshot, description: 'Columns, rows and cells as they were. May be large.' })
  snapshot: Snapshot;
}

export class VersionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => VersionWithSnapshot, description: 'The version with its content.' })
  version: VersionWithSnapshot;
}

export class CreateVersionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => VersionBody, description: 'The new version, without its content.' })
  version: VersionBody;
}

export class VersionsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [VersionBody], description: 'The versions of this page, by default the newest first.' })
  data: VersionBody[];

  @ApiProperty({ type: () => PagePosition, description: 'Where this page is in the list.' })
  pagination: PagePosition;

  @ApiProperty({ type: 'object', additionalProperties: false, description: 'Always empty.' })
  filters: Record<string, never>;

  @IntegerField({ description: 'Number of versions on this page.' })
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
