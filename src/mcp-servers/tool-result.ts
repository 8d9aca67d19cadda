import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonValue } from '../platform/json.js';
import { McpFailure } from './mcp-failure.js';

/** Characters of what a tool says about its failure. */
const MAX_REASON = 2_000;

/**
 * What a tool gave: its structured content, the text of its only part, or the list of its parts. Throws McpFailure with its
 * text when the tool says that it failed.
 */
export function readResult(result: CallToolResult): JsonValue {
  const { content, structuredContent, isError } = result;
  const texts = content.flatMap((part) => (part.type === 'text' ? part.text : []));
  if (isError) throw new McpFailure(reasonIn(texts), { isAnswer: true });
  if (structuredContent) return structuredContent as JsonValue;
  const isOneText = content.length === 1 && texts.length === 1;
  return isOneText ? texts[0]! : (content as unknown as JsonValue);
}

function reasonIn(texts: string[]): string {
  const text = texts.join('\n').trim();
  if (text === '') return 'The tool failed and gave no reason.';
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
}
