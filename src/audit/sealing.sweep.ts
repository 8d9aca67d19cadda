import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { INSTALLATION } from '../access/index.js';
import { emitCaused } from '../events/index.js';
import { inIndexOrder } from '../platform/database/index-order.js';
import { Sweep } from '../platform/queue/sweep.js';
import { isTypeNamed } from '../webhooks/index.js';
import { findUnsealed, lockHead, readEntries, type SealedEntry, storeSeals } from './audit-chain.queries.js';
import { AUDIT_ENTRY, toAuditEvent } from './audit-events.js';
import { type ChainPlace, chainHash, detailsHash, type HashedEntry } from './chain-hash.js';
import { SealHorizon } from './seal-horizon.js';

/** Entries per transaction. Details are small; erasures of a workspace write the longest. */
const AT_ONCE = 500;

/**
 * Appends committed audit entries to the hash chain of their workspace, in the order of their ids. Transactions that write entries do
 * nothing for it, so they neither wait for each other nor take longer.
 */
@Injectable()
export class SealingSweep implements OnModuleDestroy {
  private readonly log = new Logger(SealingSweep.name);
  private isStopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly horizon: SealHorizon,
  ) {}

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Seals workspaces in turns, so the first sweep after an upgrade does not delay one for the entries of another. */
  @Sweep('audit')
  async seal(): Promise<void> {
    const settled = await this.horizon.advance();
    let workspaces = await findUnsealed(this.db.manager, settled);
    while (workspaces.length > 0 && !this.isStopping) {
      const left: number[] = [];
      for (const workspaceId of workspaces) {
        if (!this.isStopping && (await this.trySealing(workspaceId, settled)) === AT_ONCE) left.push(workspaceId);
      }
      workspaces = left;
    }
  }

  /** Seals one workspace. A chain that was tampered with cannot grow, and must not stop the others. */
  private async trySealing(workspaceId: number, settled: number): Promise<number> {
    try {
      return await this.sealSome(workspaceId, settled);
    } catch (error) {
      this.log.warn(`Audit entries of ${nameOfChain(workspaceId)} could not be sealed: ${String(error)}`);
      return 0;
    }
  }

  /** Returns the number of sealed entries: none when another worker seals those of the workspace. */
  private sealSome(workspaceId: number, settled: number): Promise<number> {
    return inIndexOrder(this.db.manager, async (tx) => {
      const head = await lockHead(tx, workspaceId);
      if (!head) return 0;
      const range = { after: head.entryId, upTo: settled, limit: AT_ONCE };
      const sealed = append(head, await readEntries(tx, workspaceId, range));
      if (sealed.length === 0) return 0;
      await storeSeals(tx, workspaceId, sealed);
      await send(
        tx,
        workspaceId,
        sealed.filter(({ entry }) => entry.id > head.sentAfter),
      );
      return sealed.length;
    });
  }
}

const nameOfChain = (workspaceId: number): string =>
  workspaceId === INSTALLATION ? 'the installation' : `workspace ${workspaceId}`;

/** The entries with their places after `head`. */
function append(head: ChainPlace, entries: HashedEntry[]): SealedEntry[] {
  let place = head;
  return entries.map((entry) => {
    const details = detailsHash(entry.details);
    place = { position: place.position + 1, entryId: entry.id, hash: chainHash(entry, place, details) };
    return { entry, place, detailsHash: details };
  });
}

/** Webhooks belong to workspaces, so entries of the installation are not sent. */
async function send(tx: EntityManager, workspaceId: number, sealed: SealedEntry[]): Promise<void> {
  if (sealed.length === 0 || workspaceId === INSTALLATION || !(await isTypeNamed(tx, workspaceId, AUDIT_ENTRY))) return;
  const events = sealed.map((each) => ({
    event: toAuditEvent(each),
    keyId: each.entry.keyId,
    requestId: each.entry.requestId,
  }));
  await emitCaused(tx, workspaceId, events);
}
