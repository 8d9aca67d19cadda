import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type Column, editCell, newSheet, readRows, settled, type TestSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { promptUrl, publishPrompt } from '../support/prompts.js';
import { REQUESTS } from '../support/request-logs.js';
import { newTable, sheetFromFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

/** 2^53 + 1, which a JavaScript number rounds, and relatives of it. */
const LONG = '9007199254740993';
const NESTED = `{"id":${LONG},"list":[[-${LONG}],123456789012345678901234567890],"${LONG}":1}`;

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  // Bodies are sent as raw JSON texts, because JavaScript cannot write these numbers exactly.
  me = app.client.with({ 'content-type': 'application/json' });
});
afterAll(() => app.stop());

const textOf = async (url: string): Promise<string> => (await me.request('GET', url)).bytes.toString();

/** The JSON text of the values of a column. */
async function valuesOf(sheet: TestSheet, { id }: Pick<Column, 'id'>): Promise<string[]> {
  const page = await textOf(`${sheet.path}/rows`);
  const pattern = new RegExp(`"column_id":"${id}".*?"value":(.*?),"error":`, 'g');
  return [...page.matchAll(pattern)].map(([, value]) => value!);
}

/** A sheet with one row and a column computed from it. */
async function computed(text: string, type: string, config: string): Promise<string> {
  const sheet = await newSheet(me, [text]);
  const body = `{"title": "New", "type": "${type}", "config": ${config}}`;
  const { column } = (await me.post(`${sheet.path}/columns`, body, 201)) as { column: Column };
  await settled(me, sheet);
  return (await valuesOf(sheet, column))[0]!;
}

describe('integers beyond 2^53 in sheets', () => {
  it('are imported from a JSON file as their digits', async () => {
    const { sheets } = await newTable(me);
    const file = `[{"id": ${LONG}, "n": -12345678901234567890, "e": 9.007199254740993e15, "o": ${NESTED}, "f": 0.1, "z": 12345678901234567891e5}]`;
    const { sheet } = await sheetFromFile(me, sheets, file, 'data.json');
    const { data, columns } = await readRows(me, { path: `${sheets}/${sheet.id}` } as TestSheet);
    expect(columns.map(({ id }) => data[0]!.cells[id]!.value)).toEqual([
      LONG,
      '-12345678901234567890',
      LONG,
      NESTED,
      '0.1',
      '1234567890123456789100000',
    ]);
  });

  it.each([
    ['JSON_PATH', NESTED, '{"source": "Column A", "json_path": "$.id"}', LONG],
    ['JSON_PATH', NESTED, '{"source": "Column A", "json_path": "$.list[0]"}', `[-${LONG}]`],
    ['JSON_PATH', `[{"id": 1}, {"id": ${LONG}}]`, '{"source": "Column A", "json_path": "$[?@.id > 5].id"}', LONG],
    ['PARSE_VALUE', LONG, '{"source": "Column A", "type": "number"}', LONG],
    ['PARSE_VALUE', NESTED, '{"source": "Column A", "type": "object"}', `{"id": ${LONG}, "list": [[-${LONG}], 123456789012345678901234567890], "${LONG}": 1}`], // prettier-ignore
    ['MIN_MAX', `[1, ${LONG}, 9007199254740992]`, '{"source": "Column A", "type": "max"}', LONG],
    ['MATH_OPERATOR', LONG, '{"sources": ["Column A"], "operator": "+", "value": 1}', '9007199254740994'],
    ['MATH_OPERATOR', LONG, '{"sources": ["Column A"], "operator": "-", "value": 9007199254740990}', '3'],
    ['MATH_OPERATOR', LONG, '{"sources": ["Column A"], "operator": "%", "value": 10}', '3'],
    ['VARIABLE', 'x', `{"value": {"type": "json", "value": {"id": ${LONG}}}}`, `{"id": ${LONG}}`],
    ['VARIABLE', 'x', `{"value": {"type": "json", "value": -${LONG}}}`, `-${LONG}`],
    ['VARIABLE', 'x', `{"value": {"type": "json", "value": "[${LONG}]"}}`, `[${LONG}]`],
    ['COMPARE', LONG, `{"sources": ["Column A"], "target": 9007199254740992, "comparison_type": "JSON"}`, 'false'],
    ['COMPARE', LONG, `{"sources": ["Column A"], "target": ${LONG}, "comparison_type": "JSON"}`, 'true'],
    ['COMPARE', LONG, `{"sources": ["Column A"], "target": "9007199254740992", "comparison_type": "NUMBER"}`, 'false'],
    ['COMPARE', LONG, `{"sources": ["Column A"], "target": ${LONG}.0, "comparison_type": "NUMBER"}`, 'true'],
    ['COMPARE', NESTED, `{"sources": ["Column A"], "target": {"id": 9007199254740992}, "comparison_type": {"type": "JSON", "json_path": "$.id"}}`, 'false'], // prettier-ignore
  ])('are exact in %s of %s with %s', async (type, text, config, expected) => {
    expect(await computed(text, type, config)).toBe(expected);
  });

  it('are kept as values of cells and in configs, exports and versions', async () => {
    const sheet = await newSheet(me, ['a']);
    const body = `{"values": [{"${sheet.columnId}": ${NESTED}}, {"${sheet.columnId}": ${LONG}}], "count": 2}`;
    const added = await me.request('POST', `${sheet.path}/rows`, body);
    expect(added.status).toBe(201);
    expect(added.bytes.toString()).toContain(`"value":${LONG},`);
    const config = `{"source": "Column A", "json_path": "$", "note": ${LONG}}`;
    await me.post(`${sheet.path}/columns`, `{"title": "All", "type": "JSON_PATH", "config": ${config}}`, 201);
    await settled(me, sheet);
    for (const [url, times] of [
      [`${sheet.path}/rows`, 7],
      [`${sheet.path}/export?format=jsonl`, 6],
    ] as const) {
      expect((await textOf(url)).split(LONG).length - 1, url).toBeGreaterThanOrEqual(times);
      expect(await textOf(url)).not.toContain('9007199254740992');
    }
    const cells = await readRows(me, sheet);
    const cell = cells.data[0]!.cells[sheet.columnId]!;
    await editCell(me, sheet, cell, `{"value": [${LONG}]}` as unknown as object);
    expect(await textOf(`${sheet.path}/cells/${cell.id}`)).toContain(`"value":[${LONG}]`);
  });
});

describe('integers beyond 2^53 in prompts and calls', () => {
  it.each(['f-string', 'jinja2'] as const)('are written with all digits by a template in %s', async (format) => {
    const message = format === 'jinja2' ? '{{ id }} {{ o.id + 1 }} {{ o }}' : '{id} {o}';
    const { id } = await publishPrompt(app.client, `Exact ${format}`, { message, format });
    const variables = `{"id": ${LONG}, "o": {"id": -${LONG}, "n": [123456789012345678901234567890]}}`;
    const read = await me.request('POST', promptUrl(id), `{"input_variables": ${variables}}`);
    const [text] = (read.body as { prompt_template: { messages: { content: { text: string }[] }[] } }).prompt_template
      .messages.map(({ content }) => content[0]!.text); // prettier-ignore
    expect(text).toBe(
      format === 'jinja2'
        ? `${LONG} -9007199254740992 {'id': -${LONG}, 'n': [123456789012345678901234567890]}`
        : `${LONG} {"id":-${LONG},"n":[123456789012345678901234567890]}`,
    );
  });

  it('are exact in published prompts and in the requests made from them', async () => {
    const parameters = `{"seed": ${LONG}, "logit_bias": {"${LONG}": 1}}`;
    const call = `{"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"id": ${LONG}}}}`;
    const messages = `[{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, {"role": "assistant", "content": [], "tool_calls": [${call.replace(`{"id": ${LONG}}`, `"{\\"id\\": ${LONG}}"`)}]}]`;
    const body = `{"prompt_template": {"prompt_name": "Exact kwargs"}, "prompt_version": {"prompt_template": {"type": "chat", "messages": ${messages}},
      "metadata": {"model": {"provider": "anthropic", "name": "claude-sonnet-4-5", "parameters": ${parameters}}}}}`;
    const published = await me.request('POST', '/rest/prompt-templates', body);
    expect([published.status, published.bytes.toString()]).toEqual([201, expect.stringContaining(`"seed":${LONG}`)]);
    const read = (await me.request('POST', promptUrl('Exact kwargs'), '{}')).bytes.toString();
    expect(read).toContain(`"seed":${LONG}`);
    expect(read).toContain(`"input":{"id":${LONG}}`);
  });

  it('are exact in the arguments and results of tools', async () => {
    const arguments_ = { type: 'tool_call', id: 'c1', name: 'f', arguments: 'ARGUMENTS' };
    const response = { type: 'tool_call_response', id: 'c1', response: 'ARGUMENTS' };
    const filled = (message: object) => JSON.stringify([message]).replace('"ARGUMENTS"', NESTED);
    const more = {
      'gen_ai.input.messages': filled({ role: 'tool', parts: [response] }),
      'gen_ai.output.messages': filled({ role: 'assistant', parts: [arguments_] }),
    };
    const id = await logCall(app.client, { more });
    const log = (await me.get(`${REQUESTS}/${id}`)) as {
      prompt_blueprint: { prompt_template: { messages: object[] } };
    };
    const texts = JSON.stringify(log.prompt_blueprint.prompt_template.messages);
    expect(texts.split(JSON.stringify(NESTED).slice(1, -1)).length - 1).toBe(2);
  });
});
