import { describe, expect, it } from 'vitest';
import { maskOf, personInText, type Subject, subjectOf } from './person-marks.js';

/** Serializations of a value: compact and spaced JSON, each also as a text inside of JSON. */
const written = (value: unknown): string[] => {
  const json = JSON.stringify(value);
  const spaced = json.replaceAll('":', '": ').replaceAll(',"', ', "');
  return [json, spaced, JSON.stringify({ text: json }), JSON.stringify({ text: spaced })];
};

function isFound(subject: Subject, text: string): boolean {
  const [pattern, ...contained] = personInText(subject);
  return contained.some((each) => text.includes(each)) && new RegExp(pattern, 'u').test(text);
}

const user = (value: string) => subjectOf('user_id', value);
const plan = (value: string) => subjectOf('metadata', value, 'plan');

describe('a person in JSON', () => {
  it.each([
    [user('user-4711'), { any: ['user-4711'] }, true],
    [user('user-4711'), { any: 'user-47110' }, false],
    [user('user-4711'), { any: 'of user-4711' }, true],
    [user('user-4711'), { any: 'first\nuser-4711\nlast' }, true],
    [user('user-4711'), { any: 'a list:\n-user-4711' }, true],
    [user('user-4711'), { any: 'super\u00e9user-4711' }, false],
    [user('a"b\\c d e'), { any: 'a"b\\c d e' }, true],
    [user('a"b\\c d e'), { any: 'it was a"b\\c d e, again' }, true],
    [user('Jürgen Ä.'), { any: 'Jürgen Ä.' }, true],
    [user('12345678'), { count: 12345678 }, true],
    [user('12345678'), { count: 12345678.5 }, false],
    [user('7'), { count: '7' }, false],
    [user('7'), { user_id: '7' }, true],
    [user('7'), { user_id: 7 }, true],
    [user('7'), { user_id: '7 of 9' }, false],
    [user('7'), { user_id: 7.5 }, false],
    [user('7'), { last_user_id: '7' }, false],
    [user('null'), { user_id: null }, false],
    [user('null'), { user_id: 'null' }, true],
    [user('7'), { 'user.id': '7' }, true],
    [user('7'), { user_id: '77' }, false],
    [user('7'), { note: 'asked with user_id=7, twice' }, true],
    [user('7'), { note: 'asked with user_id=77' }, false],
    [subjectOf('session_id', '7'), { conversation_id: '7' }, true],
    [subjectOf('session_id', '7'), { user_id: '7' }, false],
    [plan('enterprise-plan'), { plan: 'enterprise-plan' }, true],
    [plan('enterprise-plan'), { plan: 'enterprise-plan of old' }, false],
    [plan('enterprise-plan'), { other: 'enterprise-plan' }, false],
  ])('%j is found in %j: %s', (subject, value, expected) => {
    for (const text of written(value)) expect([text, isFound(subject, text)]).toEqual([text, expected]);
  });
});

const IDS = [
  'user-4711',
  'anna@example.com',
  'anna+test.1@x',
  'a.b*c(d)[e]$^|?{2}',
  '用户-四七',
  'Anna Maria Ö.',
  'ünïcödé_',
];

describe.each(IDS)('the id %j', (who) => {
  it.each([
    '%',
    'x % y',
    '(%)',
    'user_id=%',
    '"%",',
    'Ask %.',
    '%',
    '%: yes',
    '…%…',
    '/users/%/',
    'to:%, cc',
    '用户%的',
    '%님',
  ])('is found in %j', (sentence) =>
    expect(
      isFound(
        user(who),
        sentence.replace('%', () => who),
      ),
    ).toBe(true),
  );

  it.each(['%LE', 'x%', 'x%2', '_%', '%_2', 'é%', '%é', '%-2', '2-%', '%.com', 'www.%', '%@example.com', 'a+%', 'ж%'])(
    'is not found in %j, which is another id',
    (other) =>
      expect(
        isFound(
          user(who),
          other.replace('%', () => who),
        ),
      ).toBe(false),
  );

  it('is found in JSON with escapes beyond ASCII, and in a URL', () => {
    const ascii = JSON.stringify(`x ${who} y`).replace(
      /[^\0-~]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    for (const text of [ascii, JSON.stringify(ascii), `?q=1&user=${encodeURIComponent(who)}&x`])
      expect([text, isFound(user(who), text)]).toEqual([text, true]);
  });
});

describe('a mask', () => {
  it('replaces every name, and the text stays JSON', () => {
    const hash = 'ab'.repeat(32);
    for (const [who, value] of [
      ['user-4711', { a: 'user-4711 user-4711', b: ['user-4711'] }],
      ['12345678', { a: 12345678, b: [12345678, '12345678'] }],
    ] as const) {
      const masked = JSON.stringify(value).replaceAll(
        new RegExp(personInText(user(who))[0], 'gu'),
        (_, before: string) => `${before}${maskOf(user(who), hash)}`,
      );
      expect(() => JSON.parse(masked) as unknown).not.toThrow();
      expect(masked).not.toContain(who);
    }
  });
});
