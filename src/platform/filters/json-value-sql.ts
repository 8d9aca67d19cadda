import type { Bound, Condition } from './operators.js';
import type { SqlParameters } from './sql-parameters.js';

/** A number in a text: as in JSON, with optional surrounding blanks, a plus, and missing digits next to the point. */
const NUMERAL = String.raw`^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$`;
/** In stored bytes. Longer values are neither numbers nor booleans, and need not be read. */
const LONGEST_NUMBER = 500;
const LONGEST_WORD = 64;

/** The text of a jsonb value. Lists and objects have the database's format: with a blank after every colon and comma. */
export const textOf = (value: string): string => `(${value} #>> '{}')`;

/** The number of a jsonb number or text, as float8; null for everything else. */
export function numberOf(value: string): string {
  const isNumeral = `(jsonb_typeof(${value}) = 'number' OR ${textOf(value)} ~ '${NUMERAL}')`;
  // The path checks the range: a cast of 1e999 would fail the statement.
  const isInRange = `jsonb_path_exists(${value}, '$.double()', '{}', true)`;
  const isNumber = `pg_column_size(${value}) <= ${LONGEST_NUMBER} AND ${isNumeral} AND ${isInRange}`;
  return `(CASE WHEN ${isNumber} THEN ${textOf(value)}::float8 END)`;
}

/** The boolean of a jsonb value or its text: true, false or null. `words` are the texts, true ones first. */
export function truthOf(value: string, words: [yes: string[], no: string[]] = TRUTH_WORDS): string {
  const list = (texts: string[]) => texts.map((text) => `'${text}'`).join(', ');
  const text = String.raw`lower(btrim(${textOf(value)}, E' \t\n\r\f\v'))`;
  const [yes, no] = words.map(list);
  const truth = `CASE WHEN ${text} IN (${yes}) THEN TRUE WHEN ${text} IN (${no}) THEN FALSE END`;
  return `(CASE WHEN pg_column_size(${value}) <= ${LONGEST_WORD} THEN ${truth} END)`;
}

const TRUTH_WORDS: [string[], string[]] = [
  ['true', '1', 'yes'],
  ['false', '0', 'no'],
];

/** The condition that a jsonb value is neither missing, null nor the empty text. */
export const filledSql = (value: string): string =>
  `(${value} IS NOT NULL AND (pg_column_size(${value}) > ${LONGEST_WORD} OR ${value} NOT IN ('null', '""')))`;

/** A condition on a jsonb value of any type; see the field class "json". It is null or false without a value. */
export function jsonTest(condition: Condition, value: string, parameters: SqlParameters): string {
  switch (condition.kind) {
    case 'one_of':
      return textTest(value, (text, inForm) => {
        return `${text} = ANY(${parameters.add(condition.values.map(inForm))}::text[])`;
      });
    case 'matches':
      return textTest(value, (text, inForm) => {
        return `comparable_text(${text}) ILIKE ${parameters.add(inForm(condition.pattern))}::text`;
      });
    case 'bounds':
      return condition.bounds.map((bound) => boundSql(value, bound, parameters)).join(' AND ');
    case 'filled':
      return filledSql(value);
    case 'truth':
      return `${truthOf(value)} IS ${condition.expected ? 'TRUE' : 'FALSE'}`;
  }
}

/**
 * Lists and objects are compared in their displayed form: without blanks between tokens. Removing exactly those blanks is slow, so
 * it happens only if the texts agree without any blanks.
 */
function textTest(value: string, test: (text: string, inForm: (wanted: string) => string) => string): string {
  const asIs = (wanted: string) => wanted;
  const withoutBlanks = (wanted: string) => wanted.replaceAll(' ', '');
  const maybe = test(`translate(${value}::text, ' ', '')`, withoutBlanks);
  const compact = test(`regexp_replace(${value}::text, '${STRING_OR_BLANK}', '\\1', 'g')`, asIs);
  const isContainer = `jsonb_typeof(${value}) IN ('object', 'array')`;
  return `CASE WHEN ${isContainer} THEN ${maybe} AND ${compact} ELSE ${test(textOf(value), asIs)} END`;
}

const STRING_OR_BLANK = String.raw`("(?:[^"\\]|\\.)*")| `;

function boundSql(value: string, { comparison, value: limit }: Bound, parameters: SqlParameters): string {
  return `${numberOf(value)} ${comparison} ${parameters.add(limit)}::float8`;
}
