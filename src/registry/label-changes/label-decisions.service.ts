import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { Problem } from '../../platform/errors/problem.js';
import { clearApproved } from '../protected-labels.js';
import type { RegistryEntry } from '../registry.entities.js';
import { LabelChangeEvents, requestDetails } from './label-change-events.js';
import { type ChangeState, LabelChange, type OutdatedReason, stateOf } from './label-change.entity.js';
import { LabelChangeErrors, outdatedChange } from './label-changes.errors.js';
import { getChange, lockChange, mayAskStill, type ShownLabelChange } from './label-changes.queries.js';
import { LabelledKinds } from './labelled-kinds.js';

/** How requests for changes of labels end. */
@Injectable()
export class LabelDecisionsService {
  constructor(
    private readonly db: DataSource,
    private readonly kinds: LabelledKinds,
  ) {}

  /**
   * Changes the label, in the transaction that approves. A request that cannot be carried out any more is outdated from then on.
   * Throws approver_required, approver_is_asker, label_change_closed, label_change_outdated and label_change_impossible.
   */
  async approve(caller: Caller, id: string, reason: string | null): Promise<ShownLabelChange> {
    const outdated = await this.db.transaction(async (tx) => {
      // The item first, as everything that changes labels locks it first.
      const entry = await this.kinds.find(tx, await getChange(tx, caller, id), 'for_no_key_update');
      const change = await lockForDecision(tx, caller, id);
      const because = await this.whyOutdated(tx, change, entry);
      if (because) {
        await end(tx, change, { state: 'outdated', outdatedBecause: because });
        return because;
      }
      await end(tx, change, { state: 'approved', decidedBy: caller.keyId, decisionReason: reason });
      await this.carryOut(tx, caller, change, entry!);
      await record(tx, caller, id, 'approve');
      return null;
    });
    // After the commit, which keeps that it is outdated.
    if (outdated) throw outdatedChange(id, outdated);
    return getChange(this.db.manager, caller, id);
  }

  /** Throws approver_required, approver_is_asker, label_change_closed and label_change_outdated. */
  reject(caller: Caller, id: string, reason: string): Promise<ShownLabelChange> {
    return this.db.transaction(async (tx) => {
      const change = await lockForDecision(tx, caller, id);
      requireUnexpired(change);
      await end(tx, change, { state: 'rejected', decidedBy: caller.keyId, decisionReason: reason });
      return record(tx, caller, id, 'reject');
    });
  }

  /** Throws label_change_of_another, label_change_closed and label_change_outdated. */
  cancel(caller: Caller, id: string): Promise<ShownLabelChange> {
    return this.db.transaction(async (tx) => {
      const change = await lockChange(tx, caller, id);
      if (change.askedBy !== caller.keyId && !isOwn(caller, change)) throw LabelChangeErrors.label_change_of_another();
      requireOpen(change);
      requireUnexpired(change);
      await end(tx, change, { state: 'cancelled', decidedBy: caller.keyId });
      return record(tx, caller, id, 'cancel');
    });
  }

  /** null for a request that can be approved. */
  private async whyOutdated(
    tx: EntityManager,
    change: LabelChange,
    entry: RegistryEntry | null,
  ): Promise<OutdatedReason | null> {
    if (stateOf(change).state === 'outdated') return 'expired';
    if (!entry) return 'item_deleted';
    const { permission } = this.kinds.get(change.kind);
    if (!(await mayAskStill(tx, change, permission))) return 'asker_left';
    // Processes of the last release move labels without a look at requests.
    const current = await this.kinds.currentVersion(tx, change, entry);
    return current === change.fromVersion ? null : 'label_moved';
  }

  /** Throws label_change_impossible, such as for a prompt whose snippets would import each other. */
  private async carryOut(tx: EntityManager, caller: Caller, change: LabelChange, entry: RegistryEntry): Promise<void> {
    const { label, toVersion } = change;
    const { plugin } = this.kinds.get(change.kind);
    const labels = clearApproved(label);
    try {
      if (toVersion === null) {
        await plugin.remove(tx, caller, entry, labels);
        return;
      }
      await plugin.checkTarget(tx, entry, { name: label, versionNumber: toVersion });
      await plugin.place(tx, caller, entry, { versionNumber: toVersion, labels });
    } catch (error) {
      throw error instanceof Problem ? LabelChangeErrors.label_change_impossible(error.message) : error;
    }
  }
}

/** An open request, locked, for a second person. */
async function lockForDecision(tx: EntityManager, caller: Caller, id: string): Promise<LabelChange> {
  const change = await lockChange(tx, caller, id);
  if (!caller.user) throw LabelChangeErrors.approver_required();
  if (isOwn(caller, change)) throw LabelChangeErrors.approver_is_asker();
  requireOpen(change);
  return change;
}

/** Whether the caller is the person who asked, or who created the key that asked. */
const isOwn = ({ user }: Caller, { askedUserId }: LabelChange): boolean => user !== null && user.id === askedUserId;

/** Throws label_change_closed, and label_change_outdated with the reason. */
function requireOpen({ id, state, outdatedBecause }: LabelChange): void {
  if (state === 'open') return;
  if (outdatedBecause) throw outdatedChange(id, outdatedBecause);
  throw LabelChangeErrors.label_change_closed(id, state);
}

function requireUnexpired(change: LabelChange): void {
  const { outdatedBecause } = stateOf(change);
  if (outdatedBecause) throw outdatedChange(change.id, outdatedBecause);
}

type Ended = { state: Exclude<ChangeState, 'open'> } & Partial<
  Pick<LabelChange, 'outdatedBecause' | 'decidedBy' | 'decisionReason'>
>;

async function end(tx: EntityManager, { workspaceId, id }: LabelChange, ended: Ended): Promise<void> {
  await tx.update(LabelChange, { workspaceId, id }, { ...ended, decidedAt: new Date() });
}

/** The event and the audit entry of a decision; they name both people. */
async function record(
  tx: EntityManager,
  caller: Caller,
  id: string,
  verb: 'approve' | 'reject' | 'cancel',
): Promise<ShownLabelChange> {
  const change = await getChange(tx, caller, id);
  const { state, decidedBy, decisionReason } = change;
  const asked = requestDetails(change);
  const decided = { decided_by: decidedBy, decision_reason: decisionReason };
  await emit(tx, caller, LabelChangeEvents.ended({ ...asked, ...decided, state }));
  const { label_change_id: entityId, ...request } = asked;
  const names = { asked_by_name: change.askerName, decided_by_name: change.deciderName };
  await audit(tx, caller, {
    action: `label_change.${verb}`,
    entityId,
    details: { ...request, ...decided, ...names },
  });
  return change;
}
