import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import traverse from 'json-schema-traverse';
import type { JsonObject, JsonValue } from '../../json.js';
import { cached } from './cached.js';
import { EvaluationError } from './evaluation-error.js';
import { parseJson, withPlainNumbers } from './json-path.js';
import { compilePattern, MAX_PATTERN_SIZE, searchPattern } from './pattern.js';
import { sizeOfPattern } from './pattern-size.js';

/** Maximum length of the JSON of a schema. */
export const MAX_SCHEMA = 100_000;
/** Maximum number of reported problems. */
const MOST_PROBLEMS = 20;

/** Patterns of schemas need linear time, like all patterns of users. */
const regExp = Object.assign(
  (pattern: string) => {
    const compiled = compilePattern(pattern);
    return { test: (text: string) => searchPattern(compiled, text), toString: () => pattern };
  },
  { code: 'compilePattern' },
);

const OPTIONS: Options = { strict: false, allErrors: true, logger: false, inlineRefs: false, code: { regExp } };

type Create = (options: Options) => Ajv;

const DIALECTS: [schema: RegExp, create: Create][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, (options) => new Ajv2020(options)],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, (options) => new Ajv2019(options)],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, (options) => new Ajv(options)],
];

/** Validators of schemas, by dialect. They keep none of the schemas. */
const checkers = new Map<Create, Ajv>();

/**
 * Refuses a schema that cannot be compiled. It runs in processes that all workspaces share, so no code is generated
 * from the schema. References in a schema that renames parts of itself (`$id` inside) are only resolved when it is
 * compiled.
 */
export function checkJsonSchema(given: JsonObject): void {
  const { create, schema } = readSchema(given);
  const checker = checkerOf(create);
  if (!checker.validateSchema(schema)) throw invalid(checker.errorsText(checker.errors, { dataVar: 'schema' }));
  const parts: JsonObject[] = [];
  traverse(schema, { allKeys: true }, (part) => void parts.push(part as JsonObject));
  const patterns = parts
    .flatMap(({ pattern, patternProperties }) => [pattern, ...Object.keys((patternProperties ?? {}) as JsonObject)])
    .filter((pattern) => typeof pattern === 'string');
  const size = patterns.reduce((sum, pattern) => sum + sizeOfPattern(pattern), 0);
  if (size > MAX_PATTERN_SIZE) throw invalid('its patterns together repeat too much');
  for (const pattern of patterns) compilePattern(pattern);
  if (parts.some(({ $id }, index) => index > 0 && typeof $id === 'string')) return;
  const anchors = new Set(parts.flatMap(({ $anchor, $dynamicAnchor }) => [$anchor, $dynamicAnchor]));
  for (const { $ref } of parts) {
    const isResolved = typeof $ref !== 'string' || resolves(schema, $ref, anchors);
    if (!isResolved)
      throw invalid(`can't resolve reference ${$ref} from id ${typeof schema.$id === 'string' ? schema.$id : '#'}`);
  }
}

function resolves(schema: JsonObject, ref: string, anchors: Set<JsonValue | undefined>): boolean {
  const [base, fragment = ''] = ref.split('#', 2) as [string, string?];
  if (base !== '') return typeof schema.$id === 'string';
  if (!fragment.startsWith('/')) return fragment === '' || anchors.has(fragment);
  const keys = fragment
    .slice(1)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return (
    keys.reduce<JsonValue | undefined>((part, key) => (part as JsonObject | undefined)?.[key], schema) !== undefined
  );
}

/**
 * A JSON Schema of a user, of draft 6 to 2020-12; by default the newest. It can refer to its own parts only: nothing is
 * fetched. Takes its JSON. Throws EvaluationError with the problem.
 */
const compiled = cached(100, (json): ValidateFunction => {
  const { create, schema } = readSchema(JSON.parse(json) as JsonObject);
  try {
    return compile(create, schema);
  } catch (error) {
    if (error instanceof EvaluationError) throw error;
    throw invalid((error as Error).message);
  }
});

/**
 * Reasons why a text is not JSON that matches a schema, in sentences; empty when it is. Without a schema any JSON
 * matches.
 */
export function problemsOf(text: string, schema: JsonObject | null): string[] {
  if (text.trim() === '') return ['There is nothing where JSON is expected.'];
  const validate = schema && compiled(JSON.stringify(withPlainNumbers(schema)));
  try {
    const value = withPlainNumbers(parseJson(text));
    if (!validate || validate(value)) return [];
    return (validate.errors ?? []).slice(0, MOST_PROBLEMS).map(sentence);
  } catch (error) {
    if (error instanceof EvaluationError) return [error.message];
    throw error;
  }
}

/** Throws EvaluationError when the schema is too long or of an unsupported dialect. */
function readSchema(given: JsonObject): { create: Create; schema: JsonObject } {
  const plain = withPlainNumbers(given) as JsonObject;
  if (JSON.stringify(plain).length > MAX_SCHEMA)
    throw new EvaluationError(`A JSON Schema may have ${MAX_SCHEMA} characters of JSON at most.`);
  // Neither keyword describes the data. The second one would make the library asynchronous.
  const { $schema, $async: _, ...schema } = plain;
  return { create: dialectOf($schema), schema };
}

function dialectOf(schema: unknown): Create {
  const create = schema === undefined ? DIALECTS[0]![1] : DIALECTS.find(([known]) => known.test(String(schema)))?.[1];
  if (!create) throw new EvaluationError('Only JSON Schemas of draft 6, draft 7, 2019-09 and 2020-12 can be read.');
  return create;
}

/** Each schema has its own compiler, otherwise the next one could refer to its names. */
function compile(create: Create, schema: JsonObject): ValidateFunction {
  const checker = checkerOf(create);
  if (!checker.validateSchema(schema)) throw invalid(checker.errorsText(checker.errors, { dataVar: 'schema' }));
  return withFormats(create({ ...OPTIONS, meta: false, validateSchema: false })).compile(schema);
}

function checkerOf(create: Create): Ajv {
  let checker = checkers.get(create);
  if (!checker) checkers.set(create, (checker = withFormats(create(OPTIONS))));
  return checker;
}

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv);
  // Patterns are compiled, which gives a better error than the format.
  return ajv.addFormat('regex', true);
}

function invalid(reason: string): EvaluationError {
  return new EvaluationError(`It is not a valid JSON Schema: ${reason.slice(0, 300)}.`);
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const which: unknown = params.additionalProperty ?? params.unevaluatedProperty ?? params.allowedValues;
  const detail = which === undefined ? '' : `: ${JSON.stringify(which)}`;
  return `${instancePath || 'The JSON'} ${message}${detail}.`.slice(0, 300);
}
