import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inPortions } from '../platform/in-portions.js';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../platform/work/row-work.js';
import type { WorkControl } from '../platform/work/work-kind.js';
import { ModelPrices, SearchNotifier, type UnpricedCall, UnpricedLogs } from '../requests/index.js';
import { PricedSpans } from '../traces/index.js';
import { Repricing } from './repricing.entity.js';

export const REPRICING_ROWS: WorkTable = {
  name: 'repricing',
  table: 'repricings',
  idType: 'uuid',
  open: 'w.finished_at IS NULL',
  claimed: 'position = position',
  givenBack: `status = 'queued'`,
};

/** Calls without a price, of any model, that are read at once. */
const READ_AT_ONCE = 2000;
/** Calls that one transaction prices. It locks their traces and sums them again. */
const PRICED_AT_ONCE = 200;

type PricedCall = UnpricedCall & { price: number };

/** Matches in a batch of calls, and the position of its last call. */
interface Found {
  position: string;
  priced: { id: string; price: number }[];
  left: number;
}

/**
 * Prices stored calls that have no price, in small transactions. Each also stores the position, so another worker can continue.
 * Calls with a price are skipped, so a batch can be repeated without effect.
 */
@Injectable()
export class RepricingWork extends RowWork<Repricing> {
  constructor(
    db: DataSource,
    private readonly prices: ModelPrices,
    private readonly spans: PricedSpans,
    private readonly search: SearchNotifier,
  ) {
    super(db, REPRICING_ROWS, Repricing);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const { workspaceId } = claim;
    const repricing = await this.readClaimed(this.db.manager, claim);
    // The price may have been set in another process a moment ago.
    await this.prices.refresh();
    let after = repricing.position;
    for (;;) {
      signal.throwIfAborted();
      const wanted = { workspaceId, after, since: repricing.since, limit: READ_AT_ONCE };
      const calls = await UnpricedLogs.read(this.db.manager, wanted);
      if (calls.length === 0) break;
      await this.goThrough(repricing, claim, calls, signal);
      after = calls.at(-1)!.id;
    }
    await this.end(this.db.manager, claim, { status: 'completed', finishedAt: now });
  }

  fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'It failed because of an error on the server. Begin it again.');
    return this.end(this.db.manager, claim, { status: 'failed', errorMessage: message, finishedAt: now });
  }

  private async goThrough(
    repricing: Repricing,
    claim: ClaimedRow,
    calls: UnpricedCall[],
    signal: AbortSignal,
  ): Promise<void> {
    const ofModel = calls.filter((call) => this.prices.isPricedBy(claim.workspaceId, repricing, toPriced(call)));
    for (const some of inPortions(ofModel, PRICED_AT_ONCE)) {
      signal.throwIfAborted();
      await this.price(repricing, claim, some);
    }
    await this.record(this.db.manager, claim, { position: calls.at(-1)!.id, priced: [], left: 0 });
  }

  private priceOf(workspaceId: number, call: UnpricedCall): number | null {
    if (call.usage === null) return null;
    return this.prices.costOf(workspaceId, { ...toPriced(call), reportedPrice: null }, call.startMs);
  }

  private async price({ dryRun }: Repricing, claim: ClaimedRow, calls: UnpricedCall[]): Promise<void> {
    const { workspaceId } = claim;
    const known = calls.flatMap((call): PricedCall[] => {
      const price = this.priceOf(workspaceId, call);
      return price === null ? [] : [{ ...call, price }];
    });
    const prices = new Map(known.map(({ id, price }) => [id, price]));
    await this.db.transaction(async (tx) => {
      const done = dryRun ? known : await this.store(tx, workspaceId, known);
      const priced = done.map(({ id }) => ({ id, price: prices.get(id)! }));
      await this.record(tx, claim, { position: calls.at(-1)!.id, priced, left: calls.length - known.length });
    });
    if (dryRun) return;
    this.search.notify();
    this.spans.notify();
  }

  private async store(tx: EntityManager, workspaceId: number, calls: PricedCall[]) {
    await this.spans.lock(tx, workspaceId, calls);
    const priced = await UnpricedLogs.price(tx, workspaceId, calls);
    await this.spans.show(tx, workspaceId, priced);
    return priced;
  }

  private record(tx: EntityManager, claim: ClaimedRow, { position, priced, left }: Found): Promise<void> {
    const cost = priced.reduce((sum, { price }) => sum + price, 0);
    return this.update(tx, claim, {
      position,
      pricedCount: () => `priced_count + ${priced.length}`,
      leftCount: () => `left_count + ${left}`,
      cost: () => `cost + ${cost}`,
    });
  }
}

const NO_TOKENS = { input: null, output: null, cached: null, cacheWrite: null, thinking: null, cacheExclusive: false };

const toPriced = ({ provider, model, usage }: UnpricedCall) => ({ provider, model, usage: usage ?? NO_TOKENS });
