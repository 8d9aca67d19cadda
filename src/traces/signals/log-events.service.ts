import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { IngestionService } from '../ingestion/ingestion.service.js';
import { storeLogEvents } from '../ingestion/log-events.queries.js';
import { readStoredSpans } from '../ingestion/stored-spans.queries.js';
import { eventIn, type LogRecord, type ToldEvent } from './log-record.js';

/** How many records were not stored, and why. */
export interface RefusedRecords {
  rejected: number;
  reasons: string[];
}

/** Spans that are read again at once. */
const AT_ONCE = 100;

@Injectable()
export class LogEventsService {
  constructor(
    private readonly db: DataSource,
    private readonly ingestion: IngestionService,
  ) {}

  /**
   * Turns records with the content of a call into events of its span, whether the span came before or comes later;
   * resolves after the commit.
   */
  async store(caller: Caller, records: LogRecord[]): Promise<RefusedRecords> {
    const read = records.map(eventIn);
    const told = read.filter((event): event is ToldEvent => typeof event !== 'string');
    const refused = read.filter((reason): reason is string => typeof reason === 'string');
    const closed = told.length > 0 ? await this.storeEvents(caller, told) : [];
    const reasons = [...new Set([...refused, ...closed])];
    return { rejected: refused.length + closed.length, reasons };
  }

  /** Returns the reason for each event that was not stored. */
  private async storeEvents(caller: Caller, told: ToldEvent[]): Promise<string[]> {
    const { workspaceId } = caller;
    const events = told.map((event) => ({ workspaceId, ...event }));
    const open = await this.db.transaction((tx) => storeLogEvents(tx, events));
    const accepted = told.filter(({ traceId }) => open.has(traceId));
    for (let from = 0; from < accepted.length; from += AT_ONCE) {
      const some = accepted.slice(from, from + AT_ONCE);
      await this.ingestion.ingestAgain(caller, await readStoredSpans(this.db.manager, workspaceId, some));
    }
    return told.filter(({ traceId }) => !open.has(traceId)).map(({ traceId }) => `Trace already closed: ${traceId}`);
  }
}
