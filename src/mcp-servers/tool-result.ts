import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { McpFailure } from './mcp-failure.js';

/** Maximum characters of a tool's failure message. */
const MAX_REASON = 2_000;
/** Matches integers that may be rounded. */
const LONG_INTEGER = /\d{16}/;

/**
 * Reads the result of a tool: its structured content, the text of its only part, or the list of its parts. Throws McpFailure
 * with the text of a tool that reports a failure.
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
 * Restores integers beyond 2^53, which the protocol client rounds. Servers that follow the protocol repeat the structured content,
 * or its `result`, as a text with exact integers.
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
    // oxlint-disable-next-line no-restricted-properties -- rounds like the client, for the comparison
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
