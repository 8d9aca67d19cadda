import { init as loadSql, validate as validateSql } from '@guanmingchiu/sqlparser-ts';
import { applyPatch, parsePatch } from 'diff';
import type { JsonObject, JsonValue } from '../../json.js';
import { cached } from './cached.js';
import { EvaluationError } from './evaluation-error.js';
import { compileJsonPath, parseJson, queryJson } from './json-path.js';
import { problemsOf } from './json-schema.js';
import { compilePattern, findAll, searchPattern } from './pattern.js';
import { parseXml, queryXml, type XmlQuery } from './xml-path.js';

/** Kinds of evaluations in the sandbox, with their options besides the texts of a row. */
export interface EvaluationOptions {
  search: { pattern: string };
  find_all: { pattern: string; group: number | null };
  json_path: { path: string; first: boolean };
  /** Returns the problems, see `problemsOf`. */
  json_schema: { schema: JsonObject | null };
  xml_path: XmlQuery;
  is_xml: object;
  is_sql: object;
  /** Texts: the original, and the unified diff. */
  patch: object;
}

export type EvaluationName = keyof EvaluationOptions;

export type Evaluation<K extends EvaluationName> = (options: EvaluationOptions[K], texts: string[]) => JsonValue;

await loadSql();

const patternOf = cached(500, compilePattern);
const jsonPathOf = cached(500, compileJsonPath);

export const evaluations: { [K in EvaluationName]: Evaluation<K> } = {
  search: ({ pattern }, [text = '']) => searchPattern(patternOf(pattern), text),
  find_all: ({ pattern, group }, [text = '']) => findAll(patternOf(pattern), text, group),
  json_path: ({ path, first }, [text = '']) => queryJson(jsonPathOf(path), parseJson(text), first),
  json_schema: ({ schema }, [text = '']) => problemsOf(text, schema),
  xml_path: (query, [text = '']) => {
    if (text.trim() === '') return query.all ? [] : null;
    return queryXml(parseXml(text), query);
  },
  is_xml: (_, [text = '']) => holds(() => parseXml(text)),
  is_sql: (_, [text = '']) => text.trim() !== '' && holds(() => validateSql(text, 'generic')),
  patch: (_, [text = '', patch = '']) => patched(text, patch),
};

function holds(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** The text with a unified diff applied. Every context line and removed line must match; nothing is guessed. */
function patched(text: string, diff: string): string {
  if (diff.trim() === '') return text;
  const parsed = parse(diff);
  const hunks = parsed.flatMap((file) => file.hunks);
  if (hunks.length === 0) throw new EvaluationError('The diff has no changes that can be read: it needs "@@" lines.');
  if (parsed.length > 1) throw new EvaluationError('The diff changes several files; there is only one text.');
  const result = applyPatch(text, parsed[0]!, { fuzzFactor: 0, autoConvertLineEndings: true });
  if (result === false) throw new EvaluationError('The diff does not fit the text: lines it expects are not there.');
  return result;
}

function parse(diff: string) {
  try {
    return parsePatch(diff);
  } catch (error) {
    throw new EvaluationError(`The diff cannot be read: ${(error as Error).message.slice(0, 200)}.`);
  }
}
