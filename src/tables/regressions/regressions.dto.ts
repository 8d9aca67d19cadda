import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  MAX_ID,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { NullableComponentField } from '../shared/component-field.js';
import { SHEET_ID, CONFIDENCE_INTERVAL } from '../shared/field-descriptions.js';
import { BodyIdField, SuccessField } from '../../platform/http/common-fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { withoutNoise } from '../../platform/numbers.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { ConfidenceInterval } from '../scorecards/calculations.dto.js';
import { ComparisonBody, toComparison } from '../scorecards/comparisons.dto.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { Outcome } from './bisection.js';
import type { GivenRegression } from './regression-request.js';
import { EXAMPLE_IDS } from '../shared/example-ids.js';
import {
  type Regression,
  REGRESSION_STATUSES,
  type RegressionStatus,
  type RegressionStep,
} from './regression.entity.js';
import type { RegressionView } from './regression-view.js';

const MAX_COLUMNS = 100;

const version = z.union([z.int().min(0).max(MAX_ID), z.guid()]);

/** Rejects unknown keys. */
@Closed()
export class StartRegressionRequest {
  @SchemaField(version, {
    description:
      'A version at which the score was good: its number or its id. With prompt_id the number of a version of the prompt.',
    example: EXAMPLE_IDS.earlier_version_id,
  })
  good_version: number | string;

  @SchemaField(version, {
    description: 'A later version at which the score is bad, in the same form.',
    example: EXAMPLE_IDS.version_id,
  })
  bad_version: number | string;

  @BodyIdField(
    'A prompt of the registry that columns of the sheet use. Its versions are searched, and the sheet is as it is now.',
  )
  prompt_id?: number | null;

  @EnumField(['score', 'scorecard'], {
    optional: true,
    nullable: true,
    description:
      'The scoring of a row. Default: the configured score of the sheet, else its scorecard, else its columns of verdicts. The scorecard is the current one in all versions; columns are read as they were in each version.',
  })
  scored_by?: 'score' | 'scorecard' | null;

  @ListField('uuid', {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: MAX_COLUMNS,
    description:
      'Columns whose cells are the score of a row, instead of the scoring of the sheet. Several columns count by their mean.',
  })
  column_ids?: string[] | null;

  @NumberField({
    optional: true,
    nullable: true,
    min: 0,
    description:
      'Limit of the cost in US dollars. The search stops before a version whose cells would probably exceed it, and when it is spent.',
    example: 2.5,
  })
  max_cost?: number | null;
}

export class ListRegressionsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @EnumField(['created_at'], {
    optional: true,
    query: true,
    default: 'created_at',
    description: 'The order of the list. Only `created_at` exists.',
  })
  sort?: 'created_at';

  @OrderField('desc')
  order?: Order;
}

export class RegressionPath extends SheetPath {
  @UuidField({ query: true, description: 'Id of the search.' })
  regression_id: string;
}

export class RegressionCells {
  @IntegerField({ description: 'Cells that were up to date in the version.' })
  stored: number;

  @IntegerField({ description: 'Cells that were computed for the search.' })
  computed: number;

  @IntegerField({ description: 'Cells whose result was known, because cells of equal inputs have it.' })
  reused: number;

  @IntegerField({ description: 'Cells whose computation failed.' })
  failed: number;
}

export class RegressionStepBody {
  @IntegerField({ description: 'Number of the version, of the sheet or of the prompt.' })
  version_number: number;

  @UuidField({ nullable: true, description: 'Id of the sheet version; null for a version of a prompt.' })
  version_id: string | null;

  @EnumField(['held', 'fell', 'unscored'], {
    description:
      '`held`: not lower than the good version by more than chance. `fell`: lower by more than chance. `unscored`: no row has a score in both versions, so the version is left out.',
  })
  outcome: Outcome;

  @NumberField({ nullable: true, description: 'Mean score of the rows; null when no row has one.' })
  score: number | null;

  @NullableComponentField('ConfidenceInterval', CONFIDENCE_INTERVAL)
  confidence_interval: ConfidenceInterval | null;

  @IntegerField({ description: 'Number of rows that have a score.' })
  scored_rows: number;

  @NullableComponentField(
    'ComparisonBody',
    'Comparison with the good version, row by row; null for the good version itself.',
  )
  comparison: ComparisonBody | null;

  @ApiProperty({
    type: () => RegressionCells,
    description: 'Numbers of cells in the version by the source of their values.',
  })
  cells: RegressionCells;

  @NumberField({
    nullable: true,
    description: 'Cost of the cells that were computed, in US dollars; null until it is known.',
  })
  cost: number | null;
}

const step = (description: string) => NullableComponentField('RegressionStepBody', description);

export class RegressionBody {
  @UuidField({ description: 'Id of the search.' })
  id: string;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @IntegerField({
    nullable: true,
    description: 'Id of the prompt whose versions are searched; null when versions of the sheet are.',
  })
  prompt_id: number | null;

  @IntegerField({ description: 'Number of the version at which the score was good, of the sheet or of the prompt.' })
  good_version: number;

  @IntegerField({ description: 'Number of the later version at which the score is bad.' })
  bad_version: number;

  @EnumField(['columns', 'scorecard'], { description: 'Whether cells of columns or a scorecard score a row.' })
  scored_by: 'columns' | 'scorecard';

  @ListField('uuid', { description: 'Ids of the columns that score a row; empty for a scorecard.' })
  column_ids: string[];

  @EnumField(REGRESSION_STATUSES, {
    description:
      '`completed`: the search came to a result. `stopped`: `max_cost` would have been exceeded. `failed`: `message` says why.',
  })
  status: RegressionStatus;

  @step('The good version; null until it has been looked at.')
  good: RegressionStepBody | null;

  @step('The bad version; null until it has been looked at.')
  bad: RegressionStepBody | null;

  @ApiProperty({
    type: () => [RegressionStepBody],
    description: 'The versions that were examined between the two, in order.',
  })
  steps: RegressionStepBody[];

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    description:
      'Whether the version at which the score fell was found. False: the bad version is not lower than the good one by more than chance. Null until the search has completed.',
  })
  found: boolean | null;

  @IntegerField({
    nullable: true,
    description: 'Number of the first version at which the score fell; null until it is found.',
  })
  first_bad_version: number | null;

  @IntegerField({
    nullable: true,
    description: 'Number of the newest scored version before the fall; null until the fall is found.',
  })
  last_good_version: number | null;

  @ListField('integer', {
    description: 'Numbers of versions between these two without a score: the fall may be in one of them.',
  })
  skipped_versions: number[];

  @TextField({
    nullable: true,
    description:
      'Path that answers what changed at the fall; null for versions of a prompt, and until the fall is found.',
  })
  diff_path: string | null;

  @NumberField({ nullable: true, description: 'Limit of the cost in US dollars; null without a limit.' })
  max_cost: number | null;

  @NumberField({
    description: 'Cost so far in US dollars, where prices are known, including cells that are being computed.',
  })
  cost: number;

  @TextField({
    nullable: true,
    description: 'The result in a sentence, or why the search failed or was stopped; null until it has ended.',
  })
  message: string | null;

  @DateTimeField({ description: 'When the search was started, in UTC.' })
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When the search ended, in UTC; null while it goes on.' })
  completed_at: string | null;
}

export class RegressionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => RegressionBody, description: 'The search as it is now.' })
  regression: RegressionBody;
}

export class RegressionsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [RegressionBody], description: 'The searches of this page, by default the newest first.' })
  data: RegressionBody[];
}

export function toGiven(body: StartRegressionRequest): GivenRegression {
  return {
    good: String(body.good_version),
    bad: String(body.bad_version),
    promptId: body.prompt_id ?? null,
    scoredBy: body.scored_by ?? null,
    columnIds: body.column_ids ?? null,
    maxCost: body.max_cost ?? null,
  };
}

export function toRegressionResponse(view: RegressionView): RegressionResponse {
  return { success: true, regression: toRegressionBody(view) };
}

export function toRegressionBody(view: RegressionView): RegressionBody {
  const { regression, versions, cost } = view;
  const { id, sheetId, request, status, steps, createdAt, completedAt } = regression;
  const { good, bad, prompt, scoring } = request;
  const ids = new Map(versions.map((each) => [each.number, each.id]));
  const bodies = steps.map((each) => toStepBody(each, ids));
  const of = (number: number) => bodies.find(({ version_number }) => version_number === number) ?? null;
  return {
    id,
    sheet_id: sheetId,
    prompt_id: prompt && prompt.id,
    good_version: good,
    bad_version: bad,
    scored_by: scoring.by,
    column_ids: scoring.by === 'columns' ? scoring.columnIds : [],
    status,
    good: of(good),
    bad: of(bad),
    steps: bodies.filter(({ version_number }) => version_number !== good && version_number !== bad),
    ...toFallBody(view, ids),
    max_cost: regression.maxCost,
    cost: withoutNoise(cost),
    message: messageOf(regression),
    created_at: createdAt.toISOString(),
    completed_at: completedAt && completedAt.toISOString(),
  };
}

type Fall = Pick<
  RegressionBody,
  'found' | 'first_bad_version' | 'last_good_version' | 'skipped_versions' | 'diff_path'
>;

function toFallBody({ sheet, regression }: RegressionView, ids: ReadonlyMap<number, string>): Fall {
  const { found, status, request } = regression;
  if (!found) {
    const hasEnded = status === 'completed';
    const nothing = { first_bad_version: null, last_good_version: null, skipped_versions: [], diff_path: null };
    return { found: hasEnded ? false : null, ...nothing };
  }
  const { firstBad, lastGood, skipped } = found;
  const versions = `/api/public/v2/tables/${sheet.tableId}/sheets/${sheet.id}/versions`;
  const path = `${versions}/${ids.get(lastGood)}/diff?against=${firstBad}`;
  const fall = { first_bad_version: firstBad, last_good_version: lastGood, skipped_versions: skipped };
  return { found: true, ...fall, diff_path: request.prompt ? null : path };
}

function toStepBody(known: RegressionStep, ids: ReadonlyMap<number, string>): RegressionStepBody {
  return {
    version_number: known.version,
    version_id: ids.get(known.version) ?? null,
    outcome: known.outcome,
    score: known.score,
    confidence_interval: known.interval,
    scored_rows: known.scoredRows,
    comparison: known.comparison && toComparison(known.comparison),
    cells: known.cells,
    cost: known.cost === undefined ? null : withoutNoise(known.cost),
  };
}

function messageOf({ status, error, found, request: { good, bad } }: Regression): string | null {
  if (status === 'cancelled') return 'The search was cancelled.';
  if (status !== 'completed') return error;
  if (!found) return `The score of version ${bad} is not lower than that of version ${good} by more than chance.`;
  const { firstBad, lastGood, skipped } = found;
  const fell = `The score fell at version ${firstBad}; version ${lastGood} was still good.`;
  return skipped.length === 0 ? fell : `${fell} The versions in between have no score.`;
}
