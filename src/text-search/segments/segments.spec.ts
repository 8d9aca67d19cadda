import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, type LookedUp } from '../questions/answer.js';
import { keyOf, type Question, rangesOf } from '../questions/question.js';
import type { PhraseWord } from '../../words/word-sequences.js';
import { Bits } from './bits.js';
import { ErasedParts } from './erased-parts.js';
import { type MergedSegment, mergedSegment } from './merge-segments.js';
import { PackedTerms, packTerms } from './packed-terms.js';
import { forEachOrdinal, PostingsWriter } from './postings.js';
import { SegmentBuilder } from './segment-builder.js';
import { partsOf, type Segment, START } from './segment.js';
import { compareBytes } from './term-table.js';

const WORDS = ['a', 'ab', 'abc', 'b', 'é', '語', '🙂', '\uffee'];

/** A document as parts, each of texts, each of words; and a value, which it may not have. */
interface Sample {
  key: string;
  start: number;
  cost: number | null;
  parts: { texts: string[][]; facets: string[] }[];
}

const word = fc.constantFrom(...WORDS);
const part = fc.record({
  texts: fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 3 }),
  facets: fc.array(fc.constantFrom('=x', '=y'), { maxLength: 2 }),
});
const documents = fc
  .array(
    fc.record({
      start: fc.integer({ min: 0, max: 9 }),
      cost: fc.option(fc.integer({ min: 0, max: 5 })),
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((all) => all.map((each, at): Sample => ({ ...each, key: `k${at}` })));

const phraseWord: fc.Arbitrary<PhraseWord> = fc.oneof(
  word.map((term) => ({ term })),
  word.map((beginning) => ({ beginning })),
  fc.array(word, { maxLength: 3 }).map((anyOf) => ({ anyOf })),
);
const leaf: fc.Arbitrary<Question> = fc.oneof(
  phraseWord,
  fc.constantFrom('=x', '=y').map((term) => ({ term })),
  fc.array(phraseWord, { minLength: 1, maxLength: 3 }).map((phrase) => ({ phrase })),
  fc.record({
    value: fc.constantFrom('cost', START),
    from: fc.option(fc.integer({ min: 0, max: 6 })),
    to: fc.option(fc.integer({ min: 0, max: 6 })),
    isOpen: fc.boolean(),
  }),
);
const { question } = fc.letrec<{ question: Question }>((tie) => ({
  question: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('question'), { maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('question'), { maxLength: 3 }).map((any) => ({ any })),
    tie('question').map((not) => ({ not })),
    tie('question').map((inside) => ({ part: inside })),
  ),
}));

function segmentOf(samples: readonly Sample[]): Segment {
  const builder = new SegmentBuilder();
  for (const { key, start, cost, parts } of samples) {
    builder.add({
      key,
      values: { [START]: start, cost },
      write(terms) {
        parts.forEach(({ texts, facets }, at) => {
          if (at > 0) terms.nextPart();
          for (const facet of facets) terms.addTerm(facet);
          for (const text of texts) {
            // Words of equal hash must stay different.
            for (const each of text) terms.addWord({ word: each, hash: each.length, is: (other) => other === each });
            terms.endText();
          }
        });
      },
    });
  }
  return builder.finish();
}

function lookedUp(segment: Segment, asked: Question, terms: Iterable<Segment['terms'][number]>): LookedUp {
  const all = [...terms];
  const within = (term: string, low: string, high: string) =>
    compareBytes(term, low) >= 0 && compareBytes(term, high) < 0;
  const postings = rangesOf(asked).ranges.map((range) => {
    const found = all.filter(([term]) => within(term, range.low, range.high)).map(([, each]) => each);
    return [keyOf(range), found] as const;
  });
  return { ...segment, postings: new Map(postings), listed: new Map() };
}

const keysOf = (segment: Segment, bits: Bits): string[] => segment.keys.filter((_, at) => bits.has(at));

const has = (found: string, wanted: PhraseWord): boolean => {
  if ('term' in wanted) return found === wanted.term;
  return 'beginning' in wanted ? found.startsWith(wanted.beginning) : wanted.anyOf.includes(found);
};

type Part = Sample['parts'][number];

/** An independent definition of the answer, for a document or one of its parts. */
function isTrue(asked: Question, sample: Sample, parts: Part[], isPart: boolean): boolean {
  const of = (each: Question) => isTrue(each, sample, parts, isPart);
  if ('all' in asked) return asked.all.every(of);
  if ('any' in asked) return asked.any.some(of);
  if ('not' in asked) return !of(asked.not);
  if ('part' in asked) {
    return isPart ? of(asked.part) : parts.some((one) => isTrue(asked.part, sample, [one], true));
  }
  if ('value' in asked) {
    const value = asked.value === START ? sample.start : sample.cost;
    if (value === null || (asked.isOpen && (value === asked.from || value === asked.to))) return false;
    return value >= (asked.from ?? -Infinity) && value <= (asked.to ?? Infinity);
  }
  return parts.some(({ texts, facets }) => {
    if (!('phrase' in asked)) return [...texts.flat(), ...facets].some((found) => has(found, asked));
    return texts.some((text) =>
      text.some((_, at) => asked.phrase.every((wanted, n) => at + n < text.length && has(text[at + n]!, wanted))),
    );
  });
}

const expected = (asked: Question, samples: readonly Sample[]): string[] =>
  samples.filter((sample) => isTrue(asked, sample, sample.parts, false)).map(({ key }) => key);

describe('a segment', () => {
  it('answers questions as its documents do', () => {
    fc.assert(
      fc.property(documents, question, (samples, asked) => {
        const segment = segmentOf(samples);
        const found = answer(asked, lookedUp(segment, asked, segment.terms));
        expect(keysOf(segment, found)).toEqual(expected(asked, samples));
      }),
      { numRuns: 1000 },
    );
  });

  it('is equal after packing its terms', () => {
    fc.assert(
      fc.property(documents, word, (samples, low) => {
        const { terms } = segmentOf(samples);
        const packed = new PackedTerms(packTerms(terms));
        const plain = (some: Iterable<Segment['terms'][number]>) =>
          [...some].map(([term, { count, ordinals, places }]) => [term, count, [...ordinals], [...places]]);
        expect(plain(packed.between('', null))).toEqual(plain(terms));
        const from = terms.filter(([term]) => compareBytes(term, low) >= 0 && compareBytes(term, 'b') < 0);
        expect(plain(packed.between(low, 'b'))).toEqual(plain(compareBytes(low, 'b') < 0 ? from : []));
      }),
    );
  });

  it('is merged with others into one with their remaining documents', () => {
    fc.assert(
      fc.property(
        fc.array(documents, { minLength: 1, maxLength: 4 }),
        question,
        fc.infiniteStream(fc.boolean()),
        (groups, asked, gone) => {
          const renamed = groups.map((samples, at) =>
            samples.map((sample) => ({ ...sample, key: `${at}${sample.key}` })),
          );
          const left: Sample[] = [];
          const merged = renamed.map((samples): MergedSegment => {
            const bits = Bits.none(samples.length);
            samples.forEach((sample, at) => (gone.next().value ? bits.set(at) : left.push(sample)));
            return { ...segmentOf(samples), gone: bits };
          });
          const segment = mergedSegment(merged);
          expect(segment.keys).toEqual(left.map(({ key }) => key));
          const found = answer(asked, lookedUp(segment, asked, segment.terms));
          expect(keysOf(segment, found)).toEqual(expected(asked, left));
          const anew = segmentOf(left);
          expect(segment.terms.map(([term]) => term)).toEqual(anew.terms.map(([term]) => term));
          expect(segment).toMatchObject({
            documents: anew.documents,
            parts: anew.parts,
            low: anew.low,
            high: anew.high,
          });
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a segment of which documents are erased', () => {
  it('keeps the remaining parts, with the same numbers', () => {
    fc.assert(
      fc.property(documents, question, fc.infiniteStream(fc.boolean()), (samples, asked, isErased) => {
        const segment = segmentOf(samples);
        const erased = Bits.none(samples.length);
        samples.forEach((_, at) => isErased.next().value && erased.set(at));
        const parts = new ErasedParts(partsOf(segment, erased));
        const terms = segment.terms.flatMap(([term, postings]) => {
          const left = parts.have({ ...postings, places: new Uint8Array() }) ? parts.takenFrom(postings) : postings;
          return left ? [[term, left] as const] : [];
        });
        const left = samples.filter((_, at) => !erased.has(at));
        expect(terms.map(([term]) => term)).toEqual(segmentOf(left).terms.map(([term]) => term));
        const found = answer(asked, lookedUp(segment, asked, terms));
        erased.forEach((document) => found.clear(document));
        expect(keysOf(segment, found)).toEqual(expected(asked, left));
      }),
      { numRuns: 300 },
    );
  });
});

describe('postings', () => {
  it('take at most a bit for each ordinal, and are read unchanged', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(20_000), { maxLength: 3000 }), (some) => {
        const ordinals = some.toSorted((a, b) => a - b);
        const writer = new PostingsWriter();
        for (const ordinal of ordinals) writer.add(ordinal);
        const postings = writer.finish(20_001);
        const read: number[] = [];
        forEachOrdinal(postings, 20_001, (ordinal) => read.push(ordinal));
        expect(read).toEqual(ordinals);
        expect(postings.count).toBe(ordinals.length);
        expect(postings.ordinals.length).toBeLessThanOrEqual(2502);
      }),
    );
  });
});
