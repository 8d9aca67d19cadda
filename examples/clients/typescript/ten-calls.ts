// Ten calls with types that openapi-typescript made from the API document: docs/how-to/clients.md says how to make them.
// The address and the key are read from the environment.
import createClient from 'openapi-fetch';
import type { components, paths } from './tracesheet.js';

const client = createClient<paths>({
  baseUrl: process.env.TRACESHEET_URL,
  headers: { 'X-API-KEY': process.env.TRACESHEET_API_KEY },
});

/** The body of an answer; throws what the server says when it refuses. */
async function answer<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(`The server refused: ${JSON.stringify(error)}`);
  return data;
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

const text = (words: string): components['schemas']['TextPart'] => ({ type: 'text', text: words });

// 1. Log a call of a model.
const now = Date.now() / 1000;
const logged = await answer(
  client.POST('/log-request', {
    body: {
      provider: 'openai',
      model: 'gpt-4o-mini',
      input: { type: 'chat', messages: [{ role: 'user', content: [text('May I return a kettle?')] }] },
      output: { type: 'chat', messages: [{ role: 'assistant', content: [text('Within 30 days.')] }] },
      request_start_time: now - 1,
      request_end_time: now,
    },
  }),
);

// 2. Score it.
const scored = await answer(client.POST('/rest/track-score', { body: { request_id: logged.id, score: 90 } }));
expect(scored.success, 'The score was not kept.');

// 3. Find it by a word.
const found = await answer(client.POST('/api/public/v2/requests/search', { body: { q: 'kettle', per_page: 5 } }));
expect(
  found.items.some((log) => Number(log.id) === logged.id),
  'The search does not find the call.',
);

// 4. Publish a prompt. The types know which fields each kind of part and tool has.
await answer(
  client.POST('/rest/prompt-templates', {
    body: {
      prompt_template: { prompt_name: 'warranties' },
      prompt_version: {
        prompt_template: {
          type: 'chat',
          messages: [
            { role: 'system', content: [text('You answer questions about warranties.')] },
            {
              role: 'user',
              content: [
                text('Is {item} under warranty?'),
                { type: 'image_url', image_url: { url: 'https://example.com/receipt.png' } },
              ],
            },
          ],
          tools: [{ type: 'function', function: { name: 'find_order', description: 'Finds an order.' } }],
        },
        metadata: { model: { provider: 'openai', name: 'gpt-4o-mini', parameters: { temperature: 0 } } },
      },
    },
  }),
);

// 5. Read it.
const byName = { path: { identifier: 'warranties' } };
const prompt = await answer(client.GET('/prompt-templates/{identifier}', { params: byName }));
expect(prompt.prompt_template.type === 'chat', 'The prompt is no chat.');

// 6. Render it with values for its variables.
const rendered = await answer(
  client.POST('/prompt-templates/{identifier}', {
    params: byName,
    body: { input_variables: { item: 'a kettle' } },
  }),
);
// The `type` of a prompt and of a part narrows them.
const part = rendered.prompt_template.type === 'chat' && rendered.prompt_template.messages[1]?.content?.[0];
if (!part || part.type !== 'text') throw new Error('The first part of the prompt is no text.');
expect(part.text === 'Is a kettle under warranty?', 'The prompt is not filled in.');

// 7. Create a table, with a second sheet and a column.
const { table } = await answer(client.POST('/api/public/v2/tables', { body: { title: 'Warranties' } }));
const inTable = { path: { table_id: table.id } };
const created = await answer(
  client.POST('/api/public/v2/tables/{table_id}/sheets', { params: inTable, body: { title: 'Questions' } }),
);
if (!('sheet' in created)) throw new Error('A sheet without a source is there at once.');
const inSheet = { path: { table_id: table.id, sheet_id: created.sheet.id } };
await answer(
  client.POST('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns', {
    params: inSheet,
    body: { title: 'Question' },
  }),
);

// 8. Add rows.
await answer(
  client.POST('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows', {
    params: inSheet,
    body: { count: 2, values: [{ Question: 'Is it broken?' }, { Question: 'When?' }] },
  }),
);

// 9. Read the cells.
const rows = await answer(client.GET('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows', { params: inSheet }));
expect(
  rows.data.some((row) => JSON.stringify(row).includes('When?')),
  'The rows are not there.',
);

// 10. List traces.
const traces = await answer(client.GET('/api/public/v2/traces/search'));
process.stdout.write(`Ten calls were made; there are ${traces.items.length} traces on the first page.\n`);
