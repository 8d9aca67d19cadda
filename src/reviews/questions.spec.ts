import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerTo, joinAnswers, outcomesOf, type Question, type Questions, splitAnswers } from './questions.js';
import type { Answers, Rubric } from './rubric.js';

const question = (name: string, rubric: Rubric = { kind: 'thumbs' }): Question => ({
  name,
  rubric,
  isRequired: true,
  humanColumnId: null,
  judgeColumnId: null,
  scoreName: null,
});

const NAMES = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom('constructor', 'toString', '1', 'valueOf'),
    fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
  ),
  { minLength: 1, maxLength: 8 },
);

describe('answers to questions', () => {
  it('are stored as the first one and the others, and read unchanged', () => {
    fc.assert(
      fc.property(NAMES, fc.array(fc.option(fc.boolean()), { minLength: 8, maxLength: 8 }), (names, values) => {
        const questions = names.map((name) => question(name)) as Questions;
        const given = names.flatMap((name, at) => (values[at] === null ? [] : [[name, values[at]!] as const]));
        const { first, more } = splitAnswers(questions, Object.fromEntries(given));
        const read = joinAnswers(questions, first, more);
        expect(read).toEqual(Object.fromEntries(given));
        for (const [at, name] of names.entries()) expect(answerTo(read, name)).toBe(values[at]);
      }),
    );
  });

  it('are ignored when the question is unknown', () => {
    expect(joinAnswers([question('Tone')], null, { Gone: 1 })).toEqual({});
  });
});

describe('the outcome', () => {
  const questions: Questions = [question('Tone', { kind: 'scale', min: 1, max: 5 }), question('True')];

  it('is that of each question', () => {
    const given = [
      { Tone: 1, True: true },
      { Tone: 2, True: false },
    ];
    expect(outcomesOf(questions, given)).toEqual({ results: { Tone: 1.5 }, disagreeing: new Set(['True']) });
  });

  it('counts only reviewers who have answered', () => {
    const given: Answers[] = [{ Tone: 1 }, { Tone: 5, True: true }, { Tone: 5 }];
    expect(outcomesOf(questions, given)).toEqual({ results: { Tone: 5, True: true }, disagreeing: new Set() });
    expect(outcomesOf(questions, [])).toEqual({ results: {}, disagreeing: new Set() });
  });
});
