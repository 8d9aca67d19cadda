import { afterAll, beforeAll, expect, it } from 'vitest';
import { calculated, configureScore, readScore, textSheet } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

it('keeps erased data out of a score that is being calculated', async () => {
  const me = await app.stranger();
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
