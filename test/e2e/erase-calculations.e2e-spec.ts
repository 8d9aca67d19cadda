import { expect, it } from 'vitest';
import { loggedCall } from '../support/bulk.js';
import { finishedErasure, startErasure, type Workspace } from '../support/erasures.js';
import { addColumn, importLogs, newSheet, readRows, settled } from '../support/factories.js';
import { fresh, inlinePrompt, useModelApp } from '../support/model-app.js';
import { spanId } from '../support/otlp.js';
import { calculated, configureScore, readScore, textSheet } from '../support/scores.js';
import { until } from '../support/until.js';

const used = useModelApp();

/** A call of a person whose texts do not name them. */
async function reportCall({ me }: Workspace, user: string, word: string): Promise<void> {
  const input = { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: word }] }] };
  const times = { request_start_time: new Date().toISOString(), request_end_time: new Date().toISOString() };
  await me.post('/log-request', loggedCall({ input, metadata: { user_id: user }, ...times }), 201);
}

/** Numbers of request logs and spans with a text. */
function recordsOf(word: string): Promise<unknown[]> {
  return used.app.sql(
    `SELECT (SELECT count(*)::int FROM request_logs w WHERE strpos(w::text, $1) > 0) AS logs,
            (SELECT count(*)::int FROM spans w WHERE strpos(w::text, $1) > 0) AS spans`,
    [word],
  );
}

it('erases the request of a model call that was running when its row was erased', async () => {
  const { me, vendors } = used;
  const where = { me, id: 1, erasures: '/api/admin/v1/workspaces/1/erasures' };
  const [user, word] = [`user-${spanId()}`, `zq${spanId()}`];
  await reportCall(where, user, word);
  const sheet = await newSheet(me);
  const ofUser = { field: 'metadata', operator: 'key_equals', nested_key: 'user_id', value: user };
  await importLogs(me, sheet, { filter_group: { filters: [ofUser] }, include_fields: ['input_text'] });
  const { title } = (await readRows(me, sheet)).columns[0]!;
  const config = {
    inline_template: inlinePrompt('Repeat {thing}'),
    prompt_template_variable_mappings: { thing: title },
  };
  const release = vendors.hold();
  await addColumn(me, sheet, { title: 'Answer', type: 'PROMPT_TEMPLATE', config });
  await until(() => Promise.resolve(vendors.open === 1));
  expect(JSON.stringify(vendors.calls[0]!.body)).toContain(word);

  const begun = await startErasure(where, { user_id: user });
  await until(() => Promise.resolve(vendors.hungUp === 1));
  release();
  expect(await finishedErasure(where, begun)).toMatchObject({
    status: 'completed',
    verified_at: expect.any(String) as string,
  });
  // A later call is recorded after the aborted one.
  const other = await newSheet(me, [fresh('another text')]);
  const mapped = { ...config, prompt_template_variable_mappings: { thing: 'Column A' } };
  await addColumn(me, other, { title: 'Answer', type: 'PROMPT_TEMPLATE', config: mapped });
  await settled(me, other);
  expect(await recordsOf(word)).toEqual([{ logs: 0, spans: 0 }]);
});

it('keeps erased data out of a score that is being calculated', async () => {
  const me = await used.app.stranger();
  const { workspace } = (await me.get('/api/public/v2/me')) as { workspace: { id: number } };
  const erasures = `/api/admin/v1/workspaces/${workspace.id}/erasures`;
  const sheet = await textSheet(
    me,
    ['Who', 'Note'],
    [
      ['user-erased-4711', 'a secret'],
      ['nobody', 'else'],
    ],
  );
  const slow =
    'const end = Date.now() + 3000; while (Date.now() < end); result = {score: 1, score_matrix: [[data[0].Note]]}';
  await configureScore(me, sheet, { code: slow, code_language: 'JAVASCRIPT' });
  await me.post(`${sheet.path}/score`, {}, 202);
  await until(async () => (await readScore(me, sheet)).status === 'running');

  const { erasure } = (await me.post(erasures, { user_id: 'user-erased-4711' }, 202)) as { erasure: { id: string } };
  await until(async () => {
    const told = (await me.get(`${erasures}/${erasure.id}`)) as { erasure: { status: string } };
    return told.erasure.status === 'completed';
  });
  expect(await calculated(me, sheet)).toMatchObject({ status: 'completed', details: { matrix: [['else']] } });
});
