import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataSourceOptions } from '../../src/data-source.js';
import type { Prompt } from '../../src/llm/shared/blueprint.js';
import { SqlParameters } from '../../src/platform/filters/sql-parameters.js';
import { facetsOf } from '../../src/requests/shared/facets.js';
import { deriveFacts } from '../../src/llm/records/conversation-facts.js';
import { ArrivalListeners } from '../../src/arrivals/index.js';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/words/vocabulary.js';
import { requestConditions } from '../../src/requests/search/all-matches.js';
import type { RequestLogQuery } from '../../src/requests/search/request-conditions.js';
import { testDatabase } from '../support/database.js';
import { tries } from '../support/depth.js';
import { naive, naiveText, textsIn } from './request-filters.oracle.js';
import { groups, type Leaf, PROMPTS, type Row, rows, texts } from './request-filters.samples.js';

const LOGS = 200;
/** The id of a log that only one test looks for. */
const ALONE = 1000;

/** The server's answer is compared with a naive evaluation of the same filter, row by row, in this process. */
describe('filters of request logs', () => {
  const sample = fc.sample(rows, { numRuns: LOGS, seed: 11 }).map((row, index) => ({ ...row, id: index + 1 }));
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let db: DataSource;

  beforeAll(async () => {
    database = await testDatabase();
    db = await new DataSource(dataSourceOptions(database.url)).initialize();
    const prompts = PROMPTS.map((name) => ({ name, latest_version: 3, is_snippet: false, type: 'chat', tags: [] }));
    await db.query(
      `INSERT INTO prompts (workspace_id, name, latest_version, is_snippet, type, tags)
       SELECT 1, name, latest_version, is_snippet, type, tags FROM jsonb_populate_recordset(NULL::prompts, $1::jsonb)`,
      [JSON.stringify(prompts)],
    );
    await insert(sample.map(toRow));
    const scores = sample.flatMap(({ id, scores: given }) =>
      Object.entries(given).map(([name, score]) => ({ id, name, score })),
    );
    await db.query(
      `INSERT INTO request_scores (workspace_id, log_id, name, score)
       SELECT 1, id, name, score FROM jsonb_to_recordset($1::jsonb) AS s (id bigint, name text, score smallint)`,
      [JSON.stringify(scores)],
    );
    await new ProjectionService(db, new Vocabulary(db), new ArrivalListeners()).drain();
    // Every third log waits for the index.
    await db.query('INSERT INTO request_log_search_queue SELECT workspace_id, id FROM request_logs WHERE id % 3 = 0');
  });

  afterAll(async () => {
    await db.destroy();
    await database.close();
  });

  /** The row as the writer would have made it. */
  function toRow(row: Row): object {
    const call = { input: row.input as Prompt, output: row.output as Prompt };
    const facts = deriveFacts(call, row.prompt_input_variables);
    const { prompt_id: promptId, prompt_version_number: versionNumber } = row;
    const prompt = promptId === null ? null : { promptId, versionNumber: versionNumber ?? 0 };
    return {
      ...row,
      workspace_id: 1,
      created_at: row.request_start_time,
      sanitized: false,
      parameters: {},
      facets: facetsOf({ ...row, workspaceId: 1, toolNames: facts.toolNames }, prompt),
      output_shape: facts.outputShape,
      turn_count: facts.turnCount,
      tool_call_count: facts.toolCallCount,
      tool_names: facts.toolNames,
      output_keys: facts.outputKeys,
      input_variable_keys: facts.inputVariableKeys,
      output_data: facts.outputData,
    };
  }

  async function insert(logs: object[]): Promise<void> {
    await db.query('INSERT INTO request_logs SELECT * FROM jsonb_populate_recordset(NULL::request_logs, $1::jsonb)', [
      JSON.stringify(logs),
    ]);
  }

  async function found(query: RequestLogQuery): Promise<number[]> {
    const parameters = new SqlParameters();
    const condition = await requestConditions(db.manager, 1, query, parameters);
    const matches = await db.query<{ id: number }[]>(
      `SELECT id::int FROM request_logs WHERE ${condition} ORDER BY id`,
      parameters.values,
    );
    return matches.map(({ id }) => id);
  }

  const expected = (matches: (row: Row) => boolean) => sample.filter(matches).map(({ id }) => id);

  it('find exactly the rows that a naive evaluation finds, for any group', async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(groups, async (group) => {
        const ids = await found({ filterGroup: group });
        expect(ids).toEqual(expected((row) => naive(group, row)));
        if (ids.length > 0 && ids.length < sample.length) some += 1;
      }),
      { numRuns: tries(600) },
    );
    // Guards the test itself: groups that match all rows or none would prove little.
    expect(some).toBeGreaterThan(tries(180));
  });

  it.each<[string, Partial<Row>, Leaf]>([
    [
      'an object in metadata, beside metadata whose name is the whole path',
      { metadata: { a: '{"b":{"c":"Paris"}}', 'a.b': '1' } },
      { field: 'metadata', operator: 'key_contains', nested_key: 'a.b', value: 'Paris' },
    ],
    [
      'an object in metadata, beside an empty text whose name is the whole path',
      { metadata: { a: '{"b":{"c":"Paris"}}', 'a.b': '' } },
      { field: 'metadata', operator: 'is_not_empty', nested_key: 'a.b' },
    ],
    [
      'an object in metadata, in a list with a number',
      { metadata: { a: '{"b":[1,{"c":"Paris"}]}' } },
      { field: 'metadata', operator: 'key_contains', nested_key: 'a.b', value: 'Paris' },
    ],
    [
      'an object in metadata with a name that is longer than a facet',
      { metadata: { a: `{"b":{"${'c'.repeat(201)}":"Paris"}}`, 'a.b': '1' } },
      { field: 'metadata', operator: 'key_contains', nested_key: 'a.b', value: 'Paris' },
    ],
    [
      'a variable in an object whose name has a dot, beside one whose names have none',
      { prompt_input_variables: { a: { b: { c: 1 } }, 'a.b': { c: 'Paris' } } },
      { field: 'input_variables', operator: 'key_equals', nested_key: 'a.b.c', value: 'Paris' },
    ],
    [
      'a variable at a long path, whose names have dots',
      { prompt_input_variables: { a: { b: { c: { d: { e: 1 } } } }, 'a.b': { 'c.d': { e: 'Paris' } } } },
      { field: 'input_variables', operator: 'key_contains', nested_key: 'a.b.c.d.e', value: 'Paris' },
    ],
  ])('find %s', async (_, values, leaf) => {
    await insert([{ ...sample[0]!, ...values, id: ALONE }].map(toRow));
    try {
      const ids = await found({ filters: [{ field: 'pl_id', operator: 'is', value: ALONE }, leaf] });
      expect(ids).toEqual([ALONE]);
    } finally {
      await db.query('DELETE FROM request_logs WHERE id = $1', [ALONE]);
    }
  });

  it('find exactly the rows that hold a stretch of a text, which are looked up by its words first', async () => {
    const said = sample.flatMap((row) =>
      (['input_text', 'output_text'] as const).flatMap((field) => textsIn(field, row).map((text) => ({ field, text }))),
    );
    const stretch = fc
      .tuple(
        fc.constantFrom(...said.filter(({ text }) => text.includes(' '))),
        fc.nat(),
        fc.integer({ min: 4, max: 30 }),
      )
      .map(([{ field, text }, at, length]) => ({ field, value: text.slice(at % text.length).slice(0, length) }));
    await fc.assert(
      fc.asyncProperty(stretch, fc.constantFrom('contains', 'starts_with', 'ends_with'), async (leaf, operator) => {
        const group = { filters: [{ ...leaf, operator }] };
        expect(await found({ filterGroup: group })).toEqual(expected((row) => naive(group, row)));
      }),
      { numRuns: tries(300) },
    );
    const item = fc.oneof({ weight: 4, arbitrary: stretch }, { weight: 1, arbitrary: groups });
    await fc.assert(
      fc.asyncProperty(item, item, async (first, second) => {
        const filters = [first, second].map((each) => ('filters' in each ? each : { ...each, operator: 'contains' }));
        const group = { logic: 'OR' as const, filters };
        expect(await found({ filterGroup: group })).toEqual(expected((row) => naive(group, row)));
      }),
      { numRuns: tries(200) },
    );
  });

  it('find exactly the rows that hold every word, for any free text, in the index and before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 2 }), async (chunks) => {
        const q = chunks.join(' ');
        expect(await found({ q })).toEqual(expected((row) => naiveText(q, row)));
      }),
      { numRuns: tries(200) },
    );
  });

  it('accept any text as a value, a key and a word', async () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('\ud800', '\0', '"\\', '$.*'));
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const key = `k${text}`;
        const filters = [
          { field: 'input_text', operator: 'contains', value: text },
          { field: 'output_text', operator: 'ends_with', value: ` ${text} ` },
          { field: 'engine', operator: 'in', value: [text, text] },
          { field: 'api_type', operator: 'is', value: text },
          { field: 'trace_id', operator: 'is', value: text },
          { field: 'prompt_id', operator: 'in', value: [text, `${text} v1`] },
          { field: 'tags', operator: 'contains', value: text },
          { field: 'metadata', operator: 'key_contains', nested_key: key, value: text },
          { field: 'output', operator: 'key_contains', nested_key: key, value: text },
          { field: 'scores', operator: 'gt', nested_key: key, value: 1 },
          { field: 'input_variables', operator: 'key_equals', nested_key: key, value: text },
        ];
        await expect(found({ filterGroup: { logic: 'OR', filters } })).resolves.toBeInstanceOf(Array);
        await expect(found({ filters, q: text })).resolves.toBeInstanceOf(Array);
        await expect(found({ q: `"${text}"` })).resolves.toBeInstanceOf(Array);
      }),
      { numRuns: tries(60) },
    );
  });

  it('find no row of another workspace', async () => {
    const parameters = new SqlParameters();
    const filters = [{ field: 'output_text', operator: 'not_contains', value: 'nothing' }];
    const condition = await requestConditions(db.manager, 2, { filters, q: 'paris' }, parameters);
    const sql = `SELECT id FROM request_logs WHERE ${condition}`;
    expect(await db.query(sql, parameters.values)).toEqual([]);
  });

  it('compare with the largest and smallest numbers without an overflow', async () => {
    const filters = [
      { field: 'pl_id', operator: 'in', value: ['9223372036854775807', '-9223372036854775807', 3] },
      { field: 'prompt_id', operator: 'is_not', value: '9223372036854775807' },
      { field: 'group_id', operator: 'is_not', value: '9223372036854775807' },
      { field: 'input_tokens', operator: 'neq', value: 1.7e308 },
      { field: 'scores', operator: 'neq', value: 1.7e308 },
      { field: 'cost', operator: 'gte', value: '-1e-320' },
      { field: 'request_start_time', operator: 'between', value: ['0001-01-01', '9999-12-31'] },
    ];
    expect(await found({ filters })).toEqual(expected((row) => row.id === 3 && row.price !== null));
  });
});
