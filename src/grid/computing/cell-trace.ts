import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { persistently } from '../../platform/database/persistently.js';
import type { Origin } from '../../llm/records/origin.js';
import type { JsonObject } from '../../platform/json.js';
import type { OwnSpan, OwnSpans } from '../../traces/index.js';
import type { RecordedCall } from '../column-type/cell-context.js';
import type { RowTrace } from '../shared/sheet-owners.js';

// Node buffers random numbers for UUIDs. Asking for a few at a time took longer than the rest of a cell.
const newTraceId = (): string => randomUUID().replaceAll('-', '');
const newSpanId = (): string => newTraceId().slice(16);

/** Now, in milliseconds since the epoch, with a fraction. */
const now = (): number => performance.timeOrigin + performance.now();

/** The span that the running code is part of. */
const current = new AsyncLocalStorage<string>();

/** The trace of a cell, or its part of the trace of its row. It is stored only if it has a call or a step. */
export class CellTrace {
  readonly id: string;
  private readonly rootId = newSpanId();
  private readonly startMs = now();
  private isUsed = false;
  private isEnded = false;
  /** Steps that have ended and wait to be stored with the next call. */
  private readonly ended: OwnSpan[] = [];

  constructor(
    private readonly spans: OwnSpans,
    private readonly cell: {
      workspaceId: number;
      origin: Origin;
      name: string;
      attributes: JsonObject;
      of: RowTrace | null;
    },
  ) {
    this.id = cell.of?.traceId ?? newTraceId();
  }

  /** The id, if the trace has any spans. */
  get idIfUsed(): string | undefined {
    return this.isUsed ? this.id : undefined;
  }

  /**
   * Stores a call as a child of the current step, and returns the id of its request log. Rejects when it cannot be
   * stored.
   */
  async addCall({ call, startMs, endMs }: RecordedCall): Promise<number> {
    this.isUsed = true;
    const name = call.functionName || call.model;
    const span = { name, startMs, endMs, error: call.errorMessage, attributes: {}, call };
    const stored = [...this.ended.splice(0), this.child(span)];
    const logId = async () => (await this.store(stored)).at(-1) ?? null;
    // The batch may have failed because of entries of other cells, so the call is stored once more.
    const requestLogId = (await logId().catch(() => null)) ?? (await logId());
    if (requestLogId === null) throw new Error('The database refuses its log.');
    return requestLogId;
  }

  async step<T>(name: string, work: () => Promise<T>, attributes: JsonObject = {}): Promise<T> {
    this.isUsed = true;
    const startMs = now();
    const [spanId, parentId] = [newSpanId(), this.parentId];
    const end = (error: string | null) => {
      const span = { name, startMs, endMs: now(), error, attributes, call: null };
      this.ended.push({ ...this.child(span), spanId, parentId });
    };
    try {
      const result = await current.run(spanId, work);
      end(null);
      return result;
    } catch (error) {
      end(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Stores the span of the cell itself, and the remaining steps. A trace ends once. */
  async end(error: string | null): Promise<void> {
    if (!this.isUsed || this.isEnded) return;
    this.isEnded = true;
    const { name, of } = this.cell;
    const attributes = { ...this.cell.attributes, ...of?.attributes };
    const span = { name, startMs: this.startMs, endMs: now(), error, attributes, call: null };
    const root = { ...this.child(span), spanId: this.rootId, parentId: of?.parentId ?? null };
    await this.store([...this.ended.splice(0), root]);
  }

  private store(spans: OwnSpan[]): Promise<(number | null)[]> {
    return persistently(() => this.spans.store(this.cell, spans));
  }

  private get parentId(): string {
    return current.getStore() ?? this.rootId;
  }

  private child(span: Omit<OwnSpan, 'traceId' | 'spanId' | 'parentId'>): OwnSpan {
    return { ...span, traceId: this.id, spanId: newSpanId(), parentId: this.parentId };
  }
}
