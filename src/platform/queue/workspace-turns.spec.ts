import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WorkspaceTurns } from './workspace-turns.js';

/** Every turn takes a second. */
class Work {
  readonly done: number[] = [];

  constructor(private readonly left: Record<number, number>) {}

  turn = (workspaceId: number): Promise<boolean> => {
    vi.setSystemTime(Date.now() + 1000);
    this.done.push(workspaceId);
    if (Number.isNaN(this.left[workspaceId])) return Promise.reject(new Error('nothing can be deleted here'));
    return Promise.resolve((this.left[workspaceId]! -= 1) > 0);
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  Logger.overrideLogger(false);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('turns', () => {
  it('go round until nothing is left', async () => {
    const work = new Work({ 1: 3, 2: 1, 3: 2 });
    await new WorkspaceTurns('Work', 60_000).take([1, 2, 3], work.turn);
    expect(work.done).toEqual([1, 2, 3, 1, 3, 1]);
  });

  it('continue at the workspace where time ran out, so that a backlog starves nobody', async () => {
    const work = new Work({ 1: 100, 2: 100, 3: 1, 4: 1 });
    const turns = new WorkspaceTurns('Work', 2000);
    for (let sweep = 0; sweep < 3; sweep++) await turns.take([1, 2, 3, 4], work.turn);
    expect(work.done).toEqual([1, 2, 3, 4, 1, 2]);
  });

  it('are lost by a workspace that fails until the next time, and by no other', async () => {
    const work = new Work({ 1: Number.NaN, 2: 2 });
    const turns = new WorkspaceTurns('Work', 60_000);
    await turns.take([1, 2], work.turn);
    expect(work.done).toEqual([1, 2, 2]);
    await turns.take([1, 2], work.turn);
    expect(work.done.slice(3)).toContain(1);
  });
});
