import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { EntityManager } from 'typeorm';
import { type BinaryRows, COPY_BEGIN, COPY_END, type CopyData } from './binary-rows.js';

/** A statement with its parameters; several can be sent together, see `sendTogether`. */
export interface Step<Row extends object = never> {
  /** The name of the prepared statement. */
  name: string;
  text: string;
  values: unknown[];
  /** The data of a COPY. */
  copied?: CopyData;
  /** Never set: carries the type of its rows. */
  rows?: Row[];
}

/** The name is a hash of the text, so that two versions of a statement never share one. */
const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/**
 * A hot SQL statement. It is prepared once per connection, so the server parses and plans it only once; for small batches that is
 * most of the work.
 */
export class Statement<Row extends object = never> {
  private readonly name: string;

  constructor(private readonly text: string) {
    this.name = nameOf(text);
  }

  with(values: unknown[]): Step<Row> {
    return { name: this.name, text: this.text, values };
  }

  /** Runs it in the transaction of the manager, or on a connection of its own when the manager has none. */
  async run(tx: EntityManager, values: unknown[]): Promise<Row[]> {
    const runner = tx.queryRunner ?? tx.connection.createQueryRunner();
    try {
      const client = (await runner.connect()) as ClientBase;
      const result = await client.query<Row>(this.with(values));
      return result.rows;
    } finally {
      if (runner !== tx.queryRunner) await runner.release();
    }
  }
}

/** COPY into some columns of a table, from rows in binary format. */
export class CopyStatement {
  private readonly name: string;
  private readonly text: string;

  constructor(table: string, columns: string[]) {
    this.text = `COPY ${table} (${columns.join(', ')}) FROM STDIN (FORMAT binary)`;
    this.name = nameOf(this.text);
  }

  with(rows: readonly BinaryRows[]): Step {
    const taken = rows.map((some) => some.take());
    const pieces = [COPY_BEGIN, ...taken.flatMap((some) => some.pieces), COPY_END];
    const copied = { pieces, own: taken.flatMap((some) => some.own) };
    return { name: this.name, text: this.text, values: [], copied };
  }
}
