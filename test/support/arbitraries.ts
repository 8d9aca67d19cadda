import fc from 'fast-check';
import type { Document, Schema } from './operations.js';
import { resolve } from './operations.js';

type Arbitrary = fc.Arbitrary<unknown>;

/** Depth limit for recursive schemas: below it, only required members are made, and lists are empty. */
const DEEPEST = 4;
const MOST_ITEMS = 3;
/** Values that fit the formats of the document. */
const FORMATS: Record<string, Arbitrary> = {
  uuid: fc.uuid(),
  'date-time': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString()),
  date: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString().slice(0, 10)),
  byte: fc.base64String({ maxLength: 40 }),
};

/** Makes values that fit schemas of a document. Where an example is given, it is among them. */
export class Arbitraries {
  constructor(private readonly document: Document) {}

  of(schema: Schema, depth = 0): Arbitrary {
    const resolved = resolve(this.document, schema);
    const { example } = { ...resolved, ...schema };
    const made = this.made(resolved, depth);
    return example === undefined
      ? made
      : fc.oneof({ weight: 2, arbitrary: made }, { weight: 1, arbitrary: fc.constant(example) });
  }

  private made(schema: Schema, depth: number): Arbitrary {
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const { oneOf, anyOf, allOf } = schema as Record<string, Schema[] | undefined>;
    const choices = oneOf ?? anyOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.of(choice, depth + 1)));
    if (allOf)
      return fc
        .tuple(...allOf.map((part) => this.of(part, depth)))
        .map((parts) => Object.assign({}, ...(parts as object[])) as object);
    const types = [schema.type ?? []].flat() as string[];
    if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
    return fc.oneof(...types.map((type) => this.ofType(type, schema, depth)));
  }

  private ofType(type: string, schema: Schema, depth: number): Arbitrary {
    if (type === 'null') return fc.constant(null);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer') return fc.integer(rangeOf(schema));
    if (type === 'number') return fc.double({ ...rangeOf(schema), noNaN: true });
    if (type === 'string') return textOf(schema);
    return type === 'array' ? this.list(schema, depth) : this.object(schema, depth);
  }

  private list(schema: Schema, depth: number): Arbitrary {
    const { prefixItems } = schema as { prefixItems?: Schema[] };
    if (prefixItems) return fc.tuple(...prefixItems.map((item) => this.of(item, depth + 1)));
    const { minItems = 0, maxItems = MOST_ITEMS } = schema as { minItems?: number; maxItems?: number };
    const most = depth > DEEPEST ? minItems : Math.max(minItems, Math.min(maxItems, MOST_ITEMS));
    if (most === 0) return fc.constant([]);
    return fc.array(this.of((schema.items ?? {}) as Schema, depth + 1), { minLength: minItems, maxLength: most });
  }

  private object({ properties = {}, required = [], additionalProperties: further }: Schema, depth: number): Arbitrary {
    const names = required as string[];
    const shown = Object.entries(properties).filter(([name]) => depth <= DEEPEST || names.includes(name));
    const fields = Object.fromEntries(shown.map(([name, field]) => [name, this.of(field, depth + 1)]));
    const known = fc.record(fields, {
      requiredKeys: shown.map(([name]) => name).filter((name) => names.includes(name)),
    });
    if (typeof further !== 'object' || depth > DEEPEST) return known;
    const others = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), this.of(further as Schema, depth + 1), {
      maxKeys: 2,
    });
    return fc.tuple(others, known).map(([a, b]) => ({ ...a, ...b }));
  }
}

const LARGEST = 2 ** 31 - 1;

function rangeOf(schema: Schema): { min: number; max: number } {
  const {
    minimum = -LARGEST,
    maximum = LARGEST,
    exclusiveMinimum = minimum,
    exclusiveMaximum = maximum,
  } = schema as Record<string, number>;
  const isOpen = (limit: number, other: number) => limit !== other;
  return {
    min: Math.max(minimum, isOpen(exclusiveMinimum, minimum) ? exclusiveMinimum + 1 : minimum),
    max: Math.min(maximum, isOpen(exclusiveMaximum, maximum) ? exclusiveMaximum - 1 : maximum),
  };
}

function textOf({ format, pattern, minLength = 0, maxLength = 40 }: Schema): Arbitrary {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'));
  if (typeof format === 'string' && FORMATS[format]) return FORMATS[format];
  const least = minLength as number;
  return fc.string({
    unit: 'grapheme',
    minLength: least,
    maxLength: Math.max(least, Math.min(maxLength as number, 40)),
  });
}
