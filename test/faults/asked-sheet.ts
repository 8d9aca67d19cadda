import pg from 'pg';
import { expect } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { until } from '../support/until.js';
import type { WaitingService } from '../support/waiting-service.js';
import { readOperations, readSheet, textSheet } from './computed-sheet.js';

let sheets = 0;

/** A column that asks about "Column A", and what its cells must hold. */
export interface AskedColumn {
  type: string;
  config: object;
  answerTo(text: string): unknown;
}

export interface AskedRows {
  rows: number;
  /** The text of a row; null for one that no other test asks about. */
  textIn?: (row: number) => string | null;
}

/** A sheet whose column "Answer" asks somebody about the text of each row. */
export class AskedSheet {
  private constructor(
    private readonly client: ApiClient,
    private readonly column: AskedColumn,
    readonly sheet: SheetRef,
    readonly texts: string[],
    readonly operationId: string,
  ) {}

  static create(client: ApiClient, service: WaitingService, asked: AskedRows): Promise<AskedSheet> {
    const config = { source: 'Column A', url: service.url };
    return AskedSheet.of(client, { type: 'ASK', config, answerTo: (text) => text.toUpperCase() }, asked);
  }

  static async of(
    client: ApiClient,
    column: AskedColumn,
    { rows, textIn = () => null }: AskedRows,
  ): Promise<AskedSheet> {
    const number = ++sheets;
    const textOf = (row: number) => textIn(row) ?? `question ${number}.${row}`;
    const sheet = await textSheet(client, rows, textOf);
    const { type, config } = column;
    await client.post(`${sheet.path}/columns`, { title: 'Answer', type, config });
    const { active_operations: active } = await client.get<{ active_operations: { operation_id: string }[] }>(
      `${sheet.path}/operations`,
    );
    const texts = Array.from({ length: rows }, (_, row) => textOf(row));
    return new AskedSheet(client, column, sheet, texts, active[0]!.operation_id);
  }

  /** The same cells in another operation, which may only spend so much; whatever was begun before is cancelled. */
  async within(maxCost: number): Promise<AskedSheet> {
    await this.client.send('DELETE', `${this.sheet.path}/operations/${this.operationId}`);
    const { operation_id: id } = await this.client.post<{ operation_id: string }>(`${this.sheet.path}/operations`, {
      operation: 'recalculate',
      max_cost: maxCost,
    });
    return new AskedSheet(this.client, this.column, this.sheet, this.texts, id);
  }

  /** Number of cells that have their value. */
  async completed(): Promise<number> {
    return (await this.operation()).completed_count;
  }

  async operation() {
    const [operation] = await readOperations(this.client, this.sheet, [this.operationId]);
    return operation!;
  }

  /** Waits until the operation has ended. Does not mind a server that cannot answer for a while. */
  untilEnded(): Promise<void> {
    return until(async () => {
      const answer = await this.client.send('GET', `${this.sheet.path}/operations/${this.operationId}`);
      if (!answer.ok) return false;
      const { operation } = (await answer.json()) as { operation: { status: string } };
      return !['queued', 'running'].includes(operation.status);
    });
  }

  /** Waits for the end, and expects every cell to be there and right. */
  async expectAnswered(): Promise<void> {
    await this.untilEnded();
    const { rows } = await readSheet(this.client, this.sheet);
    expect(rows.map(({ values }) => values.Answer)).toEqual(this.texts.map(this.column.answerTo));
    expect(new Set(rows.map(({ statuses }) => statuses.Answer))).toEqual(new Set(['completed']));
    expect(await this.operation()).toMatchObject({
      status: 'completed',
      cell_count: this.texts.length,
      completed_count: this.texts.length,
      failed_count: 0,
      pending_count: 0,
    });
  }
}

export interface StoredTask {
  cells: number;
  claimed: boolean;
  attempts: number;
  /** Milliseconds since the epoch; null for unclaimed tasks. */
  leaseUntil: number | null;
}

/** Remaining tasks in the database. */
export async function readTasks(databaseUrl: string): Promise<StoredTask[]> {
  const db = new pg.Client(databaseUrl);
  await db.connect();
  const { rows } = await db.query<StoredTask>(
    `SELECT (SELECT sum(upper(r) - lower(r))::int FROM unnest(rows) r) AS cells, claim IS NOT NULL AS claimed, attempts,
            date_part('epoch', lease_until) * 1000 AS "leaseUntil"
       FROM computation_tasks`,
  );
  await db.end();
  return rows;
}
