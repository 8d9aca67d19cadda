import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addSegment,
  addText,
  type DocumentTerms,
  forgetDocuments,
  mergeSegments,
  type Question,
  SegmentBuilder,
  START,
} from '../../src/text-search/index.js';
import { openIndex } from '../../src/text-search/matches/open-index.js';
import type { Order } from '../../src/text-search/questions/reading.js';
import { dataSourceOptions } from '../../src/data-source.js';
import { testDatabase } from '../support/database.js';
import { tries } from '../support/depth.js';

interface Sample {
  key: string;
  id: number;
  start: number;
  cost: number | null;
  word: string;
}

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: DataSource;
beforeAll(async () => {
  database = await testDatabase();
  db = await new DataSource(dataSourceOptions(database.url)).initialize();
});
afterAll(async () => {
  await db.destroy();
  await database.close();
});

const KIND = 99;
let workspaces = 1000;

/** Steps on an index: documents are added, replaced or deleted, and small segments are merged. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.tuple(fc.nat(30), fc.nat(5), fc.option(fc.nat(3)), fc.constantFrom('owl', 'owls', 'jay')), {
      minLength: 1,
      maxLength: 8,
    }),
  },
  { weight: 1, arbitrary: fc.array(fc.nat(30), { maxLength: 6 }) },
  { weight: 2, arbitrary: fc.constant('merge' as const) },
);
const order: fc.Arbitrary<Order> = fc.record({
  by: fc.constantFrom(START, 'cost'),
  direction: fc.constantFrom('asc', 'desc'),
  tie: fc.constant('id'),
});

async function take(workspaceId: number, samples: Sample[]): Promise<void> {
  const builder = new SegmentBuilder();
  for (const { key, id, start, cost, word } of samples) {
    builder.add({
      key,
      values: { [START]: start, id, cost },
      write(terms) {
        terms.addWord({ word, hash: word.length, is: (other) => other === word });
        terms.addTerm('=all');
      },
    });
  }
  await db.transaction((tx) => addSegment(tx, { workspaceId, kind: KIND }, builder.finish()));
}

function compare(a: Sample, b: Sample, { by, direction }: Order): number {
  const sign = direction === 'asc' ? 1 : -1;
  const [left, right] = by === START ? [a.start, b.start] : [a.cost, b.cost];
  if ((left === null) !== (right === null)) return left === null ? 1 : -1;
  return sign * ((left ?? 0) - (right ?? 0) || a.id - b.id);
}

describe('an index', () => {
  it('gives what it holds now, once and in order, whatever was replaced, forgotten and merged', async () => {
    let merged = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 12, maxLength: 40 }),
        order,
        fc.array(fc.nat(30)),
        async (steps, by, hidden) => {
          const workspaceId = workspaces++;
          const index = { workspaceId, kind: KIND };
          const known = new Map<string, Sample>();
          for (const some of steps) {
            if (some === 'merge') {
              await mergeSegments(db, index);
            } else if (typeof some[0] === 'object') {
              const told = some as [number, number, number | null, string][];
              const samples = told.map(([id, start, cost, word]): Sample => ({ key: `k${id}`, id, start, cost, word }));
              const last = [...new Map(samples.map((sample) => [sample.key, sample])).values()];
              await take(workspaceId, last);
              for (const sample of last) known.set(sample.key, sample);
            } else {
              const keys = (some as number[]).map((id) => `k${id}`);
              await db.transaction((tx) => forgetDocuments(tx, index, keys));
              for (const key of keys) known.delete(key);
            }
          }
          const except = hidden.map((id) => `k${id}`);
          const reading = await openIndex(db.manager, index, except);
          const left = [...known.values()].filter(({ key }) => !except.includes(key)).sort((a, b) => compare(a, b, by));
          for (const question of [{ term: '=all' }, { beginning: 'owl' }, { term: 'owl' }]) {
            const has = ({ word }: Sample) =>
              'beginning' in question ? word.startsWith('owl') : question.term === '=all' || word === question.term;
            const found: string[] = [];
            for await (const portion of reading.inOrder(question, by)) found.push(...portion.map(({ key }) => key));
            expect(found).toEqual(left.filter(has).map(({ key }) => key));
            const counted = await reading.count(question, { most: found.length });
            expect({ ...counted, keys: counted.keys!.toSorted() }).toEqual({
              count: found.length,
              keys: found.toSorted(),
              isExact: true,
            });
            if (found.length > 0) expect((await reading.count(question, { most: found.length - 1 })).keys).toBe(null);
          }
          merged += (
            await db.query('SELECT FROM search_segments WHERE workspace_id = $1 AND merged_at IS NOT NULL', [
              workspaceId,
            ])
          ).length;
        },
      ),
      { numRuns: tries(200) },
    );
    expect(merged).toBeGreaterThan(tries(20));
  });

  it('finds every word of documents in which more are different than are terms', async () => {
    const limits = { asTerms: 2, inList: 3 };
    const words = fc.array(fc.constantFrom('owl', 'owls', 'jay', 'é', '語', '𐌰', 'ꯀ', 'x'.repeat(100)), {
      maxLength: 8,
    });
    let copied = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(words, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
        async (batches) => {
          const index = { workspaceId: workspaces++, kind: KIND };
          const known = new Map<string, string[]>();
          for (const [at, batch] of batches.entries()) {
            const builder = new SegmentBuilder(limits);
            batch.forEach((some, place) => {
              // Some take the place of others.
              const key = `k${(at % 9) + place}`;
              const partly = (terms: DocumentTerms) => some.forEach((each) => addText(terms, each));
              builder.begin(key);
              for (const part of some.length > 4 ? [partly, () => undefined] : [partly]) {
                builder.nextPart();
                part(builder);
              }
              builder.end({ [START]: place });
              known.set(key, some);
            });
            await db.transaction((tx) => addSegment(tx, index, builder.finish()));
            await mergeSegments(db, index);
          }
          const reading = await openIndex(db.manager, index);
          const isIn = (has: (word: string) => boolean) =>
            [...known].flatMap(([key, some]) => (some.some(has) ? [key] : [])).toSorted();
          const found = async (question: Question) => (await reading.count(question, { most: 100 })).keys!.toSorted();
          for (const word of ['owl', 'jay', 'é', '語', '𐌰', 'ꯀ', 'x'.repeat(100), 'wl', 'o']) {
            expect(await found({ term: word })).toEqual(isIn((each) => each === word));
            expect(await found({ beginning: word })).toEqual(isIn((each) => each.startsWith(word)));
            const owls = isIn((each) => each === 'owls');
            expect(await found({ all: [{ term: 'owls' }, { term: word }] })).toEqual(
              isIn((each) => each === word).filter((key) => owls.includes(key)),
            );
          }
          copied += (
            await db.query('SELECT FROM search_segments WHERE workspace_id = $1 AND lists > 0 AND documents > 3', [
              index.workspaceId,
            ])
          ).length;
        },
      ),
      { numRuns: tries(100) },
    );
    expect(copied).toBeGreaterThan(0);
  });

  it('goes on with what it was when it was opened, also when its segments are merged meanwhile', async () => {
    const workspaceId = workspaces++;
    const index = { workspaceId, kind: KIND };
    for (let id = 0; id < 8; id++) await take(workspaceId, [{ key: `k${id}`, id, start: id, cost: null, word: 'owl' }]);
    const reading = await openIndex(db.manager, index);
    await mergeSegments(db, index);
    await take(workspaceId, [{ key: 'k3', id: 3, start: 3, cost: null, word: 'jay' }]);
    expect(await reading.count({ term: 'owl' })).toMatchObject({ count: 8 });
    expect(await (await openIndex(db.manager, index)).count({ term: 'owl' })).toMatchObject({ count: 7 });
  });

  it('estimates the count when there is no time to ask all segments', async () => {
    const workspaceId = workspaces++;
    for (let id = 0; id < 7; id++) {
      const same = { start: id, cost: null, word: id < 4 ? 'owl' : 'jay' };
      await take(workspaceId, [
        { key: `k${id}`, id, ...same },
        { key: `l${id}`, id: id + 10, ...same },
      ]);
    }
    const reading = await openIndex(db.manager, { workspaceId, kind: KIND });
    expect(await reading.count({ term: '=all' }, { end: 0 })).toEqual({ count: 14, keys: null, isExact: false });
    expect(await reading.count({ term: 'owl' }, { end: Infinity })).toMatchObject({ count: 8, isExact: true });
  });

  it('stores terms of many documents as rows, with the same results', async () => {
    const workspaceId = workspaces++;
    const samples = Array.from({ length: 5000 }, (_, id): Sample => ({
      key: `k${id}`,
      id,
      start: id % 7,
      cost: id % 3,
      word: `w${id}`,
    }));
    await take(workspaceId, samples);
    expect(
      await db.query('SELECT FROM search_segments WHERE workspace_id = $1 AND packed IS NULL', [workspaceId]),
    ).toHaveLength(1);
    const reading = await openIndex(db.manager, { workspaceId, kind: KIND });
    expect(await reading.count({ beginning: 'w1' })).toMatchObject({ count: 1111 });
    expect(await reading.count({ all: [{ term: '=all' }, { value: 'cost', from: 1, to: 1 }] })).toMatchObject({
      count: 1667,
    });
    const found: string[] = [];
    const by: Order = { by: 'cost', direction: 'desc', tie: 'id' };
    for await (const portion of reading.inOrder({ term: '=all' }, by)) found.push(...portion.map(({ key }) => key));
    expect(found).toEqual(samples.toSorted((a, b) => compare(a, b, by)).map(({ key }) => key));
  });
});
