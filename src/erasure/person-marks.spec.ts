import { describe, expect, it } from 'vitest';
import { needlesOf, type Subject, subjectOf } from './person-marks.js';

/** What stands in JSON of the product, and in JSON that is a text inside of JSON. */
const written = (value: unknown): string[] => {
  const json = JSON.stringify(value);
  const spaced = json.replaceAll('":', '": ').replaceAll(',"', ', "');
  return [json, spaced, JSON.stringify({ text: json }), JSON.stringify({ text: spaced })];
};
const isFound = (subject: Subject, text: string) => needlesOf(subject).some((needle) => text.includes(needle));

describe('a person in JSON', () => {
  it.each([
    [subjectOf('user_id', 'user-4711'), { any: ['user-4711'] }, true],
    [subjectOf('user_id', 'user-4711'), { any: 'user-47110' }, false],
    [subjectOf('user_id', 'user-4711'), { any: 'of user-4711' }, false],
    [subjectOf('user_id', 'a"b\\c d e'), { any: 'a"b\\c d e' }, true],
    [subjectOf('user_id', 'Jürgen Ä.'), { any: 'Jürgen Ä.' }, true],
    [subjectOf('user_id', '7'), { count: '7' }, false],
    [subjectOf('user_id', '7'), { user_id: '7' }, true],
    [subjectOf('user_id', '7'), { 'user.id': '7' }, true],
    [subjectOf('user_id', '7'), { user_id: '77' }, false],
    [subjectOf('session_id', '7'), { conversation_id: '7' }, true],
    [subjectOf('session_id', '7'), { user_id: '7' }, false],
    [subjectOf('metadata', 'enterprise-plan', 'plan'), { plan: 'enterprise-plan' }, true],
    [subjectOf('metadata', 'enterprise-plan', 'plan'), { other: 'enterprise-plan' }, false],
  ])('%j is found in %j: %s', (subject, value, expected) => {
    for (const text of written(value)) expect([text, isFound(subject, text)]).toEqual([text, expected]);
  });
});
