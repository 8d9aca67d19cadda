import { afterEach, describe, expect, it } from 'vitest';
import type { Metered } from '../support/external-cells.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import { computeColumn, fresh, useModelApp } from '../support/model-app.js';
import { until } from '../support/until.js';

const used = useModelApp();

const PROMPT = {
  inline_template: {
    inline: true,
    prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: '{thing}' }] }] },
    metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } },
  },
  prompt_template_variable_mappings: { thing: 'Column A' },
};

const computed = async (texts: string[]): Promise<Metered[]> =>
  (await computeColumn(used, 'PROMPT_TEMPLATE', PROMPT, { 'Column A': texts })).cells;

const shown = ({ status, value }: Metered) => [status, value];

/** Shorter than any limit on statements. */
const HELD_MS = 500;

it('takes the time of its work and not that of storing its logs', async () => {
  const { app, me, vendors } = used;
  // The client of the vendor is loaded with the first call.
  await computed([fresh('warm up')]);
  vendors.reset();
  const sheet = await newSheet(me, [fresh('patience')]);
  let [columnId, heldMs] = ['', 0];
  await app.inTransaction(async (sql) => {
    await sql('LOCK TABLE request_logs IN SHARE ROW EXCLUSIVE MODE');
    const askedAt = Date.now();
    columnId = (await addColumn(me, sheet, { title: 'Result', type: 'PROMPT_TEMPLATE', config: PROMPT })).id;
    await until(() => Promise.resolve(vendors.calls.length === 1 && vendors.open === 0));
    const answeredAt = Date.now();
    // Longer than the call can have taken, however busy the machine was.
    const end = answeredAt + 2 * (answeredAt - askedAt) + HELD_MS;
    await until(() => Promise.resolve(Date.now() > end));
    heldMs = Date.now() - answeredAt;
  });
  await settled(me, sheet);
  const [cell] = (await cellsOf(me, sheet, columnId)) as Metered[];
  const { latency_ms: latencyMs, request_count: logs } = cell!.request_metrics as Record<string, number>;
  expect(latencyMs).toBeLessThan(heldMs);
  expect(logs).toBe(1);
});

describe('what the database refuses', () => {
  const undo: string[] = [];
  afterEach(async () => {
    for (const statement of undo.splice(0)) await used.app.sql(statement);
  });

  async function refuse(table: string, condition: string): Promise<void> {
    await used.app.sql(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK (NOT (${condition})) NOT VALID`);
    undo.push(`ALTER TABLE ${table} DROP CONSTRAINT refused`);
  }

  it('costs a call its log, and its cell nothing', async () => {
    await refuse('request_logs', `input::text LIKE '%unloggable%'`);
    const texts = [fresh('one'), fresh('unloggable'), fresh('three')];
    const cells = await computed(texts);
    expect(cells.map(shown)).toEqual(texts.map((text) => ['completed', `You said: ${text}`]));
    const metrics = cells.map(({ request_metrics: each }) => each as Record<string, number>);
    expect(metrics.map(({ request_count: logs, unlogged_count: unlogged }) => [logs, unlogged])).toEqual([
      [1, undefined],
      [0, 1],
      [1, undefined],
    ]);
    // It was paid for all the same.
    expect(new Set(metrics.map(({ price }) => price)).size).toBe(1);
    expect(metrics[1]).toMatchObject({ input_tokens: 12, output_tokens: 5, price: expect.any(Number) });
  });

  it('is not paid for again by a cell with the same input', async () => {
    await refuse('request_logs', `input::text LIKE '%unloggable%'`);
    const text = fresh('unloggable');
    await computed([text]);
    const [again] = await computed([text]);
    expect(shown(again!)).toEqual(['completed', `You said: ${text}`]);
    expect(used.vendors.calls).toHaveLength(1);
  });

  it('leaves a call that failed its own reason, and the other rows alone', async () => {
    await refuse('request_logs', `error_message LIKE '%unloggable%'`);
    used.vendors.reply = ({ text }) =>
      text.includes('bad') ? { status: 400, message: 'unloggable' } : { text: `You said: ${text}` };
    const texts = [fresh('one'), fresh('bad'), fresh('three')];
    const cells = await computed(texts);
    expect(cells.map(({ status }) => status)).toEqual(['completed', 'error', 'completed']);
    expect(cells[1]!.error_message).toContain('unloggable');
    expect(cells[1]!.request_metrics).toMatchObject({ request_count: 0, unlogged_count: 1 });
  });

  it('costs a cell the end of its trace, and not its value', async () => {
    await used.app.sql(
      `CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'No ends today.'; END $$`,
    );
    await used.app.sql(
      `CREATE TRIGGER refuse_end BEFORE INSERT ON spans FOR EACH ROW
         WHEN (NEW.parent_id IS NULL) EXECUTE FUNCTION refuse_end()`,
    );
    undo.push('DROP TRIGGER refuse_end ON spans', 'DROP FUNCTION refuse_end');
    const text = fresh('endless');
    const [cell] = await computed([text]);
    expect(shown(cell!)).toEqual(['completed', `You said: ${text}`]);
    expect(cell!.request_metrics).toMatchObject({ request_count: 1 });
  });
});
