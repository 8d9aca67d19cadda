import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { logCall } from '../support/otlp.js';
import {
  clientOf,
  deletePrompt,
  labelsOf,
  patchPrompt,
  promptUrl,
  publishPrompt,
  readPrompt,
  renderPrompt,
  textsOf,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';

const RELEASES = '/api/public/v2/ab-releases';

let app: TestApp;
let me: Client;
let workspace: number;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = await app.stranger();
  ({ workspace_id: workspace } = await publishPrompt(me, 'first'));
});
afterAll(() => app.stop());

const all = (prompt_version_number: number) => [{ prompt_version_number, percentage: 100 }];
const half = (prompt_version_number: number) => ({ prompt_version_number, percentage: 50 });

interface Release {
  id: number;
  prompt_id: number;
  base_version_number: number;
}

interface Told {
  action: string;
  event_type: string;
}

let count = 0;
/** A prompt with three versions, of which the first has the label "prod". */
async function threeVersions(): Promise<{ id: number; name: string; label: number }> {
  const name = `prompt ${++count}`;
  const { id } = await publishPrompt(me, name, { text: 'one', labels: ['prod'] });
  for (const text of ['two', 'three']) await publishPrompt(me, name, { text });
  const { release_labels: labels } = (await me.get(`${promptUrl(id)}/labels`)) as {
    release_labels: [{ release_label_id: number }];
  };
  return { id, name, label: labels[0].release_label_id };
}

async function create(prompt_label_id: number, split: object[], segments?: object[]): Promise<Release> {
  const answer = await me.post(RELEASES, { prompt_label_id, split, segments }, 201);
  return (answer as { ab_release: Release }).ab_release;
}

async function rendered(name: string, metadata_filters?: object): Promise<number> {
  return (await renderPrompt(me, name, { label: 'prod', version: 1, metadata_filters })).version;
}

const releasesOf = async (prompt: number) =>
  ((await me.get(`${RELEASES}?prompt_id=${prompt}`)) as { items: Release[] }).items;

describe('a request for a label with an A/B release', () => {
  it('gets the version of its segment, or else of the split, until the release ends', async () => {
    const { id, name, label } = await threeVersions();
    const release = await create(label, all(2), [{ metadata: { plan: 'pro', seats: '7' }, split: all(3) }]);
    expect(await rendered(name)).toBe(2);
    expect(await rendered(name, { plan: 'pro', seats: 7, user: 'ada' })).toBe(3);
    expect(await rendered(name, { plan: 'Pro', seats: '7' })).toBe(2);
    expect(await rendered(String(id), { seats: '7' })).toBe(2);
    const library = `/library-get-prompt-template?prompt_name=${encodeURIComponent(name)}&label=prod`;
    expect(await me.get(library)).toMatchObject({ version: 2, prompt_template: { template: 'two' } });
    expect((await renderPrompt(me, name)).version).toBe(3);
    expect((await renderPrompt(me, name, { version: 1 })).version).toBe(1);

    await me.patch(`/prompt-labels/${label}`, { prompt_version_number: 3 });
    await me.patch(`${RELEASES}/${release.id}`, { segments: [] });
    expect(await rendered(name, { plan: 'pro', seats: '7' })).toBe(2);
    await me.delete(`${RELEASES}/${release.id}`, 204);
    expect(await rendered(name)).toBe(3);
  });

  it('draws a version each time', async () => {
    const { name, label } = await threeVersions();
    await create(label, [half(1), half(3)]);
    const drawn = new Set<number>();
    for (let round = 0; round < 60 && drawn.size < 2; round++) drawn.add(await rendered(name));
    expect(drawn).toEqual(new Set([1, 3]));
  });

  it('leaves everything else at the version that the label points to', async () => {
    const { id, name, label } = await threeVersions();
    await create(label, all(2));
    expect((await readPrompt(me, name, '?label=prod')).version).toBe(1);
    expect(await labelsOf(me, id)).toEqual({ prod: 1 });
    await publishPrompt(me, `importer of ${name}`, { text: `@@@${name}@label:prod@@@` });
    expect(textsOf(await renderPrompt(me, `importer of ${name}`, {}))).toEqual(['one']);
    const request_id = await logCall(me);
    await me.post('/library-track-prompt', { request_id, prompt_name: name, label: 'prod' });
    expect(await readLog(me, request_id)).toMatchObject({ prompt_version_number: 1 });
    const patched = await patchPrompt(me, name, { label: 'prod', commit_message: 'Again' });
    expect(textsOf(patched)).toEqual(['one']);
  });
});

describe('an A/B release', () => {
  it('is created, read, listed, changed and deleted', async () => {
    const { id, name, label } = await threeVersions();
    const split = [
      { prompt_version_number: 1, percentage: 33.33 },
      { prompt_version_number: 2, percentage: 66.67 },
    ];
    const segments = [{ metadata: { company: 'ours' }, split: all(3) }];
    const created = await create(label, split, segments);
    const expected = {
      prompt_id: id,
      prompt_name: name,
      prompt_label_id: label,
      release_label: 'prod',
      split,
      segments,
    };
    expect(created).toMatchObject({ ...expected, base_version_number: 1 });
    const url = `${RELEASES}/${created.id}`;
    expect(await me.get(url)).toEqual({ success: true, ab_release: created });
    expect(await releasesOf(id)).toEqual([created]);
    expect(await me.get(`${RELEASES}?per_page=1`)).toMatchObject({ items: [created], per_page: 1, page: 1 });
    expect(await me.patch(url, { split: all(2) })).toMatchObject({ ab_release: { ...expected, split: all(2) } });
    await me.delete(url, 204);
    await me.get(url, 404);
    expect(await releasesOf(id)).toEqual([]);
  });

  it('is rejected when its shares do not add up or it names missing versions', async () => {
    const { id, label } = await threeVersions();
    const where = async (body: object) => {
      const { detail } = (await me.post(RELEASES, { prompt_label_id: label, ...body }, 422)) as {
        detail: { loc: unknown }[];
      };
      return detail.map(({ loc }) => loc);
    };
    expect(await where({ split: [half(1)] })).toEqual([['body', 'split']]);
    expect(await where({ split: [half(1), half(1)] })).toEqual([['body', 'split']]);
    expect(await where({ split: [] })).toContainEqual(['body', 'split']);
    const uneven = [33.333, 66.667].map((percentage, at) => ({ prompt_version_number: at + 1, percentage }));
    expect(await where({ split: uneven })).toContainEqual(['body', 'split', 0, 'percentage']);
    const loc = ['body', 'segments', 0];
    expect(await where({ split: all(1), segments: [{ metadata: {}, split: all(1) }] })).toEqual([[...loc, 'metadata']]);
    const ofNumbers = [{ metadata: { seats: 7 }, split: all(1) }];
    expect(await where({ split: all(1), segments: ofNumbers })).toEqual([[...loc, 'metadata', 'seats']]);
    const missing = [{ metadata: { a: 'b' }, split: all(9) }];
    const answer = await me.post(RELEASES, { prompt_label_id: label, split: all(1), segments: missing }, 404);
    expect(answer).toMatchObject({ error: 'prompt_version_not_found' });
    await me.post(RELEASES, { prompt_label_id: label + 1000, split: all(1) }, 404);
    const { id: release } = await create(label, all(1));
    const twice = await me.post(RELEASES, { prompt_label_id: label, split: all(1) }, 409);
    expect(twice).toMatchObject({ error: 'ab_release_exists' });
    await me.patch(`${RELEASES}/${release}`, { split: all(4) }, 404);
    expect(await releasesOf(id)).toMatchObject([{ id: release, split: all(1) }]);
  });

  it('needs the permissions for moving its label, and is recorded in the audit trail and the events', async () => {
    const { id, label } = await threeVersions();
    const [contributor, publisher] = [
      await clientOf(app, workspace, { roles: ['contributor'] }),
      await clientOf(app, workspace, { roles: ['publisher'] }),
    ];
    const body = { prompt_label_id: label, split: all(2) };
    await contributor.post(RELEASES, body, 403);
    const admin = `/api/admin/v1/workspaces/${workspace}`;
    await me.patch(`${admin}/settings`, { protected_labels: ['prod'] });
    expect(await publisher.post(RELEASES, body, 403)).toMatchObject({ error: 'label_protected' });
    const { id: release } = await create(label, all(2));
    await publisher.patch(`${RELEASES}/${release}`, { split: all(3) }, 403);
    await publisher.delete(`${RELEASES}/${release}`, 403);
    await me.patch(`${admin}/settings`, { protected_labels: [] });
    await publisher.patch(`${RELEASES}/${release}`, { split: all(3) });
    await publisher.delete(`/prompt-labels/${label}`, 204);
    expect(await releasesOf(id)).toEqual([]);

    const newest = async (what: string) => ((await me.get(`${admin}/${what}`)) as { data: Told[] }).data;
    const entries = await newest('audit-entries?entity_type=ab_release&limit=3');
    expect(entries.map(({ action }) => action)).toEqual([
      'ab_release.delete',
      'ab_release.update',
      'ab_release.create',
    ]);
    const types = (await newest('events?limit=20')).map(({ event_type: type }) => type);
    const told = ['deleted', 'updated', 'created'].map((what) => `prompt_template_ab_release_${what}`);
    expect(types.filter((type) => type.includes('ab_release')).slice(0, 3)).toEqual(told);
  });

  it('goes with its prompt', async () => {
    const { id, label } = await threeVersions();
    const release = await create(label, all(2));
    await deletePrompt(me, id);
    await me.get(`${RELEASES}/${release.id}`, 404);
    expect(await app.sql(`SELECT id FROM ab_releases WHERE id = ${release.id}`)).toEqual([]);
  });
});
