import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { comparableText } from '../../platform/comparable-text.js';
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
  provider: string;
  /** A part of the name. */
  part: string;
  limit: number;
}

/** The models of a provider that have a price: those of the workspace, then those of the public table. */
@Injectable()
export class KnownModels {
  constructor(
    private readonly db: DataSource,
    private readonly file: PriceFile,
  ) {}

  async list({ workspaceId }: Caller, { provider, part, limit }: Wanted): Promise<KnownModel[]> {
    const name = provider.trim().toLowerCase();
    const own = await this.ownModels(workspaceId, name);
    const names = new Set(own.map(({ model }) => model));
    const others = (await this.publicModels(name)).filter(({ model }) => !names.has(model));
    const wanted = comparableText(part.trim()).toLowerCase();
    return [...own, ...others].filter(({ model }) => model.toLowerCase().includes(wanted)).slice(0, limit);
  }

  private async ownModels(workspaceId: number, provider: string): Promise<KnownModel[]> {
    const prices = await this.db.manager.find(ModelPrice, {
      where: { workspaceId, provider },
      order: { model: 'ASC' },
    });
    return prices.map(({ model, input, output }) => {
      const known = publicPriceOf(provider, model)?.rates;
      return {
        provider,
        model,
        inputRate: input ?? baseOf(known?.input_mtok),
        outputRate: output ?? baseOf(known?.output_mtok),
        contextWindow: null,
        isOwn: true,
      };
    });
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

/** Long inputs may cost more: the rate of short ones. */
function baseOf(rate: number | { base: number } | undefined): number | null {
  return typeof rate === 'object' ? rate.base : (rate ?? null);
}
