import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addSegment,
  addText,
  eraseDocuments,
  forgetDocuments,
  isWord,
  lockIndex,
  type Segment,
  SegmentBuilder,
  START,
} from '../../src/text-search/index.js';
import { Vocabulary } from '../../src/words/index.js';
import { openIndex } from '../../src/text-search/matches/open-index.js';
import { TestApp } from '../support/test-app.js';

/** No domain has these. */
const KINDS = [91, 92];
const WORKSPACE = 1;

let app: TestApp;
let db: DataSource;
let vocabulary: Vocabulary;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  db = app.app.get(DataSource);
  vocabulary = new Vocabulary(db);
});
afterAll(() => app.stop());

const index = (kind = KINDS[0]!) => ({ workspaceId: WORKSPACE, kind });
const wordsOf = ({ terms }: Segment) => terms.map(([term]) => term).filter(isWord);

/** Puts documents into an index, as a worker does. */
async function add(texts: Record<string, string>, kind?: number): Promise<void> {
  const builder = new SegmentBuilder();
  for (const [key, text] of Object.entries(texts)) {
    builder.add({ key, values: { [START]: 1 }, write: (terms) => addText(terms, text) });
  }
  const segment = builder.finish();
  const kept = await vocabulary.keep(WORKSPACE, wordsOf(segment), Date.now());
  await db.transaction(async (tx) => {
    await lockIndex(tx, index(kind));
    await vocabulary.confirm(tx, kept);
    await addSegment(tx, index(kind), segment);
  });
}

async function erase(keys: string[]): Promise<number> {
  await db.transaction((tx) => forgetDocuments(tx, index(), keys));
  return eraseDocuments(db, index(), { keys, kinds: KINDS });
}

const count = async (question: object) => (await (await openIndex(db.manager, index())).count(question as never)).count;
const knows = async (word: string) =>
  (await app.sql('SELECT FROM vocabulary WHERE workspace_id = $1 AND word = $2', [WORKSPACE, word])).length === 1;

/** Whether a text stands in the bytes of a segment. */
async function isInBytes(text: string): Promise<boolean> {
  const rows = await app.sql('SELECT packed FROM search_segments UNION ALL SELECT value FROM search_values');
  return (rows as { packed: Buffer | null }[]).some(({ packed }) => packed?.includes(text));
}

const stored = async (term: string) =>
  (await isInBytes(term)) || (await app.sql('SELECT FROM search_postings WHERE term = $1', [term])).length > 0;

describe.each([
  ['whose terms are one value', 50],
  ['whose terms are rows', 5000],
])('a document of a segment %s', (_, size) => {
  it('leaves nothing of it, and the others as they are', async () => {
    const own = `secret${size}`;
    const all = Object.fromEntries(
      Array.from({ length: size }, (_, at) => [`${size}:${at}`, `common word${size}x${at} twice`]),
    );
    await add({ ...all, [`${size}:7`]: `common ${own} of nobody else` });
    expect([await stored(own), await knows(own), await count({ term: own })]).toEqual([true, true, 1]);
    const before = await count({ term: 'common' });

    expect(await erase([`${size}:7`, 'unknown'])).toBe(1);
    expect([await stored(own), await isInBytes(`\0${size}:7\0`), await knows(own)]).toEqual([false, false, false]);
    expect(await count({ term: 'common' })).toBe(before - 1);
    expect(await count({ phrase: [{ term: 'common' }, { term: `word${size}x8` }, { term: 'twice' }] })).toBe(1);
    expect(await knows(`word${size}x8`)).toBe(true);
    expect(await erase([`${size}:7`])).toBe(0);
  });
});

describe('a word', () => {
  it('stays while another document contains it, in any index', async () => {
    await add({ one: 'shared alone' });
    await add({ two: 'shared' }, KINDS[1]);
    expect(await erase(['one'])).toBe(1);
    expect([await knows('shared'), await knows('alone')]).toEqual([true, false]);
  });

  it('is known again when it comes again, also to processes that remember it', async () => {
    await add({ first: 'comeback' });
    await erase(['first']);
    expect(await knows('comeback')).toBe(false);
    await add({ second: 'comeback' });
    expect(await knows('comeback')).toBe(true);
  });

  it('is kept by a worker that was about to write it when it was forgotten', async () => {
    await add({ early: 'between' });
    const kept = await vocabulary.keep(WORKSPACE, ['between'], Date.now());
    await erase(['early']);
    await db.transaction(async (tx) => {
      await lockIndex(tx, index());
      await vocabulary.confirm(tx, kept);
    });
    expect(await knows('between')).toBe(true);
  });
});
