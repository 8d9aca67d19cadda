import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  ask,
  eventsAbout,
  fileBody,
  findDataset,
  listDatasets,
  newGroup,
  rowsOf,
  saveDraft,
  VERSIONS,
  versionFromFile,
} from '../support/datasets.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ env: { IMPORT_MAX_BYTES: String(2 * 1024 * 1024) } });
  me = app.client;
});
afterAll(() => app.stop());

const events = (datasetId: number) => eventsAbout(me, 1, datasetId);

describe('a version from a file', () => {
  it.each<[string, string | Buffer, string, Record<string, string>[]]>([
    ['a CSV', 'q,a\nHi,"Hello,\nyou"\n', 'x.csv', [{ q: 'Hi', a: 'Hello,\nyou' }]],
    ['a CSV with short rows', 'q,a,b\nHi\n,x\n1,2,3\n', 'x.csv', [{ q: 'Hi', a: '', b: '' }, { q: '', a: 'x', b: '' }, { q: '1', a: '2', b: '3' }]], // prettier-ignore
    ['a CSV of a large name', 'q\nÄ\n', 'x.CSV', [{ q: 'Ä' }]],
    ['a CSV of Excel', Buffer.from('\ufeffq;a\r\n1,5;ß\r\n', 'utf16le'), 'x.csv', [{ q: '1,5', a: 'ß' }]],
    ['JSON', '[{"q":"Hi","n":0,"x":{"y":[null]}},{"a":false,"q":null}]', 'x.json', [{ q: 'Hi', n: '0', x: '{"y":[null]}', a: '' }, { q: '', n: '', x: '', a: 'false' }]], // prettier-ignore
    ['JSON with keys of objects', '[{"__proto__":"p","constructor":"c"}]', 'x.json', [JSON.parse('{"__proto__":"p","constructor":"c"}') as Record<string, string>]], // prettier-ignore
    ['a header only', 'q,a\n', 'x.csv', []],
  ])('has the rows of %s', async (_, content, name, rows) => {
    const group = await newGroup(me);
    const version = await versionFromFile(me, group.id, content, name);
    expect(version).toMatchObject({ version_number: 1, filter_params: null, dataset_group_id: group.id });
    const found = await rowsOf(me, version.id);
    expect(found.map((row) => Object.entries(row).toSorted())).toEqual(
      rows.map((row) => Object.entries(row).toSorted()),
    );
  });

  it('emits one event, and leaves the draft alone', async () => {
    const group = await newGroup(me);
    const body = { dataset_group_id: group.id, ...fileBody('q\n1\n2\n') };
    const answer = (await me.post(`${VERSIONS}/from-file`, body, 201)) as { dataset_id: number };
    expect(answer).toEqual({
      success: true,
      message: 'Dataset version creation job queued',
      dataset_id: expect.any(Number),
    });
    await until(async () => (await findDataset(me, answer.dataset_id)) !== undefined);
    const told = await events(answer.dataset_id);
    expect(told.map(({ event_type: type }) => type)).toEqual(['dataset_version_created_by_file']);
    expect(told[0]!.details).toEqual({ dataset_id: answer.dataset_id, dataset_version_number: 1 });
    expect(await saveDraft(me, group.id)).toBe(group.draftId);
    expect(await findDataset(me, group.draftId)).toMatchObject({ version_number: 2, column_names: [] });
  });

  it('is made by a worker where the file is long', async () => {
    const group = await newGroup(me);
    const lines = Array.from({ length: 2500 }, (_, row) => `${row},"text of ${row}"`);
    const version = await versionFromFile(me, group.id, `n,text\n${lines.join('\n')}\n`);
    expect((await rowsOf(me, version.id)).slice(0, 2)).toEqual([
      { n: '0', text: 'text of 0' },
      { n: '1', text: 'text of 1' },
    ]);
    expect((await events(version.id)).map(({ event_type: type }) => type)).toEqual(['dataset_version_created_by_file']);
  });

  it('sends no event of tables', async () => {
    const { data } = (await me.get('/api/admin/v1/workspaces/1/events?limit=100')) as {
      data: { event_type: string }[];
    };
    expect(data.filter(({ event_type: type }) => type.startsWith('table_'))).toEqual([]);
  });
});

describe('a file that cannot be read as rows fails the job', () => {
  const many = Array.from({ length: 1500 }, (_, row) => `${row},x`).join('\n');
  it.each<[string, string | Buffer, string, RegExp]>([
    [
      'with a row that is too long',
      'q,a\n1,2,3\n',
      'x.csv',
      /^Row 1 \(line 2\) has 3 fields, but there are 2 columns\.$/,
    ],
    ['with such a row far down', `q,a\n${many}\n1,2,3\n`, 'x.csv', /^Row 1501 \(line 1502\) has 3 fields/],
    ['with the same title twice', 'q,q\n1,2\n', 'x.csv', /"q" occurs more than once/],
    ['with a blank title', 'q,,a\n1,2,3\n', 'x.csv', /title of column 2 is blank/],
    ['with a title that is too long', `${'q'.repeat(256)}\n1\n`, 'x.csv', /more than 255 characters/],
    ['with too many columns', `${Array.from({ length: 1000 }, (_, n) => n).join(',')}\n`, 'x.csv', /1000 columns/],
    ['with quotes that do not end', 'q,a\n"1,2\n', 'x.csv', /quote/i],
    ['without titles', '\n\n', 'x.csv', /no column titles/],
    ['that is JSON of another form', '{"q":1}', 'x.json', /JSON/],
    ['that is a list of something else', '[1,2]', 'x.json', /JSON/],
    ['that is no JSON', '[{"q":1}', 'x.json', /JSON/],
    ['that is an empty list', '[]', 'x.json', /no column titles/],
    ['that is no text', Buffer.from([0xff, 0xfe, 0xfd, 0x00, 0x80]), 'x.csv', /UTF|NUL/],
  ])('%s', async (_, content, name, message) => {
    const group = await newGroup(me);
    const answer = await ask(me, 'from-file', group.id, fileBody(content, name));
    expect(answer.status).toBe(201);
    const { dataset_id: id } = answer.body as { dataset_id: number };
    await until(async () => (await events(id)).length > 0);
    expect(await events(id)).toMatchObject([
      {
        event_type: 'dataset_version_created_by_file_failed',
        details: { dataset_id: id, error_message: expect.stringMatching(message) },
      },
    ]);
    expect(await listDatasets(me, `dataset_group_id=${group.id}&status=all`)).toMatchObject({
      total: 1,
      datasets: [{ id: group.draftId }],
    });
    await me.get(`/api/public/v2/datasets/${id}/rows`, 404);
  });
});

describe('a file is refused at once', () => {
  it.each<[string, object, number, string]>([
    ['with another extension', { file_name: 'x.xlsx' }, 400, 'import_file_name_invalid'],
    ['without an extension', { file_name: 'csv' }, 400, 'import_file_name_invalid'],
    ['in another encoding than base64', { file_content_base64: '§§§' }, 400, 'import_file_not_base64'],
    ['in half a base64', { file_content_base64: 'aGVsb' }, 400, 'import_file_not_base64'],
    ['of another type', { file_content_base64: 7 }, 422, 'file_content_base64'],
    ['without content', { file_content_base64: '' }, 422, 'file_content_base64'],
    ['without a name', { file_name: null }, 422, 'file_name'],
    ['with a name that is too long', { file_name: `${'x'.repeat(255)}.csv` }, 422, 'file_name'],
    ['for an unknown group', { dataset_group_id: 999_999, file_name: 'x.xlsx' }, 404, 'dataset_group_not_found'],
  ])('%s', async (_, more, status, words) => {
    const group = await newGroup(me);
    const answer = await ask(me, 'from-file', group.id, { ...fileBody('q\n1\n'), ...more });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(words);
    expect(await listDatasets(me, `dataset_group_id=${group.id}`)).toMatchObject({ total: 1 });
  });

  it.each([
    ['that is larger than files may be', 4, 'import_file_too_large'],
    ['so large that its body is not read', 16, 'body_of_file_too_large'],
  ])('%s', async (_, mebibytes, error) => {
    const group = await newGroup(me);
    const large = `q\n${'x'.repeat(mebibytes * 1024 * 1024)}\n`;
    expect(await ask(me, 'from-file', group.id, fileBody(large))).toMatchObject({
      status: 400,
      body: { success: false, error },
    });
  });
});

it('answers for a file whose group is deleted while it is read', async () => {
  const idle = await TestApp.own({ works: false });
  const group = await newGroup(idle.client);
  const long = `q\n${'x\n'.repeat(3000)}`;
  const answer = await ask(idle.client, 'from-file', group.id, fileBody(long));
  const { dataset_id: id } = answer.body as { dataset_id: number };
  await idle.client.delete('/api/public/v2/folders/entities', 200, { entities: [{ id: group.id, type: 'DATASET' }] });
  expect(await eventsAbout(idle.client, 1, id)).toMatchObject([
    { event_type: 'dataset_version_created_by_file_failed', details: { error_message: 'The dataset was deleted.' } },
  ]);
  expect(await listDatasets(idle.client, 'status=all')).toMatchObject({
    total: 1,
    datasets: [{ id: group.draftId, is_deleted: true, dataset_group: { is_deleted: true } }],
  });
  await idle.stop();
});
