import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import type { StatementWatch } from '../database/watched-client.js';
import { loggedShape, workspaceIn } from '../database/statement-shape.js';
import { StorageHealth } from '../database/storage-health.js';
import { Metrics } from './metrics.js';
import { Tracing } from './tracing.js';

/** Cells that were computed together. */
export interface ComputedCells {
  workspaceId: number;
  columnId: string;
  type: string;
  cells: number;
  ms: number;
}

/** Logs and counts slow statements and cells. Log lines contain no customer data. */
@Injectable()
export class SlowWork implements StatementWatch {
  private readonly log = new Logger('Slow');

  constructor(
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
    private readonly storage: StorageHealth,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  begin(text: string, values: readonly unknown[], pool: string): (error?: unknown) => void {
    const start = performance.now();
    const endSpan = this.tracing.beginStatement(text);
    return (error) => {
      endSpan?.(error);
      if (error && pool === 'main') this.storage.note(error);
      const ms = Math.round(performance.now() - start);
      if (isSlow(ms, this.config.slowStatementMs)) this.tellOfStatement({ text, values, pool, ms });
    };
  }

  noteCells({ type, ...rest }: ComputedCells): void {
    if (!isSlow(rest.ms, this.config.slowCellMs)) return;
    this.metrics.counters.slowCells.inc({ type });
    this.log.warn({ message: 'slow cells', type, ...rest, ms: Math.round(rest.ms) });
  }

  private tellOfStatement({
    text,
    values,
    pool,
    ms,
  }: {
    text: string;
    values: readonly unknown[];
    pool: string;
    ms: number;
  }) {
    this.metrics.counters.slowStatements.inc({ pool });
    const workspaceId = workspaceIn(text, values);
    this.log.warn({ message: 'slow statement', ms, pool, workspaceId, statement: loggedShape(text) });
  }
}

const isSlow = (ms: number, limit: number): boolean => limit > 0 && ms >= limit;
