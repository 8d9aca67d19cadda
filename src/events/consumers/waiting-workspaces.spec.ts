import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Left, WaitingWorkspaces } from './waiting-workspaces.js';

beforeEach(() => {
  vi.useFakeTimers();
  Logger.overrideLogger(false);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Turns with the listed results for a workspace, one after the other. */
function turnsOf(left: Record<number, (Left | Error)[]>) {
  const taken: number[] = [];
  const takeTurn = (workspaceId: number): Promise<Left> => {
    taken.push(workspaceId);
    const next = left[workspaceId]!.shift()!;
    return typeof next === 'string' ? Promise.resolve(next) : Promise.reject(next);
  };
  return { taken, takeTurn };
}

it('takes turns until nothing is left, each workspace after the others', async () => {
  const { taken, takeTurn } = turnsOf({ 1: ['more', 'more', 'nothing'], 2: ['nothing'], 3: ['more', 'nothing'] });
  const waiting = new WaitingWorkspaces(1, takeTurn);
  for (const id of [1, 2, 3]) waiting.add(id);
  await vi.runAllTimersAsync();
  expect(taken).toEqual([1, 2, 3, 1, 3, 1]);
});

it('skips a failed workspace until it is added again, and continues with the others', async () => {
  const { taken, takeTurn } = turnsOf({ 1: [new Error('not now'), 'nothing'], 2: ['nothing'] });
  const waiting = new WaitingWorkspaces(1, takeTurn);
  for (const id of [1, 2]) waiting.add(id);
  await vi.runAllTimersAsync();
  expect(taken).toEqual([1, 2]);
  waiting.add(1);
  await vi.runAllTimersAsync();
  expect(taken).toEqual([1, 2, 1]);
});

it('retries a workspace that another worker holds', async () => {
  const { taken, takeTurn } = turnsOf({ 1: ['held', 'held', 'nothing'] });
  new WaitingWorkspaces(1, takeTurn).add(1);
  await vi.runAllTimersAsync();
  expect(taken).toEqual([1, 1, 1]);
});

it('gives a workspace one turn at a time, and another one when it is added meanwhile', async () => {
  const ends: (() => void)[] = [];
  const waiting = new WaitingWorkspaces(2, () => new Promise((resolve) => ends.push(() => resolve('nothing'))));
  for (const id of [1, 1, 1]) waiting.add(id);
  expect(ends).toHaveLength(1);
  ends[0]!();
  await vi.runAllTimersAsync();
  expect(ends).toHaveLength(2);
});

it('starts no turn after a stop, and ends with the last one', async () => {
  const ends: (() => void)[] = [];
  const waiting = new WaitingWorkspaces(1, () => new Promise((resolve) => ends.push(() => resolve('more'))));
  for (const id of [1, 2]) waiting.add(id);
  const stopped = waiting.stop();
  ends[0]!();
  await stopped;
  waiting.add(3);
  expect(ends).toHaveLength(1);
});
