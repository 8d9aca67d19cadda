import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { McpFailure } from './mcp-failure.js';

/** Characters of what a tool says about its failure. */
const MAX_REASON = 2_000;
/** As many digits as an integer has that a number may round. */
const LONG_INTEGER = /\d{16}/;

/**
 * What a tool gave: its structured content, the text of its only part, or the list of its parts. Throws McpFailure with its
 * text when the tool says that it failed.
 */
export function readResult(result: CallToolResult): JsonValue {
  const { content, structuredContent, isError } = result;
  const texts = content.flatMap((part) => (part.type === 'text' ? part.text : []));
  if (isError) throw new McpFailure(reasonIn(texts, structuredContent), { isAnswer: true });
  if (structuredContent) return withExactIntegers(structuredContent as JsonValue, texts);
  const isOneText = content.length === 1 && texts.length === 1;
  return isOneText ? texts[0]! : (content as JsonValue);
}

/**
 * The client of the protocol rounds integers beyond 2^53. Servers that follow it repeat structured content as a text, or what stands
 * in its `result`; the integers of that text are exact.
 */
function withExactIntegers(structured: JsonValue, texts: string[]): JsonValue {
  for (const text of texts.filter((each) => LONG_INTEGER.test(each))) {
    const rounded = parsedOrUndefined(text);
    if (isDeepStrictEqual(rounded, structured)) return readJson(text);
    if (isDeepStrictEqual({ result: rounded }, structured)) return { result: readJson(text) };
  }
  return structured;
}

function parsedOrUndefined(text: string): unknown {
  try {
    // oxlint-disable-next-line no-restricted-properties -- rounded, as the client has read the other
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonIn(texts: string[], structured: unknown): string {
  const text = texts.join('\n').trim() || (structured ? JSON.stringify(structured) : '');
  if (text === '') return 'The tool failed and gave no reason.';
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
}
