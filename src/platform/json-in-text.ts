import { fitsJsonLimits, type JsonLimits } from './json-limits.js';
import type { JsonValue } from './json.js';
import { readFiniteJson } from './read-json.js';
import { toStrictJson } from './strict-json.js';

/**
 * Models put their thoughts between such tags before they answer. The first tag may be part of their template and
 * missing.
 */
const END_OF_THOUGHTS = /<\/(?:think|thinking|thoughts?|reasoning)>/gi;
const FENCE = '```';
const LANGUAGE = /^[\w+-]{0,20}[^\S\n]*(?:\n|(?=[[{]))/;
/** Characters to scan without success before the text counts as prose. */
const MOST_IN_VAIN = 4_000_000;

export interface WantedJson {
  limits: JsonLimits;
  /** Whether a value is of the requested kind. Other values are skipped. */
  accepts?(value: JsonValue): boolean;
}

/**
 * The JSON in a text as models write it: the whole text, the content of code blocks, or the lists and objects between
 * sentences. Thoughts before the answer are skipped, and the notation of Python is accepted. Undefined when there is
 * none, or when there are several that differ. Takes time in proportion to the text.
 */
export function jsonInText(text: string, { limits, accepts = () => true }: WantedJson): JsonValue | undefined {
  for (const find of [wholeOf, fencesOf, valuesIn]) {
    const jsons = [...new Set(find(text))].filter((json) => fitsJsonLimits(json, limits));
    const values = jsons.flatMap(parse).filter(accepts);
    const different = new Map(values.map((value) => [JSON.stringify(value), value]));
    if (different.size > 1) return undefined;
    for (const value of different.values()) return value;
  }
  return undefined;
}

function parse(json: string): JsonValue[] {
  try {
    return [readFiniteJson(json)];
  } catch {
    return [];
  }
}

function answerIn(text: string): string {
  const last = [...text.matchAll(END_OF_THOUGHTS)].at(-1);
  return last ? text.slice(last.index + last[0].length) : text;
}

/** A text that is JSON may hold such tags in its strings. */
function wholeOf(text: string): string[] {
  return [text, answerIn(text)].flatMap((whole) => {
    const trimmed = whole.trim();
    const { json, end } = toStrictJson(trimmed, 0);
    return json !== null && end === trimmed.length ? [trimmed, json] : [trimmed];
  });
}

/** The last one may not be closed. */
function fencesOf(text: string): string[] {
  const pieces = answerIn(text).split(FENCE);
  const fenced = pieces.filter((_, index) => index % 2 === 1);
  return fenced.flatMap((content) => wholeOf(content.replace(LANGUAGE, '')));
}

/** The outermost lists and objects between other text. What is cut off at the end of the text is no answer, nor is what it holds. */
function valuesIn(text: string): string[] {
  const answer = answerIn(text);
  const found: string[] = [];
  const opening = /[[{]/g;
  for (let inVain = 0; inVain < MOST_IN_VAIN;) {
    const at = opening.exec(answer)?.index;
    if (at === undefined) break;
    const { json, end } = toStrictJson(answer, at);
    if (json !== null) {
      found.push(json);
      opening.lastIndex = end;
    } else if (end === answer.length) return [];
    else inVain += end - at;
  }
  return found;
}
