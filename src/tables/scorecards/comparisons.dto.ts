import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { NullableComponentField } from '../shared/component-field.js';
import { EXAMPLE_IDS } from '../shared/example-ids.js';
import type { ConfidenceInterval } from './calculations.dto.js';
import type { ComparedCalculations, ComparedStep } from './comparisons.service.js';
import { MatchByField } from './match-by-field.js';
import { SCORER_CHANGES, type ScorerChange } from './scorer-print.js';
import {
  type Comparison,
  type Conclusion,
  CONCLUSIONS,
  type Verdict,
  VERDICTS,
} from '../../platform/statistics/comparison.js';
import { ALPHA } from '../../platform/statistics/distributions.js';

export class ComparisonQuery {
  @UuidField({
    optional: true,
    query: true,
    description:
      'Id of the calculation to compare with, of this sheet or of another one of the workspace. Default: the one of this sheet that completed before.',
    example: EXAMPLE_IDS.calculation_id,
  })
  with?: string;

  @MatchByField('two sheets')
  match_by?: string[];
}

export class ComparisonBody {
  @IntegerField({ description: 'Number of rows that have a score on both sides.' })
  n: number;

  @IntegerField({ description: 'Number of rows without a score on at least one side.' })
  unpaired: number;

  @IntegerField({ description: 'Number of rows with a higher score than on the other side.' })
  improved: number;

  @IntegerField({ description: 'Number of rows with a lower score than on the other side.' })
  regressed: number;

  @NumberField({
    nullable: true,
    description: 'Mean score of the paired rows minus their mean on the other side; null without such rows.',
  })
  difference: number | null;

  @NullableComponentField(
    'ConfidenceInterval',
    'Confidence interval of the difference; null when there are too few rows.',
  )
  confidence_interval: ConfidenceInterval | null;

  @NumberField({
    nullable: true,
    description: 'Probability of a difference at least this large by chance alone; null when there are too few rows.',
  })
  p_value: number | null;

  @NumberField({
    description:
      'A difference is significant when p_value is below this: 0.05, divided by the number of columns or steps that are compared (Bonferroni). The interval has the same level.',
    example: 0.05,
  })
  alpha: number;

  @NumberField({
    nullable: true,
    description:
      'Smallest difference that matters: 0.05 for scores from 0 to 1, or a twentieth of the range of other numbers. Null in results of earlier releases.',
  })
  margin: number | null;

  @EnumField(['mcnemar_exact', 'permutation_exact', 'permutation_rounded', 'permutation_monte_carlo', 'paired_t'], {
    nullable: true,
    description:
      "The test beside Student's t; `p_value` is the larger of the two. `permutation_rounded`: differences were rounded to be counted. Results of earlier releases may have `permutation_monte_carlo`. Null when there are too few rows.",
  })
  method: string | null;

  @EnumField(VERDICTS, {
    description: 'significant: the interval excludes 0. noise: it does not. `conclusion` says what that means.',
  })
  verdict: Verdict;

  @EnumField(CONCLUSIONS, {
    nullable: true,
    description:
      'difference: the verdict is significant. no_difference: any difference of the margin or more is excluded. too_few_rows: neither is known. Null in results of earlier releases with the verdict noise.',
  })
  conclusion: Conclusion | null;
}

export class StepComparisonBody extends ComparisonBody {
  @UuidField({ description: 'Id of the step in this calculation.' })
  step_id: string;

  @UuidField({ description: 'Id of the matching step in the other calculation.' })
  other_step_id: string;

  @TextField({ description: 'Title of the step in this calculation.' })
  title: string;

  @BooleanField({
    description:
      'Whether the settings of the step differ in the other calculation. If so, a difference may come from the scorer.',
  })
  scorer_changed: boolean;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...SCORER_CHANGES] },
    description:
      'Parts that changed: `config` (type, config, weight, thresholds, or results from several configurations), `columns` (the sources, or the computed columns between the step and the judged columns), `versions` (of the prompts and default models). Empty when nothing changed.',
  })
  scorer_changes: ScorerChange[];
}

export class ComparisonResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: 'Id of the calculation in the path.' })
  calculation_id: string;

  @UuidField({ description: 'Id of the calculation that it is compared with.' })
  other_calculation_id: string;

  @UuidField({ description: 'The sheet that the other calculation was made in.' })
  other_sheet_id: string;

  @UuidField({ description: 'Its table.' })
  other_table_id: string;

  @ListField('string', {
    description:
      'Titles of the columns that identify the rows of two sheets; empty for calculations of one sheet, whose rows are identified by their index.',
    example: ['input', 'expected'],
  })
  matched_by: string[];

  @BooleanField({
    description:
      'Whether the scores of whole rows were given by different rules: a step with `scorer_changed`, a step that only one calculation has, or another aggregation.',
  })
  scorer_changed: boolean;

  @ApiProperty({ type: () => ComparisonBody, description: 'Comparison of the scores of whole rows.' })
  aggregate: ComparisonBody;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/StepComparisonBody' },
    description:
      'Comparisons by step id, for steps that both calculations have: with the same id, or as the only ones with their title and type.',
  })
  criteria: Record<string, StepComparisonBody>;

  @ListField('uuid', { description: 'Ids of steps that the other calculation does not have.' })
  unmatched_step_ids: string[];
}

export function toComparisonResponse(compared: ComparedCalculations): ComparisonResponse {
  const { own, other, matchedBy, rows, steps, unmatched } = compared;
  const criteria = steps.map((each): [string, StepComparisonBody] => [each.step.id, toStepComparison(each)]);
  return {
    success: true,
    calculation_id: own.calculation.id,
    other_calculation_id: other.calculation.id,
    other_sheet_id: other.sheet.id,
    other_table_id: other.sheet.tableId,
    matched_by: matchedBy,
    scorer_changed: compared.scorerChanged,
    aggregate: toComparison(rows),
    criteria: Object.fromEntries(criteria),
    unmatched_step_ids: unmatched.map(({ id }) => id),
  };
}

function toStepComparison({ step, other, comparison, scorerChanges }: ComparedStep): StepComparisonBody {
  return {
    step_id: step.id,
    other_step_id: other.id,
    title: step.title,
    scorer_changed: scorerChanges.length > 0,
    scorer_changes: scorerChanges,
    ...toComparison(comparison),
  };
}

/** Results stored by older versions may lack alpha and margin, or have a third verdict. */
type StoredComparison = Omit<Comparison, 'alpha' | 'margin' | 'verdict' | 'conclusion'> &
  Partial<Pick<Comparison, 'alpha' | 'margin' | 'conclusion'>> & { verdict: Verdict | 'too_few_rows' };

export function toComparison(stored: StoredComparison): ComparisonBody {
  const { interval, pValue, alpha = ALPHA, margin = null, conclusion, verdict, ...found } = stored;
  return {
    ...found,
    confidence_interval: interval,
    p_value: pValue,
    alpha,
    margin,
    verdict: verdict === 'significant' ? 'significant' : 'noise',
    conclusion: conclusion ?? conclusionOf(verdict, margin),
  };
}

function conclusionOf(verdict: StoredComparison['verdict'], margin: number | null): Conclusion | null {
  if (verdict === 'significant') return 'difference';
  if (verdict === 'too_few_rows') return 'too_few_rows';
  return margin === null ? null : 'no_difference';
}
