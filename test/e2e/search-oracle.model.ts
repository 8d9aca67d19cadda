import fc from 'fast-check';

/** A document of the tests: one call of a model, which is a request log and a trace. */
export interface Said {
  input: string;
  output: string;
  tag: string;
  note: string;
  origin: string;
  environment: string | null;
}

export type Filter = { field: string; operator: string; value: unknown; nested_key?: string };

/** A query for both indexes. Filters use the field names of logs; `ofTraces` converts them to those of traces. */
export interface Asked {
  q: string | null;
  filters: Filter[];
}

/** Words with edit distances of at least two: none is taken for a misspelling of another. */
const WORDS = [
  'lantern',
  'lanterns',
  'gamma',
  'pa',
  'papyrus',
  'x_1',
  '3.14',
  'a',
  'Zebra',
  'don’t',
  "DON'T",
  'Café',
  'cafe\u0301',
  'Straße',
  'ＦＵＬＬ',
  'ﾗｰﾒﾝ',
  '木',
  '木林',
  'หมี',
  '환불요청',
  '불',
  'Привет',
  '😀',
  '😀$$',
  '$$',
  '→',
];
const ORIGINS = ['application', 'application', 'sheet', 'trial'];
const VALUES = ['café', 'cafe\u0301', 'CAFÉ', 'x', '木'];

const text = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', ', ', '. ', '\n')), { maxLength: 6 })
  .map((words) => words.flat().join('').trim());

export const documents: fc.Arbitrary<Said> = fc.record({
  input: text,
  output: text,
  tag: fc.constantFrom(...VALUES),
  note: fc.constantFrom(...VALUES),
  origin: fc.constantFrom(...ORIGINS),
  environment: fc.option(fc.constantFrom(...VALUES)),
});

const word = fc.tuple(fc.constantFrom(...WORDS), fc.nat()).map(([whole, cut]) => {
  // Without its accent a letter would be another word, at an edit distance of one.
  const letters = [...whole.normalize('NFC')];
  return cut % 2 === 0 ? whole : letters.slice(0, 1 + (cut % letters.length)).join('');
});
const phrase = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => `"${words.join(' ')}"`);
const q = fc.array(fc.oneof({ weight: 5, arbitrary: word }, { weight: 1, arbitrary: phrase }), { maxLength: 3 });

const negatable = (field: string, positive: string, negative: string, value: fc.Arbitrary<unknown>) =>
  fc.record({ field: fc.constant(field), operator: fc.constantFrom(positive, negative), value });
const filter: fc.Arbitrary<Filter> = fc.oneof(
  negatable('input_text', 'contains', 'not_contains', word),
  negatable('output_text', 'contains', 'not_contains', word),
  negatable('tags', 'contains', 'not_contains', fc.constantFrom(...VALUES)),
  negatable('origin', 'is', 'is_not', fc.constantFrom(...ORIGINS)),
  negatable('origin', 'in', 'not_in', fc.subarray([...ORIGINS, 'nobody'])),
  negatable('environment', 'is', 'is_not', fc.constantFrom(...VALUES)),
  negatable('metadata', 'key_equals', 'key_not_equals', fc.constantFrom(...VALUES)).map((leaf) => ({
    ...leaf,
    nested_key: 'note',
  })),
);
export const questions: fc.Arbitrary<Asked> = fc
  .record({ q: fc.option(q.map((words) => words.join(' '))), filters: fc.array(filter, { maxLength: 2 }) })
  .filter((asked) => asked.q !== null || asked.filters.length > 0);

const OF_TRACES: Record<string, string> = {
  input_text: 'span_input',
  output_text: 'span_output',
  tags: 'trace_tags',
  origin: 'trace_origin',
  environment: 'trace_environment',
  metadata: 'trace_metadata',
};

export const ofTraces = (filters: Filter[]): Filter[] =>
  filters.map((leaf) => ({ ...leaf, field: OF_TRACES[leaf.field]! }));

/** Whether a document matches, checked by reading it. */
export const isAskedFor = ({ q: words, filters }: Asked, said: Said): boolean =>
  filters.every((leaf) => fulfils(leaf, said)) && hasText(words ?? '', said);

function fulfils({ field, operator, value }: Filter, said: Said): boolean {
  const isNegative = /(^|_)not(_|$)/.test(operator);
  const found = field.endsWith('_text')
    ? fold(field === 'input_text' ? said.input : said.output).includes(fold(String(value)))
    : [value].flat().some((one) => PLAIN[field]!(said)?.normalize('NFC') === String(one).normalize('NFC'));
  return found !== isNegative;
}

const PLAIN: Record<string, (said: Said) => string | null> = {
  tags: ({ tag }) => tag,
  metadata: ({ note }) => note,
  origin: ({ origin }) => origin,
  environment: ({ environment }) => environment,
};

/** Letters that are equal are made the same ones. */
const fold = (given: string): string => given.normalize('NFKC').replaceAll('ß', 'ss').toLowerCase().normalize('NFC');
const withoutApostrophes = (given: string): string => fold(given).replace(/['’]/g, '');

function hasText(asked: string, { input, output }: Said): boolean {
  const texts = [input, output].map(withoutApostrophes);
  const quoted = Array.from(asked.matchAll(/"([^"]*)"/g), ([, inner]) => withoutApostrophes(inner!).trim());
  const chunks = withoutApostrophes(asked.replace(/"[^"]*"/g, ' ')).split(/\s+/);
  const hasWord = (wanted: string) => texts.some((one) => stands(wanted, one, /^\p{sc=Hangul}/u.test(wanted)));
  return (
    quoted.every((each) => (wordsOf(each)[0] === each ? hasWord(each) : texts.some((one) => stands(each, one)))) &&
    chunks.every((chunk) => {
      const words = wordsOf(chunk);
      return words.length === 0 ? texts.some((one) => one.includes(chunk)) : words.every(hasWord);
    })
  );
}

const LONE = /^[\p{sc=Han}\p{sc=Katakana}\p{sc=Thai}]/u;
const ENDS_LONE = /[\p{sc=Han}\p{sc=Katakana}\p{sc=Thai}]\p{M}*$/u;
const JOINED = /[\p{L}\p{M}\p{Nd}_]$/u;

const wordsOf = (folded: string): string[] =>
  folded.match(
    /[\p{sc=Han}\p{sc=Katakana}\p{sc=Thai}]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Katakana}\p{sc=Thai}])[\p{L}\p{M}\p{Nd}_])+/gu,
  ) ?? [];

/** Whether a text has something that does not begin in the middle of a word, or wherever that is allowed. */
function stands(wanted: string, one: string, anywhere = false): boolean {
  for (let at = one.indexOf(wanted); at !== -1; at = one.indexOf(wanted, at + 1)) {
    const before = one.slice(0, at);
    const isInWord = JOINED.test(before) && !ENDS_LONE.test(before);
    if (anywhere || !isInWord || LONE.test(wanted) || !JOINED.test([...wanted][0] ?? '')) return true;
  }
  return false;
}
