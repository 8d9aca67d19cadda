import { createHmac, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, auditInstallation, type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import { type CreatedPage, readCreated } from '../platform/http/created-list.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { InjectNotifier, WorkNotifier } from '../platform/work/work-notifier.js';
import { Erasure } from './erasure.entity.js';
import { ErasureErrors } from './erasures.errors.js';
import type { Subject } from './person-marks.js';

/** Context to which an encrypted subject is bound. */
export const placeOf = (workspaceId: number, id: string): string => `erasure ${workspaceId} ${id}`;

@Injectable()
@FindsInPath({ name: 'erasure_id', ids: { erasure_id: 'uuid' } })
export class ErasuresService implements PathLookup<{ erasure_id: string }> {
  constructor(
    private readonly db: DataSource,
    private readonly secrets: Secrets,
    @InjectNotifier('erasures') private readonly workers: Pick<WorkNotifier, 'notify'>,
  ) {}

  /** Starts an erasure, or returns the one of the same person that is under way. Throws secrets_key_missing. */
  async create(caller: Caller, subject: Subject, dryRun: boolean): Promise<Erasure> {
    const { workspaceId, keyId, requestId } = caller;
    const id = randomUUID();
    const hash = this.hashOf(workspaceId, subject);
    const encrypted = this.secrets.encrypt(JSON.stringify(subject), placeOf(workspaceId, id));
    const erasure = await this.db.transaction(async (tx) => {
      const values = [workspaceId, id, subject.type, encrypted, hash, dryRun, keyId, requestId];
      const [inserted] = await tx.query<unknown[]>(
        `INSERT INTO erasures (workspace_id, id, subject_type, subject, subject_hash, dry_run, created_by, request_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (workspace_id, subject_hash, dry_run) WHERE finished_at IS NULL DO NOTHING RETURNING id`,
        values,
      );
      if (!inserted) return findOpen(tx, { workspaceId, subjectHash: hash, dryRun });
      const details = { subject_type: subject.type, person: hash.toString('hex'), dry_run: dryRun };
      const deed = { action: 'erasure.create', entityId: id, details };
      await audit(tx, caller, deed);
      // The operator's erasures reach the audit trail of the installation, whose verification looks for this entry.
      if (keyId === null)
        await auditInstallation(tx, requestId, [{ ...deed, details: { ...details, workspace_id: workspaceId } }]);
      return getErasure(tx, caller, id);
    });
    this.workers.notify();
    // The erasure that was under way has ended between two statements.
    return erasure ?? this.create(caller, subject, dryRun);
  }

  /** Returns up to `limit + 1` erasures. The extra one shows that there are more. */
  list({ workspaceId }: Caller, page: CreatedPage): Promise<Erasure[]> {
    return readCreated(this.db.manager, Erasure, { workspaceId }, page);
  }

  get(caller: Caller, id: string): Promise<Erasure> {
    return getErasure(this.db.manager, caller, id);
  }

  findInPath(caller: Caller, { erasure_id: id }: { erasure_id: string }): Promise<Erasure> {
    return getErasure(this.db.manager, caller, id);
  }

  /** Keyed hash: without the key of the installation it does not reveal the person, not even by trying all names. */
  private hashOf(workspaceId: number, { type, key, value }: Subject): Buffer {
    const hmac = createHmac('sha256', this.secrets.keyFor('erased persons'));
    return hmac.update(JSON.stringify([workspaceId, type, key, value])).digest();
  }
}

function findOpen(
  tx: EntityManager,
  where: Pick<Erasure, 'workspaceId' | 'dryRun'> & { subjectHash: Buffer },
): Promise<Erasure | null> {
  return tx.findOneBy(Erasure, where);
}

async function getErasure(db: EntityManager, { workspaceId }: Caller, id: string): Promise<Erasure> {
  const erasure = await db.findOneBy(Erasure, { workspaceId, id });
  if (!erasure) throw ErasureErrors.erasure_not_found(id);
  return erasure;
}
