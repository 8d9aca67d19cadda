import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { publicPriceOf } from './built-in-prices.js';
import { CustomPrices } from './custom-prices.js';
import { ModelPrice } from './model-price.entity.js';
import { priceCall, type PricedCall } from './price-call.js';
import { PriceFile } from './price-file.js';

/** New prices may take this long to be used by another process. */
const REFRESH_MS = 2000;

/**
 * Computes the cost of calls. Thousands of calls are priced in a second while they are parsed, which leaves no time for
 * a query. Therefore all prices that workspaces have set, which are few, are kept in memory.
 */
@Injectable()
export class ModelPrices implements OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(ModelPrices.name);
  private custom = new Map<number, CustomPrices>();
  private state = '';
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: DataSource,
    private readonly file: PriceFile,
  ) {}

  /**
   * The cost in US dollars: the reported one, else the result of {@link priceCall} with the prices of the workspace.
   * `atMs` is the start of the call since the epoch.
   */
  costOf(workspaceId: number, call: PricedCall & { reportedPrice: number | null }, atMs: number): number | null {
    return call.reportedPrice ?? priceCall(call, new Date(atMs), this.custom.get(workspaceId));
  }

  /** Whether a call is priced by the price that the workspace has set under these names, and by no public price. */
  isPricedBy(workspaceId: number, set: { provider: string; model: string }, { provider, model }: PricedCall): boolean {
    return this.custom.get(workspaceId)?.counts(set, provider, model) === true && !publicPriceOf(provider, model);
  }

  /** Loads the committed prices into this process. */
  refresh(): Promise<void> {
    // One after the other, so that an earlier result never replaces a later one.
    this.turn = this.turn.then(() => this.load()).catch((error: unknown) => this.staysAsItIs(error));
    return this.turn;
  }

  async onModuleInit(): Promise<void> {
    await this.load();
    this.refreshLater();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.turn;
  }

  private refreshLater(): void {
    if (this.stopped) return;
    const refresh = () => Promise.all([this.refresh(), this.file.refresh()]);
    this.timer = setTimeout(() => void refresh().then(() => this.refreshLater()), REFRESH_MS);
  }

  private async load(): Promise<void> {
    const state = await this.readState();
    if (state === this.state) return;
    const byWorkspace = new Map<number, ModelPrice[]>();
    for (const price of await this.db.manager.find(ModelPrice)) {
      const prices = byWorkspace.get(price.workspaceId);
      if (prices) prices.push(price);
      else byWorkspace.set(price.workspaceId, [price]);
    }
    this.custom = new Map([...byWorkspace].map(([workspaceId, prices]) => [workspaceId, new CustomPrices(prices)]));
    this.state = state;
  }

  private async readState(): Promise<string> {
    const sql = `SELECT count(*) || '/' || coalesce(max(revision), 0) AS state FROM model_prices`;
    const [row] = await this.db.query<{ state: string }[]>(sql);
    return row!.state;
  }

  private staysAsItIs(error: unknown): void {
    this.log.debug(`Prices of workspaces could not be read again and stay as they are: ${String(error)}`);
  }
}
