import { ExternalRows } from './external-rows.js';
import type { ExternalEngine } from './external-engine.js';
import type { WorkInputs } from './read-work.js';
import { RowSignals } from './row-signals.js';
import { type ClaimedCells, toClaimSet } from './tasks.queries.js';

/**
 * One running claim: its rows are computed at the same time, and finished, stored and aborted one by one. If the claim
 * has several columns, each row goes through them in turn, and continues with the next one while a result is stored.
 */
export class ExternalRun {
  readonly signals = new RowSignals();

  constructor(
    private readonly engine: ExternalEngine,
    readonly claim: ClaimedCells,
  ) {}

  /** Resolves when every row has its results or was aborted. No other calls begin after `ending` is aborted. */
  async compute(ending: AbortSignal): Promise<void> {
    const { claim, engine } = this;
    const inputs = await engine.claims.read(claim);
    if (!inputs) return this.endClaim();
    await this.giveBack(inputs);
    this.leaveShared(inputs);
    const traceOf = await engine.tools.owners.traceOf(inputs.sheet);
    const rows = new ExternalRows(engine, { claim, inputs, signals: this.signals, ending, traceOf });
    await rows.compute();
    if (rows.isSpent) await engine.claims.endSpent(claim);
  }

  /** The sheet or the column was deleted. */
  private async endClaim(): Promise<void> {
    await this.engine.claims.store(toClaimSet(this.claim), []);
  }

  private async giveBack({ unread, rows, following }: WorkInputs): Promise<void> {
    const { claims } = this.engine;
    await claims.giveBack(this.claim, unread);
    this.engine.leave(this.claim, unread.count);
    await claims.giveBack(this.claim, rows, this.claim.columnKeys.slice(1 + following.length));
  }

  /** Frees all slots but one for cells that share a slot, so that the next claim can begin. */
  private leaveShared({ plan, following, rows }: WorkInputs): void {
    const together = [plan, ...following].map(({ type }) => type.options.cellsPerPlace ?? 1);
    this.engine.leave(this.claim, rows.count - Math.ceil(rows.count / Math.min(...together)));
  }
}
