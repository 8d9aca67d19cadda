import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryDeepPartialEntity } from 'typeorm';
import { auditAll } from '../access/index.js';
import { inPortions } from '../platform/in-portions.js';
import { readJson } from '../platform/read-json.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../platform/work/row-work.js';
import { WorkAborted, type WorkControl, WorkFailure } from '../platform/work/work-kind.js';
import { LogStore, PersonalLogs } from '../requests/index.js';
import { PersonalRows } from '../tables/index.js';
import { countTraces, deleteTraces, eraseFromReceipts, findSources } from '../traces/index.js';
import { eraseCopies, eraseJudgements } from './erase-copies.js';
import { ErasedSearch } from './erased-search.js';
import { ErasureRun } from './erasure-run.js';
import { type Counts, Erasure, ErasureTarget } from './erasure.entity.js';
import { placeOf } from './erasures.service.js';
import { addCallsOfRows, findEverything } from './find-everything.js';
import type { Subject } from './person-marks.js';
import {
  addTargets,
  fromRowTargets,
  markErased,
  msSinceErased,
  readTargets,
  removeTargets,
  toRowTargets,
} from './targets.queries.js';

export const ERASURE_ROWS: WorkTable = {
  name: 'erasure',
  table: 'erasures',
  idType: 'uuid',
  open: 'w.finished_at IS NULL',
  claimed: 'step = step',
  givenBack: `status = 'queued'`,
};

/** Logs or trace ids that are searched in one transaction. */
const AT_ONCE = 500;
/** Maximum number of rounds. An application may send data of the person without end. */
const MOST_ROUNDS = 50;
/** Pause before checking again for imports that may bring rows of the person. */
const IMPORT_PAUSE_MS = 500;
/**
 * Time after which the calls of an erased row have ended and are recorded. The heartbeat of its worker aborts them within
 * half a second.
 */
const CALLS_END_MS = 5000;

/**
 * Erases everything about a person, in rounds. Every step deletes in small transactions; a round in which no step finds anything
 * is the proof. Targets are stored, so another worker can continue. Steps can be repeated without effect.
 */
@Injectable()
export class ErasureWork extends RowWork<Erasure> {
  constructor(
    db: DataSource,
    private readonly secrets: Secrets,
    private readonly sheets: PersonalRows,
    private readonly search: ErasedSearch,
  ) {
    super(db, ERASURE_ROWS, Erasure);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const { workspaceId, id } = claim;
    const erasure = await this.readClaimed(this.db.manager, claim);
    if (!erasure.subject) throw new WorkAborted('lease_lost');
    const subject = readJson(this.secrets.decrypt(erasure.subject, placeOf(workspaceId, id))) as Subject;
    const run = new ErasureRun(this.db, claim, signal, { erasure, subject });
    for (await this.goThrough(run); run.found > 0 && !run.isDryRun; await this.goThrough(run)) {
      if (run.round >= MOST_ROUNDS)
        throw new WorkFailure(
          'Data of this person keep arriving, or search does not come to them. See to that, and begin again.',
        );
      await run.nextRound();
    }
    await this.db.transaction((tx) => this.complete(tx, run, erasure));
  }

  fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(
      error,
      claim,
      'The erasure failed because of an error on the server. Begin it again.',
    );
    return this.db.transaction((tx) => this.close(tx, claim, { status: 'failed', errorMessage: message }));
  }

  /** Ends an erasure and deletes the name of the person. The rest of the record stays. */
  private async close(tx: EntityManager, claim: ClaimedRow, end: QueryDeepPartialEntity<Erasure>): Promise<void> {
    await this.end(tx, claim, { ...end, subject: null, subjectHash: null, finishedAt: now });
    const { workspaceId, id: erasureId } = claim;
    await tx.delete(ErasureTarget, { workspaceId, erasureId });
  }

  private async complete(tx: EntityManager, run: ErasureRun, erasure: Erasure): Promise<void> {
    const { workspaceId, id, isDryRun, counts, claim } = run;
    const verified = isDryRun ? {} : { verifiedAt: now };
    await this.close(tx, claim, { status: 'completed', step: null, ...verified });
    if (isDryRun) return;
    const { createdBy: keyId, requestId } = erasure;
    const caller = { workspaceId, keyId, requestId };
    const person = erasure.subjectHash!.toString('hex');
    const details = { subject_type: erasure.subjectType, person, counts, verified_at: new Date() };
    await auditAll(tx, caller, [{ action: 'erasure.complete', entityId: id, details }]);
  }

  /** Runs all steps. In a dry run each step counts what it would erase. */
  private async goThrough(run: ErasureRun): Promise<void> {
    await run.begin('finding');
    await untilCallsHaveEnded(run);
    await this.search.untilTracesAreRead(run);
    await this.removeFoundRows(run);
    const { portions, ...counts } = await findEverything(run, this.sheets);
    // Counts them before the first one is erased, because that changes its copies.
    await run.erase(async (tx) => {
      await addTargets(tx, run, 'row', toRowTargets(portions));
      return counts;
    });
    await run.begin('rows');
    await eraseJudgements(run);
    if (!run.isDryRun) await this.eraseSheetRows(run);
    if (!run.isDryRun) await this.awaitImports(run);
    await run.begin('traces');
    await eraseTraces(run);
    await run.begin('request_logs');
    await eraseLogs(run);
    await run.begin('copies');
    await eraseCopies(run);
    await run.begin('receipts');
    await eraseReceipts(run);
    await run.begin('search');
    await this.search.erase(run);
  }

  /** Erases rows that an earlier worker has found, because the data that led to them may be gone. A dry run finds them again. */
  private async removeFoundRows(run: ErasureRun): Promise<void> {
    if (run.isDryRun) await removeTargets(this.db.manager, run, 'row', await readTargets(this.db.manager, run, 'row'));
    else await this.eraseSheetRows(run);
  }

  private async eraseSheetRows(run: ErasureRun): Promise<void> {
    for (const { keys, ...portion } of fromRowTargets(await readTargets(this.db.manager, run, 'row'))) {
      // Calls come first, because erasing the rows also erases the cells that name them.
      await addCallsOfRows(run, portion, await this.sheets.count(run.workspaceId, portion));
      await run.erase(async (tx) => {
        await this.sheets.erase(tx, run.workspaceId, portion);
        await markErased(tx, run, keys);
        return {};
      });
      // Another round looks for calls that were running.
      run.found += portion.rows.length;
    }
  }

  private async awaitImports(run: ErasureRun): Promise<void> {
    const running = await this.sheets.countRunningImports(await run.sought());
    if (running === 0) return;
    run.found += running;
    await wait(IMPORT_PAUSE_MS);
  }
}

async function untilCallsHaveEnded(run: ErasureRun): Promise<void> {
  const sinceMs = await msSinceErased(run.db.manager, run);
  if (sinceMs !== null) await wait(Math.max(0, CALLS_END_MS - sinceMs), undefined, { signal: run.signal });
}

async function eraseTraces(run: ErasureRun): Promise<void> {
  const { workspaceId } = run;
  for (const some of inPortions((await run.sought()).traceIds, AT_ONCE)) {
    await addTargets(run.db.manager, run, 'source', await findSources(run.db.manager, workspaceId, some));
    if (run.isDryRun) {
      await run.erase((tx) => countTraces(tx, workspaceId, some));
      continue;
    }
    while ((await run.erase((tx) => eraseSomeTraces(tx, run, some))) > 0);
  }
}

/** Deletes traces and collects the sources of their spans, because spans may have arrived since the sources were read. */
async function eraseSomeTraces(tx: EntityManager, run: ErasureRun, traceIds: string[]): Promise<Counts> {
  const { sources, ...counts } = await deleteTraces(tx, run.workspaceId, traceIds);
  await addTargets(tx, run, 'source', sources);
  return counts;
}

async function eraseLogs(run: ErasureRun): Promise<void> {
  const { workspaceId } = run;
  for (const some of inPortions((await run.sought()).logIds, AT_ONCE)) {
    await run.erase(async (tx) => {
      const { logs, scores } = await PersonalLogs.count(tx, workspaceId, some);
      if (logs > 0 && !run.isDryRun)
        await LogStore.delete(
          tx,
          some.map((id) => ({ workspaceId, id: Number(id) })),
        );
      return { request_logs: logs, scores };
    });
  }
}

async function eraseReceipts(run: ErasureRun): Promise<void> {
  const traceIds = new Set((await run.sought()).traceIds);
  const { workspaceId, isDryRun } = run;
  for (let after: string | null = ''; after !== null && traceIds.size > 0;) {
    const from: string = after;
    await run.erase(async (tx) => {
      const { receipts, next } = await eraseFromReceipts(tx, workspaceId, { traceIds, after: from, isDryRun });
      after = next;
      return { receipts };
    });
  }
}
