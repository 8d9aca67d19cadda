import { z } from 'zod';
import type { Logic } from './shape.js';
import { OPERATOR_NAMES } from './operators.js';

const names = (list: Iterable<string>) => z.enum([...list] as [string, ...string[]]);

const SCALAR = z.union([z.string(), z.number(), z.boolean()]);
/** Fields with free names hold plain values: no pairs of an id and a version. */
const CELL_VALUE = z.union([SCALAR, z.array(SCALAR)]).nullish();

/**
 * Documents the filter groups of a domain, as the components `<name>Filter` and `<name>FilterGroup`. The grammar checks
 * them: it names the place of every fault. Without `fields` their names are free.
 */
export function describeFilterGroup(name: string, fields: Iterable<string> | null, logics: readonly Logic[]): string {
  const filter = z
    .strictObject({
      field: (fields === null ? z.string() : names(fields)).meta({
        description: 'The field whose values are compared.',
      }),
      operator: names(OPERATOR_NAMES).meta({
        description: 'How they are compared. Each field allows only the operators of its class.',
      }),
      value: (fields === null ? CELL_VALUE : z.unknown()).meta({
        description: 'The value to compare with: a text, a number or a list. Missing for operators without one.',
      }),
      nested_key: z.string().nullish().meta({ description: 'The key or path inside the field, for fields with keys.' }),
    })
    .meta({ id: `${name}Filter` });
  const id = `${name}FilterGroup`;
  const group: z.ZodType = z
    .strictObject({
      logic: names(logics)
        .nullish()
        .meta({ default: 'AND', description: 'Whether all filters have to match, or one of them.' }),
      get filters() {
        return z
          .array(z.union([filter, group]))
          .meta({ description: 'Filters and nested groups. An empty list matches everything.' });
      },
    })
    .meta({ id, description: 'Conditions, and groups of conditions, joined by `logic`.' });
  return id;
}
