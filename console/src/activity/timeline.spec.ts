import { expect, it } from 'vitest';
import { byDay, mergeEntries, tellOnce } from './timeline';

const source = (kind: string, times: string[], hasMore = false) => ({
  entries: times.map((time) => ({ key: `${kind}${time}`, at: `2026-01-0${time}:00.000Z` })),
  hasMore,
});
const keys = (...sources: ReturnType<typeof source>[]) => mergeEntries(sources).map(({ key }) => key);

it('merges entries of all kinds into one timeline', () => {
  expect(keys(source('a', ['2T10:00', '1T10:00']), source('b', ['2T11:00', '1T11:00']))).toEqual([
    'b2T11:00',
    'a2T10:00',
    'b1T11:00',
    'a1T10:00',
  ]);
  expect(keys()).toEqual([]);
});

it('holds back what may have something between it that was not read yet', () => {
  const busy = source('a', ['3T12:00', '3T11:00'], true);
  const calm = source('b', ['3T13:00', '1T10:00']);
  expect(keys(busy, calm)).toEqual(['b3T13:00', 'a3T12:00', 'a3T11:00']);
  expect(keys({ ...busy, hasMore: false }, calm)).toHaveLength(4);
  expect(keys(busy, source('c', [], true), calm)).toHaveLength(3);
});

it('has a line for each day', () => {
  const entries = mergeEntries([source('a', ['3T12:00', '3T11:00', '1T12:00'])]);
  expect(byDay(entries).map((day) => day.entries.length)).toEqual([2, 1]);
});

it('lists an act once that is a change and an event', () => {
  const entry = (kind: string, request_id?: string) => ({ kind, item: { request_id } });
  const change = entry('audit', 'one');
  const other = entry('events', 'other');
  const job = entry('operations');
  expect(tellOnce([change, entry('events', 'one'), other, job])).toEqual([change, other, job]);
  expect(tellOnce([entry('events'), job])).toHaveLength(2);
});
