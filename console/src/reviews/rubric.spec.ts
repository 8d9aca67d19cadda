import { describe, expect, it } from 'vitest';
import { answerTo, choicesOf, describeAgreement, missingIn, withLeft, wordsOf, wordsOfAnswers } from './rubric';

describe('a rubric', () => {
  it('has its choices in the order of the keys', () => {
    expect(choicesOf({ kind: 'thumbs' }).map(wordsOf)).toEqual(['Good', 'Bad']);
    expect(choicesOf({ kind: 'scale', min: 0, max: 3 }).map(wordsOf)).toEqual(['0', '1', '2', '3']);
    expect(choicesOf({ kind: 'categories', labels: ['a', 'b'] })).toEqual(['a', 'b']);
  });
});

describe('answers', () => {
  const rubric = { kind: 'thumbs' } as const;
  const questions = [
    { name: 'True', rubric },
    { name: 'toString', rubric, required: false },
    { name: 'Kind', rubric, required: true },
  ];

  it('stand after their question where there are several', () => {
    const answers = { Kind: false, True: true };
    expect(wordsOfAnswers(questions, answers)).toBe('True: Good, Kind: Bad');
    expect(wordsOfAnswers(questions.slice(0, 1), answers)).toBe('Good');
    expect(answerTo(answers, 'toString')).toBeNull();
  });

  it('are complete with those that are required', () => {
    expect(missingIn(questions, {})).toBe(0);
    expect(missingIn(questions, { True: false })).toBe(2);
    expect(missingIn(questions, { True: false, Kind: false })).toBe(-1);
  });
});

describe('agreement', () => {
  it('is shown with its interval, or the reason why there is none', () => {
    const known = { item_count: 24, agreement: 0.833, kappa: 0.714, kappa_interval: { low: 0.52, high: 0.88 } };
    expect(describeAgreement({ ...known, kappa_reason: null })).toBe(
      'κ 0.71 (0.52 to 0.88), the same answer for 83 % of 24',
    );
    const constant = { item_count: 3, agreement: 1, kappa: null, kappa_interval: null };
    expect(describeAgreement({ ...constant, kappa_reason: 'one_category' })).toBe(
      'the same answer for 100 % of 3, κ says nothing: one of the two always gave the same answer',
    );
    expect(describeAgreement({ ...constant, item_count: 0, agreement: null, kappa_reason: 'no_pairs' })).toBe(
      'no items in common yet',
    );
  });
});

describe('undo', () => {
  it('goes back ten items, each once', () => {
    const ids = Array.from({ length: 12 }, (_, index) => String(index));
    const left = ids.reduce((found, id) => withLeft(found, id), [] as string[]);
    expect(left).toEqual(ids.slice(2));
    expect(withLeft(['a', 'b', 'c'], 'a')).toEqual(['b', 'c', 'a']);
  });
});
