import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Heartbeat } from './heartbeat.js';
import type { Claim, Standing, WorkKind } from './work-kind.js';

const LEASE_MS = 3000;
/** The workspace whose renewals are never answered. */
const SILENT = 1;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const renew = vi.fn(([{ workspaceId, claim }]: Claim[]) =>
  workspaceId === SILENT
    ? new Promise<Map<string, Standing>>(() => undefined)
    : Promise.resolve(new Map<string, Standing>([[claim, 'held']])),
);

it('renews the leases of a workspace while the renewal of another one waits', async () => {
  const heartbeat = new Heartbeat({ name: 'test', renew } as Partial<WorkKind> as WorkKind, LEASE_MS);
  const [silent, other] = [SILENT, 2].map((workspaceId) => {
    const controller = new AbortController();
    return {
      signal: controller.signal,
      end: heartbeat.start({ workspaceId, claim: `of ${workspaceId}`, attempts: 1 }, controller),
    };
  });
  await vi.advanceTimersByTimeAsync(2 * LEASE_MS);
  expect([silent!.signal.aborted, other!.signal.aborted]).toEqual([true, false]);
  expect(renew.mock.calls.filter(([[claim]]) => claim!.workspaceId !== SILENT)).toHaveLength(12);
  silent!.end();
  expect([heartbeat.claims, heartbeat.workspacesWith(1)]).toEqual([['of 2'], [2]]);
  other!.end();
  renew.mockClear();
  await vi.advanceTimersByTimeAsync(LEASE_MS);
  expect(renew).not.toHaveBeenCalled();
});
