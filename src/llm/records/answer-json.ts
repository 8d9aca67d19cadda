import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { parseJson } from '../messages/json-text.js';

/**
 * Deeper or larger answers count as text: the database rejects the former, and filters on the latter are not useful.
 */
const LIMITS = { depth: 64, containers: 20_000 };
const LONGEST_JSON = 4 * 1024 * 1024;
/** Positions of a text that are tried as the beginning of an object. */
const TRIES = 8;
const FENCE = '```';

/** The object that an answer is or holds, and the text around it. */
export interface FoundJson {
  object: JsonObject;
  around: string;
}

/**
 * The JSON object of an answer: the whole text, the first fence that holds one, or the end of a text that leads up to
 * one. Null for everything else, lists and single values too.
 */
export function findObject(text: string): FoundJson | null {
  if (!text.includes('{')) return null;
  const trimmed = text.trim();
  const whole = readsAsJson(trimmed) ? parse(trimmed) : undefined;
  if (whole !== undefined) return isObject(whole) ? { object: whole, around: '' } : null;
  return inFence(trimmed) ?? atEnd(trimmed);
}

/** Avoids parser errors for ordinary text. */
function readsAsJson(text: string): boolean {
  return (text.startsWith('{') && text.endsWith('}')) || (text.startsWith('[') && text.endsWith(']'));
}

function inFence(text: string): FoundJson | null {
  let open = text.indexOf(FENCE);
  for (let tries = 0; open >= 0 && tries < TRIES; tries++) {
    const start = text.indexOf('\n', open);
    const close = start < 0 ? -1 : text.indexOf(FENCE, start);
    if (close < 0) return inUnclosedFence(text, open);
    const content = text.slice(start, close).trim();
    const object = content.startsWith('{') ? parse(content) : undefined;
    if (isObject(object)) return { object, around: `${text.slice(0, open)}\n${text.slice(close + FENCE.length)}` };
    open = text.indexOf(FENCE, close + FENCE.length);
  }
  return null;
}

/** One line: "```json {"a": 1}```", with nothing after the name of the language but the object. */
function inUnclosedFence(text: string, open: number): FoundJson | null {
  const start = text.indexOf('{', open);
  const close = text.indexOf(FENCE, open + FENCE.length);
  if (start < 0 || close < start) return null;
  const object = parse(text.slice(start, close).trim());
  return isObject(object) ? { object, around: `${text.slice(0, open)}\n${text.slice(close + FENCE.length)}` } : null;
}

/** An empty object at the end of a sentence is no answer in JSON. */
function atEnd(text: string): FoundJson | null {
  if (!text.endsWith('}')) return null;
  let start = text.indexOf('{');
  for (let tries = 0; start >= 0 && tries < TRIES; tries++) {
    const object = parse(text.slice(start));
    if (isObject(object) && Object.keys(object).length > 0) return { object, around: text.slice(0, start) };
    start = text.indexOf('{', start + 1);
  }
  return null;
}

/** The arguments of a tool call: parsed JSON, or the text itself. */
export function readArguments(text: string): JsonValue {
  return parse(text) ?? text;
}

function parse(text: string): JsonValue | undefined {
  return text.length > LONGEST_JSON ? undefined : parseJson(text, LIMITS);
}
