import { describe, expect, it } from 'vitest';
import type { ColumnBody, ColumnTypeBody, ScorecardBody } from '../../api/schema.gen';
import { newScorer } from '../../evaluations/scorers';
import { draftsOf, newDraft, toStep } from './step-draft';

const CONTAINS = {
  type: 'CONTAINS',
  title: 'Contains text',
  source_keys: ['source'],
  config_schema: {
    type: 'object',
    required: ['source'],
    properties: { source: { type: 'string' }, value: { type: 'string' } },
  },
} as unknown as ColumnTypeBody;
const WHOLE = { pass_threshold: 0.8, warn_threshold: 0.5 };
const types = new Map([['CONTAINS', CONTAINS]]);
const columns = [{ id: 'c1', title: 'Output' }] as ColumnBody[];

describe('a step that is edited', () => {
  it('goes back as it came, with ids for titles', () => {
    const step = {
      id: 's1',
      title: 'Refund',
      primitive_type: 'CONTAINS',
      primitive_config: { source: 'Output', value: 'refund', unknown: 1 },
      weight: 2,
      required: true,
      thresholds: { pass: 0.9, warn: 0.5 },
      score_adapter: null,
      description: 'Why',
      evidence_mode: null,
      target_column_id: null,
      backing_column_id: null,
      source_column_ids: ['c1', 'c2'],
    };
    const scorecard = { aggregation: WHOLE, steps: [step] };
    const [draft] = draftsOf(scorecard as unknown as ScorecardBody, types, columns);
    expect(draft).toMatchObject({ pass: '0.9', warn: '' });
    expect(toStep(draft!, types, WHOLE)).toMatchObject({
      id: 's1',
      primitive_config: { source: 'c1', value: 'refund', unknown: 1 },
      weight: 2,
      required: true,
      thresholds: { pass: 0.9, warn: 0.5 },
      description: 'Why',
      source_column_ids: ['c2'],
    });
  });

  it('has the thresholds of the scorecard unless it has its own', () => {
    const draft = newDraft(newScorer('contains'), 'new', 'c1');
    expect(toStep(draft, types, WHOLE)).toMatchObject({ title: 'Contains', thresholds: null, weight: 1 });
    expect(toStep(draft, types, WHOLE)).not.toHaveProperty('id');
  });

  it('is refused without the column that it reads', () => {
    expect(() => toStep(newDraft(newScorer('contains'), 'new', ''), types, WHOLE)).toThrow(
      'Contains: choose the column',
    );
  });

  it('begins with the judged column', () => {
    expect(newDraft(newScorer('equals'), 'new', 'c1').config).toMatchObject({ sources: ['c1'] });
  });
});
