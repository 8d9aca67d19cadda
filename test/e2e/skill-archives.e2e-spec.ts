import fc from 'fast-check';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { tries } from '../support/depth.js';
import {
  type Created,
  createSkills,
  filesOf,
  formOf,
  pullSkills,
  pullZip,
  sendForm,
  sendZip,
  SKILLS,
  skillUrl,
  type Version,
  zipOf,
} from '../support/skills.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const MIB = 1024 * 1024;
const brief = (message: string) => ({ success: false, message: expect.stringContaining(message) });

async function publishZip(archive: Uint8Array, json: object): Promise<Created> {
  const { status, body } = await sendZip(me, SKILLS, archive, json);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body as Created;
}

const refusal = async (archive: Uint8Array, json: object = { name: 'refused' }) => {
  const { status, body } = await sendZip(me, SKILLS, archive, json);
  return [status, body] as const;
};

describe('a form', () => {
  const archive = zipOf({ 'a/SKILL.md': '# a', 'AGENTS.md': 'Hi' });

  it.each([
    ['metadata', 'archive'],
    ['metadata', 'zip'],
    ['json', 'files'],
    ['json', 'archive'],
    ['metadata', 'files'],
  ])('brings a collection and a version in its parts %s and %s, in any order', async (json, file) => {
    const parts = (fields: object) => [
      { name: json, content: JSON.stringify(fields) },
      { name: file, content: archive, filename: 'skills.zip' },
    ];
    const { status, body } = await sendForm(me, SKILLS, parts({ name: `${json} ${file}`, provider: 'openai' }));
    expect([status, body]).toMatchObject([
      201,
      { skill_collection: { provider: 'openai' }, version: { file_paths: ['AGENTS.md', 'a/SKILL.md'] } },
    ]);
    const { id } = (body as Created).skill_collection;
    const saved = await sendForm(
      me,
      `${skillUrl(id)}/versions`,
      parts({ deletes: ['a'], commit_message: 'x' }).toReversed(),
    );
    expect([saved.status, saved.body]).toMatchObject([
      201,
      { version: { number: 2, file_paths: ['AGENTS.md', 'a/SKILL.md'], commit_message: 'x' } },
    ]);
  });

  it('may hold only JSON, only a file, and texts that mean nothing', async () => {
    const json = { name: 'metadata', content: JSON.stringify({ name: 'only json', files: filesOf({ a: 'x' }) }) };
    expect((await sendForm(me, SKILLS, [json, { name: 'other', content: 'ignored' }])).status).toBe(201);
    const { skill_collection: collection } = await createSkills(me, 'only a file');
    const file = { name: 'archive', content: archive, filename: '' };
    const { status, body } = await sendForm(me, `${skillUrl(collection.id)}/versions`, [file]);
    expect([status, body]).toMatchObject([201, { version: { number: 1 } }]);
    const asFile = { ...json, filename: 'metadata.json' };
    expect((await sendForm(me, SKILLS, [asFile])).status).toBe(201);
  });

  it('brings files in its JSON and in its archive together', async () => {
    const json = { name: 'both', files: filesOf({ 'b.md': 'b' }) };
    expect((await publishZip(archive, json)).version!.file_paths).toEqual(['AGENTS.md', 'a/SKILL.md', 'b.md']);
    expect(await refusal(archive, { name: 'both', files: filesOf({ 'AGENTS.md': 'b' }) })).toEqual([
      400,
      brief('AGENTS.md'),
    ]);
  });

  it('is refused with 400 when it cannot be read', async () => {
    const whole = formOf([{ name: 'metadata', content: '{"name":"x"}' }]);
    const refused = async (form: Parameters<typeof sendForm>[2]) => {
      const { status, body } = await sendForm(me, SKILLS, form);
      expect([status, body]).toEqual([400, { success: false, message: expect.any(String) }]);
      return (body as { message: string }).message;
    };
    await refused(whole.subarray(0, 60));
    await refused(whole.subarray(0, -8));
    await refused(Buffer.from('nonsense'));
    for (const content of [
      '{',
      'name=x',
      '',
      '[]',
      '"x"',
      'null',
      '{"a":NaN}',
      `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
    ]) {
      const { status } = await sendForm(me, SKILLS, [{ name: 'metadata', content }]);
      expect([content, [400, 422].includes(status)]).toEqual([content, true]);
    }
    expect(await refused([{ name: 'metadata', content: 'no json' }])).toContain('metadata');
    expect(await refused([{ name: 'upload', content: archive, filename: 'a.zip' }])).toContain('upload');
    const file = { name: 'zip', content: archive, filename: 'a.zip' };
    expect(await refused([file, { ...file, name: 'archive' }])).toContain('archive');
    const json = { name: 'json', content: '{"name":"x"}' };
    expect(await refused([json, json])).toContain('json');
    await refused(Array.from({ length: 30 }, (_, n) => ({ name: `n${n}`, content: 'x' })));
    const unbounded = me.with({ 'content-type': 'multipart/form-data' });
    expect((await unbounded.request('POST', SKILLS, whole)).status).toBe(400);
  });

  it('is refused with 415 where no form is taken, and so is anything else here', async () => {
    const { skill_collection: collection } = await createSkills(me, 'no form');
    const form = formOf([{ name: 'metadata', content: '{}' }]);
    const multipart = me.with({ 'content-type': 'multipart/form-data; boundary=a-boundary-7d1' });
    expect((await multipart.request('PATCH', skillUrl(collection.id), form)).status).toBe(415);
    for (const type of [
      'application/zip',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
    ]) {
      for (const url of [SKILLS, `${skillUrl(collection.id)}/versions`]) {
        const { status, body } = await me.with({ 'content-type': type }).request('POST', url, archive);
        expect([type, status, body]).toEqual([type, 415, brief(type)]);
      }
    }
  });

  it('is another request with another file, whatever its Idempotency-Key', async () => {
    const client = me.with({ 'idempotency-key': 'form-once' });
    const first = await sendZip(client, SKILLS, zipOf({ a: '1' }), { name: 'form once' });
    expect((await sendZip(client, SKILLS, zipOf({ a: '1' }), { name: 'form once' })).body).toEqual(first.body);
    expect((await sendZip(client, SKILLS, zipOf({ a: '2' }), { name: 'form once' })).status).toBe(400);
  });
});

describe('an archive', () => {
  it('comes back as it was sent, bytes that are no text included', async () => {
    const bytes = Buffer.from([0, 1, 2, 255, 254, 0]);
    const files = {
      '.claude/CLAUDE.md': '\uFEFFbe kind\r\n',
      '.claude/skills/a/SKILL.md': '',
      '.claude/skills/a/ü 日本.bin': bytes,
      '.claude/skills/a/latin1.txt': Buffer.from([0xe4, 0xf6]),
      '.claude/skills/a/nul.txt': 'a\0b',
    };
    const { skill_collection: collection, version } = await publishZip(zipOf(files), { name: 'binary' });
    expect(collection.provider).toBe('claude_code');
    expect(version!.file_paths).toHaveLength(5);
    const pulled = unzipSync(await pullZip(me, collection.id));
    expect(Object.fromEntries(Object.entries(pulled).map(([path, content]) => [path, Buffer.from(content)]))).toEqual(
      Object.fromEntries(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)])),
    );
    const { files: texts } = await pullSkills(me, collection.id);
    expect(texts).toEqual({ '.claude/CLAUDE.md': '\uFEFFbe kind\r\n', '.claude/skills/a/SKILL.md': '' });
  });

  it('has a name that says whose it is, and is empty while there is no version', async () => {
    const { skill_collection: collection } = await createSkills(me, 'Ünder "quotes"');
    const { headers, bytes } = await me.request('GET', `${skillUrl(collection.id)}?format=zip`);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="_nder-quotes\.zip"; filename\*=UTF-8''/);
    expect(unzipSync(bytes)).toEqual({});
    expect((await publishZip(bytes, { name: 'from nothing' })).version).toBeNull();
  });

  it('is that of the version or the label that is asked for', async () => {
    const { skill_collection: collection } = await createSkills(me, 'zipped versions', { a: '1' });
    await me.post(
      `${skillUrl(collection.id)}/versions`,
      { file_updates: filesOf({ a: '2' }), release_label: 'prod' },
      201,
    );
    await me.post(`${skillUrl(collection.id)}/versions`, { file_updates: filesOf({ a: '3' }) }, 201);
    const textOf = async (query: string) => strFromU8(unzipSync(await pullZip(me, collection.id, query)).a!);
    expect([await textOf('&version=1'), await textOf('&label=prod'), await textOf('')]).toEqual(['1', '2', '3']);
    await me.get(`${skillUrl(collection.id)}?format=zip&label=prod&version=1`, 400);
  });

  it.each<[what: string, files: Record<string, string>, paths: string[]]>([
    [
      'folders, and what systems add',
      { 'a/': '', 'a/b': 'x', c: 'y', '__MACOSX/a/._b': 'z', 'a/.DS_Store': 'z' },
      ['a/b', 'c'],
    ],
    [
      'a folder around everything',
      { 'repo-main/a/SKILL.md': 'x', 'repo-main/README.md': 'y' },
      ['README.md', 'a/SKILL.md'],
    ],
    ['a folder around everything with its entry', { 'top/': '', 'top/a': 'x' }, ['a']],
    [
      'no folder of a skill',
      { 'my-skill/SKILL.md': 'x', 'my-skill/run.py': 'y' },
      ['my-skill/SKILL.md', 'my-skill/run.py'],
    ],
    ['no folder where there is another file', { 'a/b': 'x', c: 'y' }, ['a/b', 'c']],
    [
      'no folder of a provider',
      { '.claude/skills/a/SKILL.md': 'x', '.claude/CLAUDE.md': 'y' },
      ['CLAUDE.md', 'a/SKILL.md'],
    ],
    ['a folder around that of a provider', { 'home/.claude/skills/a/SKILL.md': 'x' }, ['a/SKILL.md']],
  ])('is rid of %s', async (_, files, paths) => {
    expect((await publishZip(zipOf(files), { name: 'rid of' })).version!.file_paths).toEqual(paths);
  });

  it('adds to a version and replaces, and what it does not hold stays', async () => {
    const { skill_collection: collection } = await createSkills(me, 'added to', { a: '1', b: '1' });
    const { body } = await sendZip(me, `${skillUrl(collection.id)}/versions`, zipOf({ b: '2', c: '2' }), {});
    expect((body as { version: Version }).version.file_paths).toEqual(['a', 'b', 'c']);
    expect((await pullSkills(me, collection.id)).files).toEqual({ a: '1', b: '2', c: '2' });
  });

  it('keeps the folder around everything where it is one of the collection, or of a layout', async () => {
    const { skill_collection: collection } = await createSkills(me, 'keeps folders', { 'a/SKILL.md': '1' });
    const save = async (files: Record<string, string>) => {
      const { body } = await sendZip(me, `${skillUrl(collection.id)}/versions`, zipOf(files), {});
      return (body as { version: Version }).version.file_paths;
    };
    expect(await save({ 'a/run.py': '2' })).toEqual(['a/SKILL.md', 'a/run.py']);
    expect(await save({ 'wrapper/b.md': '3' })).toEqual(['a/SKILL.md', 'a/run.py', 'b.md']);
    const openclaw = zipOf({ 'workspace/skills/x/SKILL.md': 'x' });
    const { version } = await publishZip(openclaw, { name: 'openclaw', provider: 'openclaw' });
    expect(version!.file_paths).toEqual(['workspace/skills/x/SKILL.md']);
  });

  it('can be pulled and pushed with nothing changed: into its collection, and as another one', async () => {
    const name = fc.constantFrom('a', 'b', 'SKILL.md', 'skills', 'workspace', '.claude', 'README', 'ü 1');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
    const content = fc.uint8Array({ maxLength: 40 });
    const files = fc.dictionary(path, content, { minKeys: 1, maxKeys: 8 }).filter((each) => {
      const paths = Object.keys(each);
      return !paths.some((one) => paths.some((other) => other.startsWith(`${one}/`)));
    });
    const provider = fc.constantFrom('claude_code', 'openai', 'openclaw', 'universal');
    await fc.assert(
      fc.asyncProperty(files, provider, async (given, whose) => {
        const sent = await sendZip(me, SKILLS, Buffer.from(zipSync(given)), { name: 'round', provider: whose });
        // Two paths may mean one place for a provider.
        if (sent.status === 400) return;
        const { skill_collection: first, version } = sent.body as Created;
        const pulled = await pullZip(me, first.id);
        const again = await sendZip(me, `${skillUrl(first.id)}/versions`, pulled, {});
        expect((again.body as { version: Version }).version.number).toBe(1);
        const copy = await publishZip(pulled, { name: 'copy', provider: whose });
        expect(copy.version!.file_paths).toEqual(version!.file_paths);
        expect(unzipSync(await pullZip(me, copy.skill_collection.id))).toEqual(unzipSync(pulled));
        const json = await pullSkills(me, first.id);
        const pushed = await createSkills(me, 'json', json.files, { provider: whose });
        expect((await pullSkills(me, pushed.skill_collection.id)).files).toEqual(json.files);
      }),
      { numRuns: tries(40) },
    );
  });
});

describe('an archive is refused', () => {
  it('when it is none, or not whole, or damaged', async () => {
    const archive = zipOf({
      a: 'x'.repeat(5000),
      b: Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919) % 251)),
    });
    expect(await refusal(Buffer.from('no archive'))).toEqual([400, brief('archive')]);
    expect(await refusal(Buffer.alloc(0))).toEqual([400, brief('archive')]);
    for (const part of [0.1, 0.5, 0.9, 0.99]) {
      expect(await refusal(archive.subarray(0, archive.length * part))).toEqual([400, brief('archive')]);
    }
    // All of it is what the second file holds.
    for (const at of [0.3, 0.5, 0.7].map((part) => Math.floor(archive.length * part))) {
      const damaged = Buffer.from(archive);
      damaged[at]! ^= 0xff;
      expect((await refusal(damaged))[0]).toBe(400);
    }
    await me.get(skillUrl('refused'), 404);
  });

  it.each(['../a', 'a/../../b', '/etc/passwd', 'C:/a', 'a\\b', '..\\a', 'a\0b', 'a//b', './a'])(
    'with the path %j',
    async (path) => {
      expect((await refusal(zipOf({ [path]: 'x', fine: 'y' })))[0]).toBe(400);
      await me.get(skillUrl('refused'), 404);
    },
  );

  it('with a path twice, or as a file and as a folder', async () => {
    const twice = zipOf({ aaaa: '1', bbbb: '2' });
    const renamed = Buffer.from(twice.toString('latin1').replaceAll('bbbb', 'aaaa'), 'latin1');
    expect(await refusal(renamed)).toEqual([400, brief('aaaa')]);
    expect(await refusal(zipOf({ a: '1', 'a/b': '2' }))).toEqual([400, brief('"a"')]);
  });

  it('when it is encrypted', async () => {
    const archive = zipOf({ secret: 'x' });
    // The flag stands in the header of the file and in the directory.
    archive[6]! |= 1;
    archive[archive.indexOf('PK\x01\x02') + 8]! |= 1;
    expect(await refusal(archive)).toEqual([400, brief('encrypted')]);
  });

  it('when it holds a link', async () => {
    const link = zipSync({ link: [Buffer.from('/etc/passwd'), { os: 3, attrs: 0o120777 << 16 }] });
    expect(await refusal(Buffer.from(link))).toEqual([400, brief('link')]);
  });

  it('when it has too many entries, before any is unpacked', async () => {
    const many = (count: number, folder = '') =>
      zipOf(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}f${n}`, '']) as [string, string][]));
    expect((await refusal(many(10_000)))[0]).toBe(400);
    expect(await refusal(many(101))).toEqual([403, brief('101')]);
    expect((await publishZip(many(100), { name: 'just as many' })).version!.file_paths).toHaveLength(100);
  });

  it('when it would become too large, whatever it says of itself', async () => {
    expect(await refusal(zipOf({ large: Buffer.alloc(5 * MIB + 1) }))).toEqual([400, brief('large')]);
    const zeros = Buffer.alloc(5 * MIB);
    const bomb = zipOf(Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`f${n}`, zeros])));
    expect(bomb.length).toBeLessThan(MIB);
    expect(await refusal(bomb)).toEqual([400, brief('larger')]);
    const smaller = zipOf(Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`f${n}`, zeros])));
    expect(await refusal(smaller)).toEqual([400, brief('times as large')]);
    // One file of zeros may be what somebody needs.
    await publishZip(zipOf({ zeros }), { name: 'zeros' });

    // An entry that claims to be small is unpacked no further than it claims.
    const liar = zipOf({ liar: Buffer.alloc(4 * MIB) });
    const directory = liar.indexOf('PK\x01\x02');
    liar.writeUInt32LE(100, 22);
    liar.writeUInt32LE(100, directory + 24);
    expect(await refusal(liar)).toEqual([400, brief('archive')]);
  });

  it('when it comes with what is wrong beside it', async () => {
    const archive = zipOf({ a: 'x' });
    expect((await refusal(archive, {}))[0]).toBe(422);
    expect((await refusal(archive, { name: 'x', provider: 'vscode' }))[0]).toBe(400);
    const huge = Buffer.alloc(70 * MIB);
    expect((await refusal(huge))[0]).toBe(413);
  });
});
