import { Module } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/access/index.js';
import {
  DatasetRefreshService,
  type DatasetUserPlugin,
  UsesDatasets,
  type VersionInMaking,
} from '../../src/datasets/index.js';
import type { Client } from '../support/client.js';
import { newGroup, published, rowsOf, saveDraft, versionFromFile, versionFromLogs } from '../support/datasets.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const told: object[] = [];
@UsesDatasets('test')
class Reports implements DatasetUserPlugin {
  versionsOf(): Promise<number[]> {
    return Promise.resolve([]);
  }

  versionPublished(_: EntityManager, { id, number }: VersionInMaking & { number: number }) {
    told.push({ published: id, number });
    return Promise.resolve(() => void told.push({ committed: id }));
  }

  versionFailed(_: EntityManager, { id }: VersionInMaking, message: string): Promise<void> {
    told.push({ failed: id, message });
    return Promise.resolve();
  }
}

@Module({ providers: [Reports] })
class ReportsModule {}

const CALLER = {
  workspaceId: 1,
  keyId: null,
  keyName: 'somebody',
  requestId: 'r',
  roles: ['admin'],
  grants: new Set(),
  user: null,
} as Caller;
const NEEDLE = { filter_group: { filters: [{ field: 'engine', operator: 'is', value: 'needle' }] } };

let app: TestApp;
let me: Client;
let refreshing: DatasetRefreshService;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [ReportsModule] });
  me = app.client;
  refreshing = app.app.get(DatasetRefreshService);
});
afterAll(() => app.stop());

describe('refreshing a dataset', () => {
  it('creates a new version from the current results of its search, shown when it is complete', async () => {
    await logCall(me, { model: 'needle', output: 'First' });
    const group = await newGroup(me);
    const before = await versionFromLogs(me, group.id, { ...NEEDLE, variables_to_parse: ['x'] });
    await logCall(me, { model: 'needle', output: 'Second' });
    const { id } = await refreshing.refresh(CALLER, before.id);
    const after = await published(me, id);
    expect(after).toMatchObject({ version_number: 2, filter_params: before.filter_params });
    expect(after.column_names[0]).toBe('x');
    expect((await rowsOf(me, id)).map(({ response }) => response)).toEqual(['Second', 'First']);
    expect((await rowsOf(me, before.id)).map(({ response }) => response)).toEqual(['First']);
    await until(() => Promise.resolve(told.length >= 4));
    expect(told.slice(-2)).toEqual([{ published: id, number: 2 }, { committed: id }]);
  });

  it('is refused for rows that were chosen one by one, and where nothing is found, before anything is written', async () => {
    const group = await newGroup(me);
    const file = await versionFromFile(me, group.id, 'q\n1\n');
    await expect(refreshing.refresh(CALLER, file.id)).rejects.toMatchObject({ status: 403 });
    const none = { filters: [{ field: 'engine', operator: 'is', value: 'nobody' }] };
    const empty = await versionFromLogs(me, group.id, { filter_group: none });
    await expect(refreshing.refresh(CALLER, empty.id)).rejects.toMatchObject({
      status: 401,
      message: 'No requests found for the given criteria',
    });
    await expect(refreshing.refresh({ ...CALLER, workspaceId: 2 }, empty.id)).rejects.toMatchObject({ status: 404 });
    const rows = await app.app
      .get(DataSource)
      .query<object[]>('SELECT FROM dataset_versions WHERE group_id = $1', [group.id]);
    expect(rows).toHaveLength(2);
  });
});

it('notifies the users of datasets when a version has failed', async () => {
  const group = await newGroup(me);
  const idle = await TestApp.start({ works: false, extensions: [ReportsModule] });
  const other = await newGroup(idle.client);
  const { body } = await idle.client.request('POST', '/api/public/v2/dataset-versions/from-file', {
    dataset_group_id: other.id,
    file_name: 'x.csv',
    file_content_base64: Buffer.from(`q\n${'1\n'.repeat(2000)}`).toString('base64'),
  });
  const entities = [{ id: other.id, type: 'DATASET' }];
  await idle.client.delete('/api/public/v2/folders/entities', 200, { entities });
  await idle.stop();
  expect(told.at(-1)).toEqual({
    failed: (body as { dataset_id: number }).dataset_id,
    message: 'The dataset was deleted.',
  });
  await saveDraft(me, group.id);
});
