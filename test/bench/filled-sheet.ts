import type pg from 'pg';
import { expect } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';

/** Numbers of rows, of text columns (at least one) and of columns that count their words. */
export interface FilledSize {
  rows: number;
  texts: number;
  counts: number;
}

/** Cells only have to be there, so they do not go through the API; the columns do. Nothing is left to compute. */
export async function fillSheet(
  { client, db }: { client: ApiClient; db: pg.Client },
  size: FilledSize,
): Promise<SheetRef> {
  const sheet = await client.createSheet('Bench');
  for (let index = 1; index < size.texts; index++) {
    await client.post(`${sheet.path}/columns`, { title: `Text ${index}`, type: 'TEXT' });
  }
  for (let index = 0; index < size.counts; index++) {
    const config = { source: 'Column A', type: 'words' };
    await client.post(`${sheet.path}/columns`, { title: `Words ${index}`, type: 'COUNT', config });
  }
  await db.query('DELETE FROM computation_tasks');
  await db.query('DELETE FROM column_chunks');
  await db.query(`UPDATE executions SET status = 'completed', finished_at = now()`);
  await db.query('UPDATE sheets SET rows = int4multirange(int4range(0, $2)) WHERE id = $1', [sheet.id, size.rows]);
  await db.query(
    `INSERT INTO cells (workspace_id, column_key, row_index, version, value)
     SELECT c.workspace_id, c.key, i, c.version, CASE WHEN c.type = 'TEXT' THEN to_jsonb('May I get a refund? ' || i) ELSE to_jsonb(5) END
       FROM sheet_columns c, generate_series(0, $2::int - 1) i WHERE c.sheet_id = $1 ORDER BY c.key, i`,
    [sheet.id, size.rows],
  );
  await db.query('VACUUM ANALYZE cells');
  expect(await client.progress(sheet)).toEqual({ completed: size.rows * size.counts, total: size.rows * size.counts });
  return sheet;
}
