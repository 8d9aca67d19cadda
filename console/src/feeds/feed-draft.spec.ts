import { describe, expect, it } from 'vitest';
import type { FeedBody } from '../api/schema.gen';
import { DEFAULTS as LOGS, toTaken as takenRequests } from '../logs/log-state';
import { DEFAULTS as TRACES, toTaken as takenTraces } from '../traces/list-state';
import { changeOf, describeTaken, draftOf, newDraft, readTaken, toCreate, toPlan, withCondition } from './feed-draft';
import { leftOut, promiseOf } from './feed-words';

const NOW = Date.parse('2026-05-28T12:00:00Z');
const FEED = {
  name: 'Mine',
  source: 'requests',
  filter_group: { logic: 'OR', filters: [{ field: 'engine', operator: 'is', value: 'a' }] },
  q: null,
  origins: ['application'],
  sample_rate: 0.07,
  rows_per_hour: 0,
  rows_per_day: null,
  cost_per_day: 0.5,
  fields: ['metadata.plan'],
  variables: ['a', 'b'],
  quiet_seconds: 5,
  recompute_grown: true,
  keep_rows: 3,
  keep_days: null,
  publishes: [{ column_id: 'c', name: 'tone' }],
} as unknown as FeedBody;

describe('the form of a feed', () => {
  it('keeps every setting, and wraps a group that is no AND into one', () => {
    const { filter_group: group, ...others } = FEED;
    expect(toCreate(draftOf(FEED), NOW)).toEqual({
      ...others,
      filter_group: { logic: 'AND', filters: [group] },
      begins_at: null,
    });
    expect(describeTaken(draftOf(FEED))).toBe('7 % of the requests where (model is a)');
  });

  it('changes only the settings that differ from the first draft', () => {
    const first = draftOf(FEED);
    expect(changeOf(first, { ...first, name: 'Mine ' })).toEqual({});
    expect(changeOf(first, { ...first, name: 'Yours', rowsPerDay: '7', costPerDay: '' })).toEqual({
      name: 'Yours',
      rows_per_day: 7,
      cost_per_day: null,
    });
  });

  it('has no filter without conditions, and one more with each', () => {
    const draft = newDraft('traces');
    expect(toPlan(draft, NOW)).toMatchObject({ filter_group: null, begins_at: null, sample_rate: 1, variables: [] });
    const more = withCondition(draft, { field: 'trace_scores', key: 'tone', operator: 'lt', value: '50' });
    expect(toPlan({ ...more, begins: '1' }, NOW)).toMatchObject({
      filter_group: { filters: [{ field: 'trace_scores', nested_key: 'tone', operator: 'lt', value: '50' }] },
      begins_at: '2026-05-27T12:00:00.000Z',
    });
  });

  it('takes over a list without its time, and its origin as the origins of the feed', () => {
    const requests = takenRequests({ ...LOGS, q: ' parcel ', days: '7', f: 'engine is a', status: 'ERROR' });
    expect(readTaken(JSON.stringify(requests))).toEqual(requests);
    expect(describeTaken(newDraft('requests', requests))).toBe(
      'All requests where words “parcel” and model is a and status is ERROR',
    );
    expect(takenTraces({ ...TRACES, spans: 'many', origin: 'server', days: '1' })).toEqual({
      source: 'traces',
      filter_group: { logic: 'AND', filters: [{ field: 'trace_span_count', operator: 'gt', value: 1 }] },
      origins: ['evaluation', 'trial'],
    });
  });

  it.each(['', '{', 'null', '{"source":"sheets"}', '[]'])('takes nothing from %j', (text) => {
    expect(readTaken(text)).toBeNull();
  });

  it('ignores invalid values of the URL', () => {
    const text = JSON.stringify({ source: 'traces', filter_group: { filters: 1 }, q: 5, origins: ['sheet'] });
    expect(readTaken(text)).toEqual({
      source: 'traces',
      filter_group: { logic: 'AND', filters: [] },
      origins: ['application'],
    });
  });
});

it('explains why a feed skipped items', () => {
  const none = { seen: 9, chosen: 9, sampled_out: 0, filtered: 0, rows_per_hour: 0, rows_per_day: 0 };
  const counts = { ...none, cost_per_day: 0, deleted: 0, expired: 0, grown: 2 };
  expect(leftOut(counts)).toBe('0');
  expect(leftOut({ ...counts, sampled_out: 1200 })).toBe('1,200 by the sample');
  expect(leftOut({ ...counts, expired: 3 })).toBe('3 because they waited for 30 days');
  expect(leftOut({ ...counts, sampled_out: 2, filtered: 1 })).toBe('3: 1 by the filter, 2 by the sample');
});

it('shows on the button of a new feed what it does, with numbers once they are known', () => {
  const day = { items: 9, chosen: 9, rows: 120, cells: 240, price: 0.4, is_exact: true };
  const plan = { success: true, last_day: day, backfill: null, price_per_row: 0.1, needs_limit: true };
  expect(promiseOf(undefined, { begins: '' })).toBe('Fill this sheet from now on');
  expect(promiseOf(plan, { begins: '' })).toBe('Fill this sheet from now on · about 120 rows a day · $0.40');
  expect(promiseOf({ ...plan, backfill: day }, { begins: '1' })).toBe(
    'Fill this sheet with 120 stored rows and from now on · about 120 rows a day · $0.40',
  );
});
