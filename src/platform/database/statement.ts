import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { EntityManager } from 'typeorm';

/**
 * A hot SQL statement. It is prepared once per connection, so the server parses and plans it once instead of every
 * time; for small batches that is most of the work.
 */
export class Statement<Row extends object = never> {
  private readonly name: string;

  constructor(private readonly text: string) {
    // Named after its text: two versions of a statement can never be mistaken for each other.
    this.name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  }

  /** Runs it in the transaction of the manager, or on a connection of its own when the manager has none. */
  async run(tx: EntityManager, values: unknown[]): Promise<Row[]> {
    const runner = tx.queryRunner ?? tx.connection.createQueryRunner();
    try {
      const client = (await runner.connect()) as ClientBase;
      const result = await client.query<Row>({ name: this.name, text: this.text, values });
      return result.rows;
    } finally {
      if (runner !== tx.queryRunner) await runner.release();
    }
  }
}
