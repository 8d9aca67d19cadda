import { ValidationProblem } from '../errors/problem.js';
import type { SqlParameters } from '../filters/sql-parameters.js';
import { ListField } from './fields.js';

const MOST_TAGS = 100;

/** The `tags` parameter of a list. A tag may contain commas, and clients join tags with commas. */
export const TagsQueryField = (things: string, maxItems = MOST_TAGS): PropertyDecorator =>
  ListField('string', {
    optional: true,
    query: true,
    maxItems,
    keepsCommas: true,
    description: `Only ${things} that have all of these tags. A value with commas means the tag that is written so, or all the tags between the commas.`,
  });

/**
 * The possible meanings of each value of `tags`: one of several lists of tags, all of which an entity must have. Throws a
 * ValidationProblem for too many tags.
 */
export function readTags(values: readonly string[] = [], most = MOST_TAGS): string[][][] {
  if (values.flatMap(partsOf).length > most) {
    const msg = `Up to ${most} tags can be given`;
    throw new ValidationProblem([{ loc: ['query', 'tags'], msg, type: 'too_long' }]);
  }
  return values.filter((value) => value !== '').map(meaningsOf);
}

function meaningsOf(value: string): string[][] {
  const parts = partsOf(value);
  return parts.length === 0 || parts[0] === value ? [[value]] : [[value], parts];
}

const partsOf = (value: string): string[] => value.split(',').filter((part) => part !== '');

/** The conditions on a column of tags. */
export function tagConditions(column: string, values: readonly string[] | undefined, to: SqlParameters): string[] {
  return readTags(values).map((meanings) => {
    const alternatives = meanings.map((tags) => `${column} @> ${to.add(tags)}::text[]`);
    return `(${alternatives.join(' OR ')})`;
  });
}
