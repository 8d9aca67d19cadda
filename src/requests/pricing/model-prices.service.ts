import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { ModelPrice } from './model-price.entity.js';
import { ModelPriceErrors } from './model-prices.errors.js';
import { ModelPrices } from './model-prices.js';

const MOST_PRICES = 500;

export interface PricedModel {
  provider: string;
  model: string;
}

/** US dollars per million tokens; null for a rate that is not set. */
export interface CustomRates {
  input: number | null;
  output: number | null;
  cachedInput: number | null;
  cacheWrite: number | null;
}

@Injectable()
export class ModelPricesService {
  constructor(
    private readonly db: DataSource,
    private readonly prices: ModelPrices,
  ) {}

  /** Sorted by provider and model. */
  list({ workspaceId }: Caller): Promise<ModelPrice[]> {
    return this.db.manager.find(ModelPrice, { where: { workspaceId }, order: { provider: 'ASC', model: 'ASC' } });
  }

  /** Ignores letter case. Throws model_price_not_found. */
  async get({ workspaceId }: Caller, { provider, model }: PricedModel): Promise<ModelPrice> {
    const price = await this.db.manager.findOneBy(ModelPrice, { workspaceId, ...lowerCased({ provider, model }) });
    if (!price) throw ModelPriceErrors.model_price_not_found(provider, model);
    return price;
  }

  /** Counts for calls that this process logs from now on. Throws model_prices_too_many. */
  async set(caller: Caller, named: PricedModel, rates: CustomRates): Promise<ModelPrice> {
    const key = { workspaceId: caller.workspaceId, ...lowerCased(named) };
    const price = await this.change(async (tx) => {
      const before = await tx.findOneBy(ModelPrice, key);
      if (!before) await refuseTooMany(tx, caller);
      const [{ revision }] = await tx.query<[{ revision: string }]>(NEXT_REVISION);
      await tx.upsert(ModelPrice, { ...key, ...rates, updatedAt: new Date(), revision }, KEY);
      const details = { from: before && ratesOf(before), to: rates };
      await audit(tx, caller, { action: 'model_price.set', entityId: entityIdOf(key), details });
      return tx.findOneByOrFail(ModelPrice, key);
    });
    await this.prices.refresh();
    return price;
  }

  /** Throws model_price_not_found. */
  async delete(caller: Caller, named: PricedModel): Promise<void> {
    const key = { workspaceId: caller.workspaceId, ...lowerCased(named) };
    await this.change(async (tx) => {
      const before = await tx.findOneBy(ModelPrice, key);
      if (!before) throw ModelPriceErrors.model_price_not_found(named.provider, named.model);
      await tx.delete(ModelPrice, key);
      const details = { from: ratesOf(before) };
      await audit(tx, caller, { action: 'model_price.delete', entityId: entityIdOf(key), details });
    });
    await this.prices.refresh();
  }

  /** Changes are committed in the order of their revisions, or another process could miss the smaller of two. */
  private change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'model-prices');
      return work(tx);
    });
  }
}

const KEY = ['workspaceId', 'provider', 'model'];
const NEXT_REVISION = `SELECT nextval('model_price_revisions') AS revision`;

async function refuseTooMany(tx: EntityManager, { workspaceId }: Caller): Promise<void> {
  const count = await tx.countBy(ModelPrice, { workspaceId });
  if (count >= MOST_PRICES) throw ModelPriceErrors.model_prices_too_many(MOST_PRICES);
}

function lowerCased({ provider, model }: PricedModel): PricedModel {
  return { provider: provider.trim().toLowerCase(), model: model.trim().toLowerCase() };
}

function ratesOf({ input, output, cachedInput, cacheWrite }: ModelPrice): CustomRates {
  return { input, output, cachedInput, cacheWrite };
}

const entityIdOf = ({ provider, model }: PricedModel): string => `${provider}/${model}`;
