import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { audit, type Caller } from '../access/index.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { type CreatedPage, readCreated } from '../platform/http/created-list.js';
import { InjectNotifier, WorkNotifier } from '../platform/work/work-notifier.js';
import { ModelPricesService, publicPriceOf } from '../requests/index.js';
import { Repricing } from './repricing.entity.js';
import { RepricingErrors } from './repricings.errors.js';

/** Selects the calls that get a price. */
export type WantedRepricing = Pick<Repricing, 'provider' | 'model' | 'since' | 'dryRun'>;

@Injectable()
export class RepricingsService {
  constructor(
    private readonly db: DataSource,
    private readonly prices: ModelPricesService,
    @InjectNotifier('repricings') private readonly workers: WorkNotifier,
  ) {}

  /** Throws model_price_not_found, repricing_of_public_model and repricing_running. */
  async create(caller: Caller, wanted: WantedRepricing): Promise<Repricing> {
    const { workspaceId, keyId, requestId } = caller;
    const { provider, model } = await this.prices.get(caller, wanted);
    if (publicPriceOf(provider, model)) throw RepricingErrors.repricing_of_public_model(provider, model);
    const { since, dryRun } = wanted;
    const id = randomUUID();
    const repricing = await this.db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'repricings', workspaceId);
      const open = { workspaceId, provider, model, finishedAt: IsNull() };
      if (await tx.existsBy(Repricing, open)) throw RepricingErrors.repricing_running(provider, model);
      await tx.insert(Repricing, { workspaceId, id, provider, model, since, dryRun, createdBy: keyId, requestId });
      const details = { provider, model, since, dry_run: dryRun };
      await audit(tx, caller, { action: 'repricing.create', entityId: id, details });
      return tx.findOneByOrFail(Repricing, { workspaceId, id });
    });
    this.workers.notify();
    return repricing;
  }

  /** Returns up to `limit + 1` repricings. The extra one shows that there are more. */
  list({ workspaceId }: Caller, page: CreatedPage): Promise<Repricing[]> {
    return readCreated(this.db.manager, Repricing, { workspaceId }, page);
  }
}
