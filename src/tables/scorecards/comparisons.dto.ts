import { ApiProperty } from '@nestjs/swagger';
import { EnumField, IntegerField, ListField, NumberField, TextField, UuidField } from '../../platform/http/fields.js';
import { TABLE_EXAMPLES } from '../example-ids.js';
import type { ConfidenceInterval } from './calculations.dto.js';
import type { ComparedCalculations } from './comparisons.service.js';
import type { Comparison } from './statistics/comparison.js';

export class ComparisonQuery {
  @UuidField({
    optional: true,
    query: true,
    description: 'The calculation to compare with. Left out: the one that completed before.',
    example: TABLE_EXAMPLES.ids.calculation_id,
  })
  with?: string;
}

export class ComparisonBody {
  @IntegerField({ description: 'Rows that have a score in both.' })
  n: number;

  @IntegerField({ description: 'Rows that have none in at least one of them.' })
  unpaired: number;

  @IntegerField({ description: 'Rows that are better than in the other calculation.' })
  improved: number;

  @IntegerField({ description: 'Rows that are worse.' })
  regressed: number;

  @NumberField({ nullable: true, description: 'The mean score of these rows less that in the other calculation.' })
  difference: number | null;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/ConfidenceInterval' }], nullable: true })
  confidence_interval: ConfidenceInterval | null;

  @NumberField({
    nullable: true,
    description: 'How probable so large a difference is by chance alone.',
  })
  p_value: number | null;

  @EnumField(['mcnemar_exact', 'permutation_exact', 'permutation_monte_carlo', 'paired_t'], { nullable: true })
  method: string | null;

  @EnumField(['significant', 'noise'], { description: 'significant: the probability is below 0.05.' })
  verdict: string;
}

export class StepComparisonBody extends ComparisonBody {
  @UuidField()
  step_id: string;

  @UuidField({ description: 'The step that it was in the other calculation.' })
  other_step_id: string;

  @TextField()
  title: string;
}

export class ComparisonResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField()
  calculation_id: string;

  @UuidField()
  other_calculation_id: string;

  @ApiProperty({ type: () => ComparisonBody, description: 'Of the scores of whole rows.' })
  aggregate: ComparisonBody;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/StepComparisonBody' },
    description: 'By step id, for steps that both have: the same step, or the only one with that title and type.',
  })
  criteria: Record<string, StepComparisonBody>;

  @ListField('uuid', { description: 'Steps that the other calculation does not have.' })
  unmatched_step_ids: string[];
}

export function toComparisonResponse(compared: ComparedCalculations): ComparisonResponse {
  const { calculation, other, rows, steps, unmatched } = compared;
  const criteria = steps.map(({ step, other: match, comparison }): [string, StepComparisonBody] => [
    step.id,
    { step_id: step.id, other_step_id: match.id, title: step.title, ...toComparison(comparison) },
  ]);
  return {
    success: true,
    calculation_id: calculation.id,
    other_calculation_id: other.id,
    aggregate: toComparison(rows),
    criteria: Object.fromEntries(criteria),
    unmatched_step_ids: unmatched.map(({ id }) => id),
  };
}

export function toComparison({ interval, pValue, ...comparison }: Comparison): ComparisonBody {
  return { ...comparison, confidence_interval: interval, p_value: pValue };
}
