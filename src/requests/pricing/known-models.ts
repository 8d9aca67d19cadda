import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ModelProviders } from '../../llm/index.js';
import { publicPriceOf, tableNameOf } from './built-in-prices.js';
import { ModelPrice } from './model-price.entity.js';
import { PriceFile } from './price-file.js';

/** A model with what a million tokens cost today, in US dollars; null for a rate that is not known. */
export interface KnownModel {
  provider: string;
  model: string;
  inputRate: number | null;
  outputRate: number | null;
  /** Tokens that fit its context; null when that is not known. */
  contextWindow: number | null;
  /** Whether the workspace has set its price. */
  isOwn: boolean;
}

interface Wanted {
  /** Undefined for all that the server or the workspace knows. */
  provider?: string;
  /** A part of the name. */
  part: string;
  limit: number;
}

/** Models that have a price, by provider: those of the workspace, then those of the public table. */
@Injectable()
export class KnownModels {
  constructor(
    private readonly db: DataSource,
    private readonly file: PriceFile,
    private readonly providers: ModelProviders,
  ) {}

  async list({ workspaceId }: Caller, { provider, part, limit }: Wanted): Promise<KnownModel[]> {
    const prices = await this.db.manager.find(ModelPrice, { where: { workspaceId }, order: { model: 'ASC' } });
    const all = new Set([...this.providers.registered, ...prices.map((price) => price.provider)]);
    const names = provider === undefined ? [...all].sort() : [provider.trim().toLowerCase()];
    const wanted = part.trim().toLowerCase();
    const found: KnownModel[] = [];
    for (const name of names) {
      const own = prices.filter((price) => price.provider === name).map(ownModel);
      const known = new Set(own.map(({ model }) => model));
      const others = (await this.publicModels(name)).filter(({ model }) => !known.has(model));
      found.push(...[...own, ...others].filter(({ model }) => model.toLowerCase().includes(wanted)));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  private async publicModels(provider: string): Promise<KnownModel[]> {
    const table = (await this.file.table()).find(({ id }) => id === tableNameOf(provider));
    const models = (table?.models ?? []).filter(({ deprecated }) => deprecated !== true);
    return models.map(({ id: model, context_window: contextWindow }) => {
      const rates = publicPriceOf(provider, model)?.rates;
      return {
        provider,
        model,
        inputRate: baseOf(rates?.input_mtok),
        outputRate: baseOf(rates?.output_mtok),
        contextWindow: contextWindow ?? null,
        isOwn: false,
      };
    });
  }
}

function ownModel({ provider, model, input, output }: ModelPrice): KnownModel {
  const known = publicPriceOf(provider, model)?.rates;
  return {
    provider,
    model,
    inputRate: input ?? baseOf(known?.input_mtok),
    outputRate: output ?? baseOf(known?.output_mtok),
    contextWindow: null,
    isOwn: true,
  };
}

/** Long inputs may cost more: the rate of short ones. */
function baseOf(rate: number | { base: number } | undefined): number | null {
  return typeof rate === 'object' ? rate.base : (rate ?? null);
}
