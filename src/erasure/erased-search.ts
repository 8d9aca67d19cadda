import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LOGS, PersonalLogs, SearchNotifier } from '../requests/index.js';
import { countDocuments, eraseDocuments } from '../text-search/index.js';
import { countWaitingTraces, lastTraceChange, renewTraceHours, TraceFreshness, TRACES } from '../traces/index.js';
import type { ErasureRun } from './erasure-run.js';

const LOOKS_APART_MS = 50;
/** Maximum wait. Search retries a trace that it cannot read every minute without end, so erasures do not wait for it. */
const PATIENCE_MS = 45_000;
const KINDS = [LOGS, TRACES];

/** Erases traces and logs from the search indexes. */
@Injectable()
export class ErasedSearch {
  constructor(
    private readonly freshness: TraceFreshness,
    private readonly notifier: SearchNotifier,
  ) {}

  /** Resolves when search has read all traces that have changed until now. Only then their content can be found. */
  async untilTracesAreRead(run: ErasureRun): Promise<void> {
    const db = run.db.manager;
    const until = await lastTraceChange(db);
    await waitUntil(run, async () => {
      if ((await countWaitingTraces(db, run.workspaceId, { until })) === 0) return true;
      await this.freshness.ofWorkspace(run.workspaceId);
      return false;
    });
  }

  /** Removes deleted items from the indexes and the hourly sums. Workers take them out of use first; then their words are erased. */
  async erase(run: ErasureRun): Promise<void> {
    const { workspaceId, subject, isDryRun } = run;
    const { traceIds, logIds } = await run.sought();
    if (!isDryRun) await this.untilOutOfUse(run, { traceIds, logIds });
    for (const [kind, keys] of [
      [LOGS, logIds],
      [TRACES, traceIds],
    ] as const) {
      const index = { workspaceId, kind };
      const documents = isDryRun
        ? await countDocuments(run.db.manager, index, keys)
        : await eraseDocuments(run.db, index, { keys, kinds: KINDS });
      await run.erase(() => Promise.resolve({ indexed_documents: documents }));
    }
    if (isDryRun) return;
    run.found += await PersonalLogs.renewHours(run.db, workspaceId, subject);
    run.found += await renewTraceHours(run.db, workspaceId, subject.type === 'user_id' ? subject.value : null);
  }

  private untilOutOfUse(run: ErasureRun, ids: { traceIds: readonly string[]; logIds: readonly string[] }) {
    const { workspaceId } = run;
    const db = run.db.manager;
    return waitUntil(run, async () => {
      const logs = await PersonalLogs.countWaiting(db, workspaceId, ids.logIds);
      const traces = await countWaitingTraces(db, workspaceId, { traceIds: ids.traceIds });
      if (logs > 0) this.notifier.notify();
      if (traces > 0) await this.freshness.ofWorkspace(workspaceId);
      return logs + traces === 0;
    });
  }
}

/** Gives up after a while. The rest counts as found, so another round follows. */
async function waitUntil(run: ErasureRun, isDone: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isDone())) {
    run.signal.throwIfAborted();
    if (Date.now() > end) {
      run.found += 1;
      return;
    }
    await wait(LOOKS_APART_MS);
  }
}
