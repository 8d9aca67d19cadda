import { describe, expect, it } from 'vitest';
import type { MonitorBody } from '../api/schema.gen';
import { changeOf, isRedefined, NEW_MONITOR, toDraft, toMonitor } from './monitor-draft';

const monitor = (fields: object) =>
  ({
    ...toMonitor(NEW_MONITOR),
    name: 'Failures',
    closes_after_minutes: 60,
    ...fields,
  }) as MonitorBody;

const USUAL = { rule: 'usual', op: null, limit: null, direction: 'either', weeks: 3, false_alarms_per_week: 0.5 };

describe('a monitor in its form', () => {
  it.each([
    { limit: 0.07 },
    { limit: 0.29, op: 'below' },
    { measure: 'latency_percentile', percentile: 99.9, limit: 1234.5 },
    { measure: 'score_false_share', score: 'polite', no_data: 'open', repeat_hours: 24 },
    { source: 'traces', by: 'tag', window_minutes: 720, origin: 'server', q: 'refund' },
    { ...USUAL, least_change: 0.02 },
    { ...USUAL, measure: 'cost', least_change: 0.02, window_minutes: 120 },
    { filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'gpt-4o' }] } },
    { filter_group: { logic: 'OR', filters: [{ field: 'cost', operator: 'gt', value: 1 }] } },
  ])('is the same after nothing was changed: %o', (fields) => {
    const known = monitor(fields);
    const draft = toDraft(known);
    expect(changeOf(draft, draft)).toEqual({});
    const { name: _, filter_group: __, ...rest } = known;
    expect(toMonitor(draft)).toMatchObject(rest);
  });

  it('changes only the fields that were typed into', () => {
    const first = toDraft(monitor({ filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'a' }] } }));
    const renamed = changeOf(first, { ...first, name: ' New ' });
    expect(renamed).toEqual({ name: 'New' });
    expect(isRedefined(renamed)).toBe(false);
    const limited = changeOf(first, { ...first, limit: '7' });
    expect(limited).toEqual({ limit: 0.07 });
    expect(isRedefined(limited)).toBe(true);
    expect(changeOf(first, { ...first, closesAfter: '', field: '' })).toEqual({
      closes_after_minutes: null,
      filter_group: null,
    });
    expect(changeOf(first, { ...first, rule: 'higher' })).toEqual({
      rule: 'usual',
      op: null,
      limit: null,
      direction: 'higher',
      weeks: 4,
      false_alarms_per_week: 0.1,
      least_change: 0,
    });
  });

  it('is incomplete without its limit, score or condition', () => {
    for (const part of [{ limit: ' ' }, { measure: 'score_mean' as const, score: '' }, { field: 'model', value: ' ' }])
      expect(toMonitor({ ...NEW_MONITOR, ...part })).toBeNull();
  });
});
